/** What every answer has to be like, and what a write has to lead to. */

import { setTimeout as delay } from "node:timers/promises";
import { isObject, type Json } from "#lib/engines/json.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { documentedBy } from "#testing/documented.ts";
import { textOf } from "#testing/streams.ts";
import { contents, differing } from "./database.ts";
import { parsed } from "./memory.ts";
import { asCurl, type Document, type Operation, type Sent } from "./requests.ts";

/** An answer that begins later than this counts as none. All of it, such as an export of everything, may take three times as long. */
const SLOWEST_MS = 5_000;
/** Steps that are remembered, to say what led to a problem. */
const STEPS = 20_000;

export type Problem = { what: string; curl: string; before: string[] };

export type Answer = { status: number; text: string; json: unknown; ms: number; response: Response | null };

type Fault = { about: string; what: string };

/** Ids of records in a path. */
export const idsIn = (path: string): string[] =>
  path
    .replace(/^\/api\/(projects|environments)\/[^/]*/, "")
    .split(/[/?]/)
    .filter((part) => /^(\d{1,9}|[0-9a-f-]{36})$/.test(part));

const idOf = (answer: unknown): unknown => (isObject(answer) ? (answer.id ?? answer.uuid) : undefined);

export function createSender(address: string) {
  return async ({ method, path, headers, body }: Sent): Promise<Answer> => {
    const began = performance.now();
    const signal = AbortSignal.timeout(3 * SLOWEST_MS);
    try {
      const response = await fetch(address + path, { method, headers, body, redirect: "manual", signal });
      const ms = performance.now() - began;
      const text = await textOf(response);
      const isJson = response.headers.get("content-type")?.includes("json");
      return { status: response.status, text, json: isJson ? parsed(text) : undefined, ms, response };
    } catch (error) {
      return {
        status: 0,
        text: String(error),
        json: undefined,
        ms: performance.now() - began,
        response: null,
      };
    }
  };
}

/**
 * Finds what is wrong with an answer by itself.
 *
 * @param mark is part of every text of a project that the caller does not open
 */
export function createJudge(document: Document, mark: string) {
  const undocumented = documentedBy(document);
  return (sent: Sent, { status, text, ms, response }: Answer): Fault | null => {
    if (response === null) return { about: "no answer", what: text };
    if (status >= 500 && status !== 503) return { about: String(status), what: text.slice(0, 300) };
    if (status === 503 && !response.headers.has("retry-after"))
      return { about: "503 without Retry-After", what: text };
    if (ms > SLOWEST_MS) return { about: "slow", what: `${Math.round(ms)} ms` };
    if (text.includes(mark) && !sent.path.includes(mark) && !sent.body?.includes(mark))
      return { about: "something of another project", what: text.slice(0, 300) };
    const { pathname } = new URL(sent.path, "http://localhost");
    const missing = undocumented(sent.method, pathname, response, text);
    return missing ? { about: `undocumented ${missing}`, what: text.slice(0, 300) } : null;
  };
}

/** Problems of a run, each once, with the writes that the request builds on. */
export function createNotes() {
  const problems = new Map<string, Problem>();
  const steps: { curl: string; ids: string[] }[] = [];
  return {
    problems,
    has: ({ operation }: Sent, { about }: Fault) => problems.has(`${operation.id}: ${about}`),
    add(sent: Sent, { about, what }: Fault): void {
      const name = `${sent.operation.id}: ${about}`;
      if (problems.has(name)) return;
      const ids = idsIn(sent.path);
      const before = steps.filter((step) => step.ids.some((id) => ids.includes(id))).slice(-6);
      problems.set(name, {
        what: `${name}: ${what}`,
        curl: asCurl(sent),
        before: before.map(({ curl }) => curl),
      });
    },
    general(what: string): void {
      problems.set(what, { what, curl: "", before: [] });
    },
    step(sent: Sent, answer: Answer): void {
      const id = idOf(answer.json);
      steps.push({
        curl: asCurl(sent),
        ids: [...idsIn(sent.path), ...(id === undefined ? [] : [String(id)])],
      });
      if (steps.length > STEPS) steps.splice(0, STEPS / 2);
    },
  };
}

type Send = ReturnType<typeof createSender>;
type Notes = ReturnType<typeof createNotes>;

/** Ways to leave out a part of a body: its fields, and those of the fields. */
function smallerThan(body: unknown): ((current: unknown) => unknown)[] {
  if (!isObject(body)) return [];
  const without = (value: unknown, [name = "", ...rest]: string[]): unknown => {
    if (!isObject(value) || !(name in value)) return undefined;
    if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([each]) => each !== name));
    const inner = without(value[name], rest);
    return inner === undefined ? undefined : { ...value, [name]: inner };
  };
  const paths = Object.entries(body).flatMap(([name, value]) => [
    [name],
    ...(isObject(value) ? Object.keys(value).map((inner) => [name, inner]) : []),
  ]);
  return paths.slice(0, 60).map((path) => (current: unknown) => without(current, path));
}

