/** Requests from an OpenAPI document, with what earlier answers said: ids to follow, records to send back. */
import { isObject, type Json } from "#lib/engines/json.ts";
import { randomFrom } from "#lib/engines/statistics/simulation/random.ts";
import { type createMemory, type Foreign, parsed } from "./memory.ts";
import {
  below,
  chance,
  generate,
  hostile,
  hostileText,
  pick,
  type Schema,
  type Source,
  spoiled,
} from "./values.ts";

type Parameter = { name: string; in: "path" | "query"; required?: boolean; schema?: Schema };

export type Operation = {
  id: string;
  method: string;
  path: string;
  /** The folder of the records that the path is about. */
  folder: string;
  parameters: Parameter[];
  body: Schema | null;
  security: string[];
  /** Whether any answer to it is a success: some methods of the public service only exist to be refused. */
  can_succeed: boolean;
};

export type Document = {
  paths: Record<string, Record<string, Json>>;
  components: { schemas: Record<string, Schema> };
};

/** A request, so that it can be sent again and written down. */
export type Sent = {
  operation: Operation;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | null;
};

const METHODS = ["get", "post", "put", "patch", "delete"];
/** A POST there starts work of minutes, loading 20,000 people, and methods are changed now and then. */
const LEFT_OUT = new Set(["/api/organizations/@current/demo_project/"]);

/** The last folder of a path: `feature_flags` of a flag, `test_cases` of its test cases. */
const folderOf = (path: string): string =>
  path
    .split("/")
    .filter((part) => part && !part.startsWith("{"))
    .at(-1) ?? "";

export function operationsOf(document: Document): Operation[] {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths))
    for (const method of METHODS) {
      const raw = item[method];
      if (!isObject(raw) || LEFT_OUT.has(path)) continue;
      const content =
        isObject(raw.requestBody) && isObject(raw.requestBody.content) ? raw.requestBody.content : {};
      const media = content["application/json"];
      operations.push({
        id: String(raw.operationId),
        method: method.toUpperCase(),
        path,
        folder: folderOf(path),
        parameters: (Array.isArray(raw.parameters) ? raw.parameters : []) as Parameter[],
        body: isObject(media) && isObject(media.schema) ? media.schema : null,
        security: (Array.isArray(raw.security) ? raw.security : []).flatMap((each) => Object.keys(each)),
        can_succeed: Object.keys(isObject(raw.responses) ? raw.responses : {}).some(
          (status) => status < "400",
        ),
      });
    }
  return operations;
}

/** The texts that schemas name: kinds, operators, states. */
function literalsOf(value: unknown, found = new Set<string>()): string[] {
  if (Array.isArray(value)) for (const inner of value) literalsOf(inner, found);
  else if (isObject(value)) {
    for (const literal of [value.const, ...(Array.isArray(value.enum) ? value.enum : [])])
      if (typeof literal === "string") found.add(literal);
    for (const inner of Object.values(value)) literalsOf(inner, found);
  }
  return [...found];
}

const textOf = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

const encoded = (text: string): string =>
  // Halves of pairs cannot be written in UTF-8; this is how a careless client sends them.
  [...text].map((part) => (part.isWellFormed() ? encodeURIComponent(part) : "%ED%A0%80")).join("");

const JSON_TYPE = "application/json";
const FORM_TYPE = "application/x-www-form-urlencoded";

type Body = { body: string | null; type: string };

/** Bodies that are no JSON, or not the JSON that they say they are. */
const BROKEN: readonly Body[] = [
  { body: '{"a":', type: JSON_TYPE },
  { body: "", type: JSON_TYPE },
  { body: "\ud800", type: JSON_TYPE },
  { body: "[".repeat(5_000), type: JSON_TYPE },
  { body: `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`, type: JSON_TYPE },
  { body: "1e999", type: JSON_TYPE },
  { body: "null", type: JSON_TYPE },
  { body: '"text"', type: JSON_TYPE },
  { body: '{"a":1,"a":2}', type: "application/json; charset=utf-16" },
  { body: "a=1&b=%zz&data=e30", type: FORM_TYPE },
  { body: "data=bm90IGpzb24%3D", type: FORM_TYPE },
  { body: "<a/>", type: "text/xml" },
  { body: '{"a":1}', type: "text/plain" },
  { body: "--x\r\n\r\n", type: "multipart/form-data; boundary=x" },
];

