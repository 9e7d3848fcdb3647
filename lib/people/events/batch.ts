import { jsonOf, parseBoundedJson } from "#lib/platform/http/body/body.ts";
import { holdsMoreValuesThan } from "#lib/platform/http/body/json-values.ts";
import { createSlices, yieldToEventLoop } from "#lib/platform/http/body/slices.ts";
import { invalid, requestTooLarge, unreadable } from "#lib/platform/http/errors.ts";
import { BatchLayout } from "./batch-layout.ts";
import { EVENT_BYTES_LIMIT, EVENT_TOO_LARGE, EVENT_TOO_MANY_VALUES, EVENT_VALUES_LIMIT } from "./event.ts";

/** How many events one request may carry. SDKs send 20 to 100 at once, imports a few thousand. */
const BATCH_EVENTS_LIMIT = 10_000;
/** How many values (see `holdsMoreValuesThan`) all events of a request may hold. */
const BATCH_VALUES_LIMIT = 2_000_000;

/** A body up to this size is parsed at once. */
const SMALL_BATCH = 64 * 1024;
/** So much of a larger one is parsed at once, unless a single event is larger. */
const GROUP_BYTES = 64 * 1024;
/** So much of it is looked through at once for where its events begin and end. */
const SCAN_BYTES = 256 * 1024;

/** An event of a request as it was sent, or why it is refused unread. */
export type Entry = { raw: unknown; refusal: string | null };

/** The events of a request and what is around them. */
export type Batch = {
  /** The object around the events, `batch` itself apart; the event where there is only one; {} around a list. */
  outer: Record<string, unknown>;
  count: number;
  /** All events, some at a time, in order; to be read to its end before any of them is stored. */
  groups: () => AsyncIterable<Entry[]> | Iterable<Entry[]>;
};

function refuseTooMany(count: number): void {
  if (count > BATCH_EVENTS_LIMIT)
    throw requestTooLarge(
      `The request has ${count} events; at most ${BATCH_EVENTS_LIMIT} are accepted. Send it in parts.`,
    );
}

/** The batch that a small body is. */
function batchOf(value: unknown): Batch {
  if (typeof value !== "object" || value === null)
    throw unreadable("The body is neither an event nor a list of events.");
  const outer = Array.isArray(value) ? {} : (value as Record<string, unknown>);
  const events = Array.isArray(value) ? value : "batch" in outer ? outer.batch : [outer];
  if (!Array.isArray(events)) throw invalid("batch must be a list of events.", "batch");
  refuseTooMany(events.length);
  return { outer, count: events.length, groups: () => [events.map((raw) => ({ raw, refusal: null }))] };
}

type Slices = ReturnType<typeof createSlices>;

async function layoutOf(bytes: Buffer, slices: Slices): Promise<BatchLayout> {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const layout = new BatchLayout(bytes, hasMark ? 3 : 0, BATCH_EVENTS_LIMIT);
  while (layout.scan(SCAN_BYTES)) await slices();
  return layout;
}

/** What is around the list of events; where there is no list, the body as a whole is one event. */
function outerOf(bytes: Buffer, list: BatchLayout["list"]): unknown {
  if (list === null) {
    if (bytes.length > EVENT_BYTES_LIMIT) throw invalid(EVENT_TOO_LARGE);
    if (holdsMoreValuesThan(EVENT_VALUES_LIMIT, bytes)) throw invalid(EVENT_TOO_MANY_VALUES);
    return jsonOf(bytes);
  }
  const around = [bytes.subarray(0, list.start), Buffer.from("[]"), bytes.subarray(list.end)];
  const size = bytes.length - (list.end - list.start);
  if (size > EVENT_BYTES_LIMIT)
    throw requestTooLarge(`The fields beside the events are larger than ${EVENT_BYTES_LIMIT} bytes.`);
  return parseBoundedJson(Buffer.concat(around), EVENT_VALUES_LIMIT);
}

type Place = BatchLayout["events"][number];

const refusalOf = ({ start, end, values }: Place): string | null => {
  if (end - start > EVENT_BYTES_LIMIT) return EVENT_TOO_LARGE;
  return values > EVENT_VALUES_LIMIT ? EVENT_TOO_MANY_VALUES : null;
};

/** Neighbours of which each can be read, about `GROUP_BYTES` together; a refused one is processed alone. */
function* neighbours(places: Place[]): Iterable<Place[]> {
  let group: Place[] = [];
  let size = 0;
  for (const place of places) {
    const length = place.end - place.start;
    if (group.length > 0 && (size + length > GROUP_BYTES || refusalOf(place) !== null)) {
      yield group;
      group = [];
      size = 0;
    }
    group.push(place);
    size += refusalOf(place) === null ? length : GROUP_BYTES;
  }
  if (group.length > 0) yield group;
}

async function* groupsOf(bytes: Buffer, places: Place[], slices: Slices): AsyncGenerator<Entry[]> {
  for (const group of neighbours(places)) {
    await slices();
    const [first] = group;
    const refusal = first ? refusalOf(first) : null;
    if (refusal !== null) yield [{ raw: null, refusal }];
    else {
      const text = bytes.subarray(first?.start, group.at(-1)?.end);
      const events = jsonOf(Buffer.concat([Buffer.from("["), text, Buffer.from("]")])) as unknown[];
      yield events.map((raw) => ({ raw, refusal: null }));
    }
  }
}

/**
 * Reads the JSON of a capture request. A large one is parsed a few events at a time, so that nobody else has to
 * wait for it.
 *
 * @throws ApiError 400 where it cannot be read, 413 where it holds too many events or values
 */
export async function readBatch(bytes: Buffer): Promise<Batch> {
  if (bytes.length <= SMALL_BATCH) return batchOf(jsonOf(bytes));
  await yieldToEventLoop();
  const slices = createSlices();
  const layout = await layoutOf(bytes, slices);
  if (layout.isTorn) throw unreadable("JSON parse error - The list of events is not closed.");
  refuseTooMany(layout.count);
  if (layout.values > BATCH_VALUES_LIMIT)
    throw requestTooLarge(`The request has more than ${BATCH_VALUES_LIMIT} values.`);
  const outer = outerOf(bytes, layout.list);
  if (layout.list === null) return batchOf(outer);
  return {
    outer: Array.isArray(outer) ? {} : (outer as Record<string, unknown>),
    count: layout.count,
    groups: () => groupsOf(bytes, layout.events, slices),
  };
}
