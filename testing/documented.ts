import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { apiDocument } from "#lib/app/openapi/document.ts";

type Operation = { responses: Record<string, { content?: Record<string, unknown> }> };

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

type Document = { paths?: Record<string, Partial<Record<(typeof METHODS)[number], unknown>>> | undefined };

const escaped = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1");

const routesOf = (document: Document) =>
  Object.entries(document.paths ?? {})
    .map(([path, item]) => ({
      path,
      item,
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "([^/]+)").replace(/\/$/, "")}/?$`),
      parameters: path.split("{").length,
    }))
    // A literal path comes before one with a parameter in its place.
    .sort((a, b) => a.parameters - b.parameters || b.path.length - a.path.length);

/** The schema of an answer, by its place in the document. */
function validatorsOf(document: Document) {
  // Formats say more than a test needs; unknown words are OpenAPI's own.
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema(document, "api");
  const validators = new Map<string, ValidateFunction>();
  return (...place: string[]): ValidateFunction => {
    const pointer = place.map((part) => `/${escaped(part)}`).join("");
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `api#${encodeURI(pointer)}` });
    validators.set(pointer, known);
    return known;
  };
}

function checkAnswer(
  operation: Operation,
  response: Response,
  text: string,
  checkJson: (media: string) => string | null,
): string | null {
  const documented = operation.responses[String(response.status)];
  if (!documented) return `the status ${response.status}`;
  const media = response.headers.get("content-type")?.replace(/;.*/, "").trim() ?? "";
  if (!text) return documented.content && media ? `an empty ${response.status}` : null;
  if (!documented.content?.[media]) return `${media || "a body"} with ${response.status}`;
  return media === "application/json" ? checkJson(media) : null;
}

/** Checks answers against an OpenAPI document: what of one it does not say, or null where it says all. */
export function documentedBy(document: Document) {
  const routes = routesOf(document);
  const validatorOf = validatorsOf(document);
  return (method: string, path: string, response: Response, text: string): string | null => {
    // The answers to browsers' preflight requests are not the API's.
    if (method === "OPTIONS") return null;
    const verb = METHODS.find((each) => each === method.toLowerCase());
    const matching = routes.filter(({ pattern }) => pattern.test(path));
    const route = matching.find(({ item }) => verb && item[verb]) ?? matching[0];
    if (!route) return response.status === 404 || response.status === 405 ? null : "the path";
    const operation = verb && (route.item[verb] as Operation | undefined);
    // Of a method that a path does not have, the document says nothing.
    if (!verb || !operation)
      return [401, 403, 404, 405].includes(response.status) ? null : `the method ${method}`;
    const place = ["paths", route.path, verb, "responses", String(response.status)];
    return checkAnswer(operation, response, text, (media) => {
      const validate = validatorOf(...place, "content", media, "schema");
      if (validate(JSON.parse(text))) return null;
      const [first] = validate.errors ?? [];
      return `${response.status} of ${route.path}: ${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)}`;
    });
  };
}

const findUndocumented = documentedBy(apiDocument("0.0.0-test"));

/** @throws Error where the OpenAPI document does not describe an answer: every test that gets one fails */
export function requireDocumented(method: string, path: string, response: Response, text: string): void {
  const found = findUndocumented(method, new URL(path, "http://switchyard.test").pathname, response, text);
  if (found) throw new Error(`${method} ${path} answers what the OpenAPI document does not say: ${found}`);
}
