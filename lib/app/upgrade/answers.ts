import { isObject } from "#lib/engines/json.ts";

/** A request that changes nothing. */
export type Read = {
  /** The pattern of its path. */
  operation: string;
  path: string;
  /** Of a POST that only reads. */
  body?: string;
  /** Whose read it is; none: the path or the body has all it takes. */
  key?: string;
};

/** The status of what was not answered at all; `body` says why. */
export const UNANSWERED = 0;

export type Answer = { status: number; body: unknown };

/** Where two answers differ; `undefined`: there is nothing at that place. */
export type Difference = { place: string; earlier: unknown; later: unknown };

/** Fields that are never the same twice: ids that every request gets, and a time in milliseconds. */
const DIFFERENT_BY_NATURE = new Set(["evaluatedAt", "requestId", "request_id"]);

/** A read that takes longer has failed. */
const READ_LIMIT_MS = 120_000;

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;

const isBetween = (moment: number, from: number, to: number) => moment >= from && moment <= to;

/** What an answer says, without what differs by nature: moments since `began`, too. */
export function comparable(value: unknown, began: number): unknown {
  if (typeof value === "string")
    return value.replace(INSTANT, (text) =>
      isBetween(Date.parse(text), began, Date.now()) ? "during the rehearsal" : text,
    );
  if (Array.isArray(value)) return value.map((each) => comparable(each, began));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !DIFFERENT_BY_NATURE.has(name))
      .map(([name, each]) => [name, comparable(each, began)]),
  );
}

/**
 * Asks a version. Its own address, which answers contain, and what differs by nature is left out.
 *
 * @param began when both versions had the same data, in ms
 */
export async function ask(
  address: string,
  { path, body, key }: Read,
  began = Number.POSITIVE_INFINITY,
): Promise<Answer> {
  try {
    const response = await fetch(address + path, {
      method: body === undefined ? "GET" : "POST",
      redirect: "manual",
      headers: {
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(READ_LIMIT_MS),
    });
    const text = (await response.text()).replaceAll(address, "");
    const isJson = /^application\/json/.test(response.headers.get("content-type") ?? "") && text !== "";
    return { status: response.status, body: comparable(isJson ? JSON.parse(text) : text, began) };
  } catch (error) {
    return { status: UNANSWERED, body: error instanceof Error ? `no answer (${error.name})` : "no answer" };
  }
}

const membersOf = (value: unknown): Map<string, unknown> | null => {
  if (Array.isArray(value)) return new Map(value.map((each, i) => [`[${i}]`, each]));
  return isObject(value) ? new Map(Object.entries(value).map(([name, each]) => [`.${name}`, each])) : null;
};

/** The places at which two values differ. */
export function differences(earlier: unknown, later: unknown, place = ""): Difference[] {
  const [a, b] = [membersOf(earlier), membersOf(later)];
  if (a && b && Array.isArray(earlier) === Array.isArray(later))
    return [...new Set([...a.keys(), ...b.keys()])].flatMap((name) =>
      differences(a.get(name), b.get(name), place + name),
    );
  return Object.is(earlier, later) ? [] : [{ place: place || "the answer", earlier, later }];
}

/** Whether a difference is no more than a field that earlier answers did not have. */
export const isNewField = ({ place, earlier }: Difference): boolean =>
  earlier === undefined && /\.[^.\]]+$/.test(place);
