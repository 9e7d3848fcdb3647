import { z } from "zod";
import { isObject, type Json } from "#lib/engines/json.ts";
import { type Answer, ask, type Read } from "./answers.ts";

/**
 * Not about what is stored: scripts, the description of the API, figures of the process itself. Or never the same twice:
 * reports, bundles and the audit log are signed, with their time, and every read of results is a further look.
 */
const LEFT_OUT =
  /^\/(static\/|flags\/(definitions\/)?stream\/|api\/.*\/(sdk_instances\/|receipt\/$|audit_log\/)|api\/(schema|instance_status|relay_bundle)\/|healthz|readyz|metrics|api\/.*\/experiments\/\{id\}\/(report|looks)\/$)/;

/** Parameters that are not documented as required, but are. */
const NEEDED = new Set(["distinct_id", "fingerprint", "group_type_index", "key", "metric_uuid"]);

const DAY_MS = 86_400_000;
/** Of each list, so many records are asked for: the first, the last, and what is between. */
const RECORDS = 3;
const PROJECTS = 10;
/** Somebody of whom nothing is stored. */
const STRANGER = "somebody-unknown";
/** Flags are evaluated for so many people of each project. */
const PEOPLE = 20;
/** Of more than these, the rest is left out. */
export const READS_MAX = 3_000;

const parameterSchema = z.object({
  in: z.string(),
  name: z.string(),
  required: z.boolean().optional(),
  schema: z.looseObject({ enum: z.array(z.string()).optional() }).optional(),
});

type Parameter = z.infer<typeof parameterSchema>;

const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.object({
      get: z
        .object({
          parameters: z.array(parameterSchema).default([]),
          security: z.array(z.record(z.string(), z.unknown())).default([]),
        })
        .optional(),
    }),
  ),
});

/** The project of a path. */
const PROJECT = /^\/api\/(?:projects|environments)\/(\d+)\//;

/** A path, and the record that it is about. */
type Place = { path: string; record: Json };

/** The records of a list, however it is wrapped. */
function recordsOf({ status, body }: Answer): Json[] {
  if (status !== 200) return [];
  return recordsIn(isObject(body) ? body.results : body);
}

const spread = (records: readonly Json[]): Json[] =>
  records.filter((_, i) => {
    const step = Math.max(1, (records.length - 1) / (RECORDS - 1));
    return Math.round(Math.round(i / step) * step) === i;
  });

const idOf = ({ id, uuid, key }: Json): string | null => {
  const found = id ?? uuid ?? key;
  return typeof found === "string" || typeof found === "number" ? String(found) : null;
};

const recordsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** What records know of parameters that an answer is about: metrics of experiments, questions of surveys, ids of people. */
function parametersIn({ metrics, questions, distinct_ids }: Json): Record<string, unknown> {
  const [metric] = recordsIn(metrics);
  const [question, other = question] = recordsIn(questions);
  return {
    metric_uuid: metric?.uuid,
    fingerprint: metric?.fingerprint,
    question_id: question?.id,
    question_a: question?.id,
    question_b: other?.id,
    distinct_id: Array.isArray(distinct_ids) ? distinct_ids[0] : undefined,
  };
}

/** What is asked. */
type Chosen = {
  reads: Read[];
  /** Patterns of paths for which there is no record to ask about. */
  unasked: string[];
  /** Reads beyond the most that are asked. */
  left_out: number;
};

type Operation = { path: string; parameters: Parameter[]; isOfToken: boolean };

/** The GETs that a version documents. */
async function operationsOf(address: string): Promise<Operation[]> {
  const { body } = await ask(address, { operation: "", path: "/api/schema/" });
  return Object.entries(documentSchema.parse(body).paths).flatMap(([path, { get }]) => {
    if (!get || LEFT_OUT.test(path)) return [];
    const { parameters, security } = get;
    return [{ path, parameters, isOfToken: security.some((each) => "project_token" in each) }];
  });
}

/** Which operation a path is of; those with more fixed parts come first. */
function matcherOf(operations: readonly Operation[]) {
  const fixed = (path: string) => path.replace(/\{\w+\}/g, "").length;
  const patterns = operations
    .toSorted((a, b) => fixed(b.path) - fixed(a.path))
    .map((operation) => {
      const source = operation.path
        .replace(/\/$/, "")
        .replace(/[.]/g, "\\.")
        .replace(/\{\w+\}/g, "[^/]+");
      return { operation, pattern: new RegExp(`^${source}/?$`) };
    });
  return (target: string) => {
    const [path = ""] = target.split("?");
    return patterns.find(({ pattern }) => pattern.test(path))?.operation;
  };
}

/**
 * What an access log names, as far as the version documents it; then every GET that it documents, for records that it
 * lists, and the values of flags for some people of each project.
 *
 * @param keys of people who together may read everything
 * @param logged paths with their queries
 */
