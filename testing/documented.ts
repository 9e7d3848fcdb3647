import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { apiDocument } from "#lib/app/api.ts";

type Operation = { responses: Record<string, { content?: Record<string, unknown> }> };

const document = apiDocument("0.0.0-test");
// Formats say more than a test needs; unknown words are OpenAPI's own.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema(document, "api");

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

const routes = Object.entries(document.paths ?? {})
  .map(([path, item]) => ({
    path,
    item,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, "([^/]+)").replace(/\/$/, "")}/?$`),
    parameters: path.split("{").length,
  }))
  // A literal path comes before one with a parameter in its place.
  .sort((a, b) => a.parameters - b.parameters || b.path.length - a.path.length);

const escaped = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1");
const validators = new Map<string, ValidateFunction>();

function validatorOf(pointer: string): ValidateFunction {
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `api#${encodeURI(pointer)}` });
  validators.set(pointer, known);
  return known;
}

/** What of an answer the OpenAPI document does not say; null where it says all. */
function findUndocumented(method: string, path: string, response: Response, text: string): string | null {
  // The answers to browsers' preflight requests are not the API's.
  if (method === "OPTIONS") return null;
  const route = routes.find(({ pattern }) => pattern.test(path));
  if (!route) return response.status === 404 || response.status === 405 ? null : "the path";
  const verb = METHODS.find((each) => each === method.toLowerCase());
  const operation = verb && (route.item[verb] as Operation | undefined);
  // Of a method that a path does not have, the document says nothing.
  if (!verb || !operation)
    return [401, 403, 404, 405].includes(response.status) ? null : `the method ${method}`;
  const { status } = response;
  const documented = operation.responses[String(status)];
  if (!documented) return `the status ${status} of ${route.path}`;
  const media = response.headers.get("content-type")?.replace(/;.*/, "").trim() ?? "";
  if (!text) return documented.content && media ? `an empty ${status} of ${route.path}` : null;
  if (!documented.content?.[media]) return `${media || "a body"} with ${status} of ${route.path}`;
  if (media !== "application/json") return null;
  const place = ["paths", route.path, verb, "responses", String(status), "content", media, "schema"];
  const validate = validatorOf(place.map((part) => `/${escaped(part)}`).join(""));
  if (validate(JSON.parse(text))) return null;
  const [first] = validate.errors ?? [];
  return `${status} of ${route.path}: ${first?.instancePath} ${first?.message} ${JSON.stringify(first?.params)}`;
}

/** @throws Error where the OpenAPI document does not describe an answer: every test that gets one fails */
export function requireDocumented(method: string, path: string, response: Response, text: string): void {
  const found = findUndocumented(method, new URL(path, "http://switchyard.test").pathname, response, text);
  if (found) throw new Error(`${method} ${path} answers what the OpenAPI document does not say: ${found}`);
}
