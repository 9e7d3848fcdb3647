/** What the fuzzer has learned from answers: ids to follow, records to send back, requests that were accepted. */
import { isObject, type Json } from "#lib/engines/json.ts";

/** A project that the key does not open, and ids of its records by folder. */
export type Foreign = { project: number; ids: Readonly<Record<string, string | number>> };

type Accepted = { path: string; body: string | null };

const REMEMBERED = 40;
/** The first ones stay: records that everything else refers to. */
const KEPT = 10;

/** What a text says as JSON; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function keep<T>(map: Map<string, T[]>, name: string, value: T): void {
  const known = map.get(name) ?? [];
  known.push(value);
  if (known.length > REMEMBERED) known.splice(KEPT + (known.length % KEPT), 1);
  map.set(name, known);
}

const isId = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** Every field of an answer and of what is in it, as far as ten records and a few levels. */
function* fieldsOf(value: unknown, depth = 0): Generator<[string, string | number]> {
  if (depth > 4) return;
  if (Array.isArray(value)) for (const inner of value.slice(0, 10)) yield* fieldsOf(inner, depth + 1);
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value))
    if (isId(inner)) yield [name, inner];
    else yield* fieldsOf(inner, depth + 1);
}

const WORTH_KNOWING = /(^|_)(id|uuid|key|name|email|event|fingerprint|type|query)$/;

/**
 * @param secret an id that is never learned: nothing may happen to that record
 */
export function createMemory(foreign: Foreign, secret: string) {
  const values = new Map<string, unknown[]>();
  const records = new Map<string, Json[]>();
  const accepted = new Map<string, Accepted[]>();
  const form = new Map<string, string>();
  const folders = Object.keys(foreign.ids);

  return {
    /** Values by the name of their field or, for ids, of the folder. */
    values,
    /** Records by folder. */
    records,
    /** By operation. */
    accepted,
    /** What a form would send that nobody has changed, by the names of its fields. */
    form,
    /** The folder of the records that a field names: `linked_flag_id` names one of `feature_flags`. */
    folderOf(field: string): string | undefined {
      const stem =
        field
          .replace(/(_?ids?|_?uuids?)$/, "")
          .split("_")
          .at(-1) ?? "";
      return stem === "" ? undefined : folders.find((folder) => folder.replace(/s$/, "").endsWith(stem));
    },
    accept(operation: string, { path, body }: Accepted): void {
      const isJson = body !== null && isObject(parsed(body));
      keep(accepted, operation, { path, body: isJson ? body : null });
    },
    /** Deleted ids stay among the values on purpose; records that are gone are not sent back. */
    forget(folder: string, id: string): void {
      const left = (records.get(folder) ?? []).filter((record) => String(record.id) !== id);
      records.set(folder, left);
    },
    learn(folder: string, answer: unknown): void {
      for (const [name, value] of fieldsOf(answer))
        if (WORTH_KNOWING.test(name) && value !== secret) keep(values, name, value);
      const found = isObject(answer) && Array.isArray(answer.results) ? answer.results : [answer];
      for (const record of found.slice(0, 5)) {
        if (!isObject(record)) continue;
        const id = record.id ?? record.uuid;
        if (!isId(id) || id === secret) continue;
        keep(values, folder, id);
        keep(records, folder, record);
      }
    },
    learnForm(page: string): void {
      for (const [, name = "", value = ""] of page.matchAll(/ name="([^"]+)"(?:[^>]* value="([^"]*)")?/g))
        if (form.has(name) || form.size < REMEMBERED) form.set(name, value);
    },
  };
}