export async function chooseReads(
  address: string,
  keys: readonly string[],
  logged: readonly string[],
): Promise<Chosen> {
  const operations = await operationsOf(address);
  const operationOf = matcherOf(operations);
  const reads = new Map<string, Read>();
  const asked = new Set<string>();
  let leftOut = 0;
  const add = (read: Read) => {
    asked.add(read.operation);
    const id = `${read.path} ${read.body ?? ""}`;
    if (reads.has(id)) return;
    if (reads.size < READS_MAX) reads.set(id, read);
    else leftOut += 1;
  };
  for (const key of keys) {
    const world = await explore(address, key);
    const keyFor = ({ isOfToken }: Operation) => (isOfToken ? world.token : key);
    for (const path of logged) {
      const operation = operationOf(path);
      if (operation && world.knows(path)) add({ operation: operation.path, path, key: keyFor(operation) });
    }
    for (const operation of operations)
      for (const place of await world.resolve(operation.path)) {
        const query = await world.queryOf(place, operation.parameters);
        add({ operation: operation.path, path: place.path + query, key: keyFor(operation) });
      }
    for (const { token, people } of await world.audiences())
      for (const distinct_id of people)
        add({
          operation: "POST /flags/",
          path: "/flags/?v=2",
          body: JSON.stringify({ token, distinct_id }),
        });
  }
  const unasked = operations.flatMap(({ path }) => (asked.has(path) ? [] : path));
  return { reads: [...reads.values()], unasked, left_out: leftOut };
}

/** What somebody can find at a version, each list asked for once. */
async function explore(address: string, key: string) {
  const lists = new Map<string, Promise<Json[]>>();
  const list = (path: string): Promise<Json[]> => {
    const known = lists.get(path) ?? ask(address, { operation: path, path, key }).then(recordsOf);
    lists.set(path, known);
    return known;
  };
  const projects = (await list("/api/projects/")).slice(0, PROJECTS);
  const first = idOf(projects[0] ?? {}) ?? "";
  const token = typeof projects[0]?.api_token === "string" ? projects[0].api_token : "";

  /** The values that a parameter of a path can have. */
  async function candidates(before: string, name: string): Promise<[value: string, record: Json][]> {
    if (name === "token")
      return projects.flatMap((project) =>
        typeof project.api_token === "string" ? [[project.api_token, project]] : [],
      );
    const records = name === "project_id" ? projects : spread(await list(before));
    return records.flatMap((record) => {
      const id = idOf(record);
      return id === null ? [] : [[id, record]];
    });
  }

  /** Every path of a pattern. */
  async function resolve(pattern: string): Promise<Place[]> {
    const [, before, name, after] = /^(.*)\{(\w+)\}([^{]*)$/.exec(pattern) ?? [];
    if (before === undefined || name === undefined) return [{ path: pattern, record: {} }];
    const places: Place[] = [];
    for (const outer of await resolve(before))
      for (const [value, record] of await candidates(outer.path, name))
        places.push({ path: `${outer.path}${encodeURIComponent(value)}${after ?? ""}`, record });
    return places;
  }

  /** Distinct ids of people of a project. */
  async function peopleOf(project: string): Promise<string[]> {
    const persons = await list(`/api/projects/${project}/persons/?limit=${PEOPLE}`);
    return persons.flatMap(({ distinct_ids }) =>
      Array.isArray(distinct_ids) && typeof distinct_ids[0] === "string" ? distinct_ids[0] : [],
    );
  }

  const all = new Set((await list("/api/projects/")).map(idOf));

  return {
    resolve,
    /** Whether a path is of a project that they see, or of none. */
    knows(path: string): boolean {
      const [, project] = PROJECT.exec(path) ?? [];
      return project === undefined || all.has(project);
    },
    token,
    /** Values of parameters without which an answer would only be a refusal. */
    async queryOf({ path, record }: Place, parameters: readonly Parameter[]): Promise<string> {
      const [, project = first] = PROJECT.exec(path) ?? [];
      const neighbours = () => list(path.replace(/[^/]+\/$/, ""));
      const inRecord = parametersIn(record);
      const known: Record<string, () => unknown> = {
        token: () => projects.find((each) => idOf(each) === project)?.api_token,
        distinct_id: async () => (await peopleOf(project))[0] ?? STRANGER,
        ids: async () =>
          spread(await neighbours())
            .map(idOf)
            .join(","),
        key: async () => (await neighbours())[0]?.name,
        group_type_index: () => "0",
        at: () => new Date().toISOString(),
        from: () => new Date(Date.now() - DAY_MS).toISOString(),
        to: () => new Date().toISOString(),
      };
      const given: string[] = [];
      for (const { in: where, name, required, schema } of parameters) {
        if (where !== "query" || !(required || NEEDED.has(name))) continue;
        const value = schema?.enum?.[0] ?? inRecord[name] ?? (await known[name]?.());
        if (typeof value === "string") given.push(`${name}=${encodeURIComponent(value)}`);
      }
      return given.length > 0 ? `?${given.join("&")}` : "";
    },
    /** Of each project, its token and people, among them one who is unknown. */
    async audiences(): Promise<{ token: string; people: string[] }[]> {
      const found: { token: string; people: string[] }[] = [];
      for (const project of projects)
        if (typeof project.api_token === "string")
          found.push({
            token: project.api_token,
            people: [...(await peopleOf(idOf(project) ?? "")), STRANGER],
          });
      return found;
    },
  };
}