/** The same request without what its failure does not need. */
export async function shortened(sent: Sent, fails: (candidate: Sent) => Promise<boolean>): Promise<Sent> {
  let shortest = sent;
  const attempt = async (candidate: Sent) => {
    if (await fails(candidate)) shortest = candidate;
  };
  const [path = "", query = ""] = sent.path.split("?");
  for (const part of query.split("&").filter(Boolean)) {
    const left = (shortest.path.split("?")[1] ?? "").split("&").filter((each) => each !== part);
    await attempt({ ...shortest, path: left.length > 0 ? `${path}?${left.join("&")}` : path });
  }
  for (const smaller of smallerThan(parsed(sent.body ?? ""))) {
    const next = smaller(parsed(shortest.body ?? ""));
    if (next !== undefined) await attempt({ ...shortest, body: JSON.stringify(next) });
  }
  return shortest;
}

/** Fields that tell about the moment of an answer, or that only the answer to a create has. */
const VOLATILE =
  /^(value|secret_api_token|api_token|.*_at|.*_count|count|status|version|.*checks?|version_id|stats|is_calculating|last_.*|bytes|surveys|experiment_set|features)$/;

/** Top-level fields that two records both have, but not alike. */
function differingFields(one: Json, other: Json, names = Object.keys(one)): Fault[] {
  return names
    .filter((name) => name in one && name in other && !VOLATILE.test(name))
    .filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name]))
    .map((name) => ({
      about: name,
      what: `${JSON.stringify(one[name])} becomes ${JSON.stringify(other[name])}`,
    }));
}

/** Follows writes: what was created can be read, what was deleted cannot, and a change can be repeated. */
export function createFollower(given: {
  operations: readonly Operation[];
  headers: Record<string, string>;
  send: Send;
  notes: Notes;
}) {
  const { operations, headers, send, notes } = given;

  /** A read of the record that a write was about. */
  const reading = (sent: Sent, id: unknown): Sent | null => {
    const pattern = sent.operation.path.endsWith("{id}/")
      ? sent.operation.path
      : `${sent.operation.path}{id}/`;
    const operation = operations.find(({ method, path }) => method === "GET" && path === pattern);
    const [base = ""] = sent.path.split("?");
    const path = sent.operation.path.endsWith("{id}/") ? base : `${base}${id}/`;
    return operation ? { operation, method: "GET", path, headers, body: null } : null;
  };
  const checkDeleted = async (sent: Sent) => {
    const read = reading(sent, null);
    const gone = read && (await send(read));
    if (gone && gone.status !== 404)
      notes.add(sent, { about: "deleted", what: `is read with ${gone.status} afterwards` });
  };
  const checkCreated = async (sent: Sent, record: Json) => {
    const read = reading(sent, idOf(record));
    const again = read && (await send(read));
    if (again && again.status !== 200 && record.deleted !== true)
      notes.add(sent, { about: "created", what: `is read with ${again.status} afterwards` });
    if (again?.status === 200 && isObject(again.json))
      for (const { about, what } of differingFields(record, again.json))
        notes.add(sent, { about: `created ${about}`, what });
  };
  const checkRepeated = async (sent: Sent, record: Json) => {
    const body = parsed(sent.body ?? "");
    const again = await send(sent);
    if (again.status >= 500)
      notes.add(sent, { about: `repeated: ${again.status}`, what: again.text.slice(0, 300) });
    if (again.status !== 200 || !isObject(again.json)) return;
    for (const { about, what } of differingFields(
      record,
      again.json,
      isObject(body) ? Object.keys(body) : [],
    ))
      notes.add(sent, { about: `repeated ${about}`, what });
  };

  return async (sent: Sent, answer: Answer, isSampled: boolean): Promise<void> => {
    const record = isObject(answer.json) ? answer.json : null;
    if (sent.method === "DELETE" && answer.status === 204) await checkDeleted(sent);
    if (!record) return;
    if (sent.method === "POST" && answer.status === 201 && idOf(record) !== undefined)
      await checkCreated(sent, record);
    if (sent.method === "PATCH" && answer.status === 200 && isSampled) await checkRepeated(sent, record);
  };
}

/** Work that is due at that moment, such as an erasure, is done by then. */
const WORK_MS = 10_000;

/** Whether a refused request leaves everything as it was: what it changes, it changes each time that it is sent. */
export async function checkRefusal(db: Db, send: Send, notes: Notes, sent: Sent): Promise<void> {
  let always: string[] | undefined;
  for (const ends = Date.now() + WORK_MS; Date.now() < ends; await delay(50)) {
    const before = await contents(db);
    const { status } = await send(sent);
    const changed = differing(before, await contents(db));
    always = always?.filter((name) => changed.includes(name)) ?? changed;
    if (status < 400 || always.length === 0) return;
  }
  notes.add(sent, { about: "refused", what: `changes ${always?.join(", ")}` });
}