/** The fields of a body's schema. */
function namesIn(document: Document, schema: Schema | null): string[] {
  const name = typeof schema?.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
  const found = name === undefined ? schema : document.components.schemas[name];
  return isObject(found?.properties) ? Object.keys(found.properties) : [];
}

/** What a caller can present; tokens change during a run. */
export type Credentials = { key: string; tokens: string[] };

/** Requests to a project: the same for the same seed, and the same answers. */
export function createRequests(
  document: Document,
  seed: number,
  known: { credentials: Credentials; foreign: Foreign; memory: ReturnType<typeof createMemory> },
) {
  const { credentials, foreign, memory } = known;
  const random = randomFrom(seed);
  const token = () => credentials.tokens.at(-1) ?? "";

  const idIn = (folder: string): unknown => {
    const draw = random.uniform();
    const theirs = foreign.ids[folder];
    if (draw < 0.06 && theirs !== undefined) return theirs;
    if (draw < 0.09) return pick(random, [0, 999_999_999, 2 ** 31, "0197d6a0-0000-7000-8000-000000000000"]);
    if (draw < 0.12) return hostile(random);
    const ids = memory.values.get(folder) ?? memory.values.get("uuid") ?? [];
    return ids.length > 0 ? pick(random, ids) : 1;
  };
  const source: Source = {
    ...random,
    schemas: document.components.schemas,
    literals: literalsOf(document),
    seen(field) {
      if (/^(api_key|token)$/.test(field)) return token();
      const folder = memory.folderOf(field);
      if (folder && /id(s|_)?$|^(cohort|person|survey|flag)s?$/.test(field)) return idIn(folder);
      const values = memory.values.get(field) ?? [];
      return values.length > 0 ? pick(random, values) : undefined;
    },
  };

  const project = (): unknown => {
    const draw = random.uniform();
    if (draw < 0.9) return 1;
    if (draw < 0.93) return "@current";
    if (draw < 0.96) return foreign.project;
    return pick(random, [0, 424_242, "x", "-1", "1e3", "9999999999", hostileText(random)]);
  };
  /** What usually stands for a parameter of a path that is no id. */
  const named: Record<string, () => unknown> = {
    project_id: project,
    token,
    key: () => source.seen("key") ?? "a",
    script: () => pick(random, ["array.js", "surveys.js", "recorder.js"]),
    organization_id: () => (chance(random, 0.7) ? "@current" : idIn("organizations")),
  };
  const pathPart = (operation: Operation, name: string): string => {
    if (chance(random, 0.04)) return hostileText(random);
    const folder = new RegExp(`(\\w+)/\\{${name}\\}`).exec(operation.path)?.[1] ?? operation.folder;
    return textOf(named[name]?.() ?? idIn(folder));
  };
  const queryOf = (operation: Operation): string => {
    const parts: string[] = [];
    for (const { in: place, name, required, schema } of operation.parameters) {
      if (place !== "query" || !chance(random, required ? 0.95 : 0.2)) continue;
      const value = chance(random, 0.25) ? hostile(random) : generate(source, schema ?? {}, name);
      parts.push(`${encoded(name)}=${encoded(textOf(value))}`);
    }
    return parts.length > 0 ? `?${parts.join("&")}` : "";
  };

  /** Most names are unique. */
  const renamed = ({ method }: Operation, body: Json): Json => {
    if (method !== "POST" && chance(random, 0.7)) return body;
    const copy = { ...body };
    for (const name of ["key", "name", "feature_flag_key", "email"])
      if (typeof copy[name] === "string")
        copy[name] = `${name}-${below(random, 1e9)}${name === "email" ? "@fuzz.test" : ""}`;
    return copy;
  };
  const past = (operation: Operation, share: number) => {
    const requests = memory.accepted.get(operation.id) ?? [];
    return requests.length > 0 && chance(random, share) ? pick(random, requests) : undefined;
  };
  /** A body that was accepted, or a record as it was answered, as much of it as the operation takes. */
  const repeatedBody = (operation: Operation): Json | null => {
    const body = parsed(past(operation, 0.7)?.body ?? "");
    if (isObject(body)) return renamed(operation, body);
    const records = memory.records.get(operation.folder) ?? [];
    if (records.length === 0 || chance(random, 0.6)) return null;
    const record = pick(random, records);
    const share = operation.method === "PATCH" ? 0.25 : 0.9;
    const kept = namesIn(document, operation.body).filter(
      (name) => name in record && record[name] !== null && chance(random, share),
    );
    return renamed(operation, Object.fromEntries(kept.map((name) => [name, record[name]])));
  };
  const formBody = (): Body => {
    const fields = [...memory.form].filter(() => chance(random, 0.9));
    const parts = fields.map(([name, value]) => {
      const sent = chance(random, 0.8) ? value || "Ann" : hostileText(random);
      return `${encoded(name)}=${encoded(sent)}`;
    });
    return { body: parts.join("&"), type: FORM_TYPE };
  };
  const bodyOf = (operation: Operation): Body => {
    if (operation.method === "GET" || (operation.method === "DELETE" && chance(random, 0.9)))
      return { body: null, type: JSON_TYPE };
    if (chance(random, 0.03)) return pick(random, BROKEN);
    if (chance(random, 0.03)) return { body: JSON.stringify(hostile(random)), type: JSON_TYPE };
    if (operation.security.length === 0 && operation.body === null) return formBody();
    let body: unknown = repeatedBody(operation) ?? (operation.body ? generate(source, operation.body) : {});
    for (let left = chance(random, 0.4) ? 1 + below(random, 3) : 0; left > 0; left -= 1)
      body = spoiled(source, body);
    return { body: JSON.stringify(body), type: JSON_TYPE };
  };
  const authorization = ({ security }: Operation): string | null => {
    if (security.length === 0) return null;
    const right = security.includes("project_token") ? token() : credentials.key;
    const draw = random.uniform();
    if (draw < 0.98) return `Bearer ${right}`;
    return draw < 0.99 ? null : `Bearer ${pick(random, ["phx_unknown", "phs_unknown", token(), "x"])}`;
  };
  /** What was accepted with a token that has been replaced since. */
  const current = (text: string): string =>
    credentials.tokens.reduce((changed, old) => changed.replaceAll(old, token()), text);

  return {
    random,
    next(operations: readonly Operation[]): Sent {
      let operation = pick(random, operations);
      // Something has to be left to read.
      if (operation.method === "DELETE" && chance(random, 0.7)) operation = pick(random, operations);
      const path =
        past(operation, 0.3)?.path ??
        operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(pathPart(operation, name))) +
          queryOf(operation);
      const { body, type } = bodyOf(operation);
      const bearer = authorization(operation);
      const headers = {
        ...(body !== null && { "content-type": type }),
        ...(bearer !== null && { authorization: bearer }),
      };
      // Now and then a method that the path does not have.
      const method = chance(random, 0.01) ? pick(random, METHODS).toUpperCase() : operation.method;
      return {
        operation,
        method,
        path: current(path),
        headers,
        body: body === null || method === "GET" ? null : current(body),
      };
    },
  };
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The request as a line for a shell, without the key. */
export function asCurl({ method, path, headers, body }: Sent): string {
  const parts = ["curl", "-X", method, quoted(`$URL${path}`)];
  for (const [name, value] of Object.entries(headers))
    parts.push("-H", quoted(`${name}: ${value.replace(/^Bearer .*/, "Bearer $KEY")}`));
  if (body !== null)
    parts.push("--data-binary", quoted(body.length > 2_000 ? `${body.slice(0, 2_000)}…` : body));
  return parts.join(" ");
}
