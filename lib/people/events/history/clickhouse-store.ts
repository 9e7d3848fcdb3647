import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  type InsertParams,
} from "@clickhouse/client";
import type { KeptName } from "#lib/people/event_deletions/retained-store.ts";
import type { GoneEvents } from "#lib/people/event_deletions/store.ts";
import type { EventFilter, EventRow } from "#lib/people/events/store.ts";
import { errorCode } from "#lib/platform/db/errors.ts";
import { createTables } from "./ddl.ts";
import type { DayFigures, HistoryStore, Period } from "./store.ts";

/** Whose copy a database of ClickHouse holds. */
export type CopyIdentity = { id: string; generation: number };

/** The columns of an event as it is copied; `person_id` is 0 for nobody, `flag` empty except for calls of one. */
const COPIED: [string, ...string[]] = [
  "project_id",
  "uuid",
  "event",
  "distinct_id",
  "person_id",
  "timestamp",
  "properties",
  "flag",
];

/** Events of `person_id` are `is_now`'s; of several rows for a person, the one with the highest version says whose. */
export type PersonOverride = { project_id: number; person_id: number; is_now: number; version: number };

/** An event of somebody, as an export of a person has it. */
export type PersonEvent = {
  uuid: string;
  event: string;
  distinct_id: string;
  /** ISO 8601 with microseconds. */
  timestamp: string;
  properties: Record<string, unknown>;
  /** Microseconds since 1970. */
  at: string;
};

/** Events of somebody before a moment, in the order of time, after one of them. */
export type PersonEvents = {
  project_id: number;
  distinct_ids: readonly string[];
  after: { at: string; uuid: string } | null;
  /** Milliseconds since 1970, exclusive. */
  before: number;
};

/** An event of a day. */
export type DayEvent = {
  uuid: string;
  event: string;
  distinct_id: string;
  timestamp_us: string;
  /** JSON, as PostgreSQL wrote it. */
  properties: string;
};

/** More distinct ids than these do not fit in the address of a request to ClickHouse. */
export const DISTINCT_IDS = 200;

/** The copy of the events in ClickHouse. Whatever is written twice is there once. */
export type HistoryCopy = HistoryStore & {
  /** Null: it is empty. */
  identity(): Promise<CopyIdentity | null>;
  /** Empties it but for the events that only it has, and makes its tables where they are missing. */
  reset(kept: readonly KeptName[]): Promise<void>;
  /** @param of up to 200 distinct ids */
  personEvents(of: PersonEvents, limit: number): Promise<(PersonEvent & { day: string; hash: string })[]>;
  /** All events of a day, by name and time, some at a time. */
  dayEvents(of: { project_id: number; day: string }): AsyncGenerator<DayEvent[]>;
  identify(identity: CopyIdentity): Promise<void>;
  /**
   * @param lines in the format TabSeparated, with the columns of COPIED
   * @param token the same for the same batch: it is then stored once
   */
  insertEvents(lines: readonly string[], token?: string): Promise<void>;
  insertOverrides(rows: readonly PersonOverride[]): Promise<void>;
  /** Removes events from the disk: returns when that is done. */
  deleteEvents(gone: GoneEvents): Promise<void>;
  deleteDays(projectId: number, days: readonly { day: string; event: string }[]): Promise<void>;
  /** Writes overrides into the events, and then forgets them. @returns how many there were */
  foldOverrides(): Promise<number>;
  close(): Promise<void>;
};

/** What went wrong with ClickHouse, without the data that it went wrong with. */
export class HistoryError extends Error {
  override name = "HistoryError";
  /** ClickHouse's number of the error. */
  readonly code?: string;

  constructor(message: string, code?: string) {
    super(message);
    if (code !== undefined) this.code = code;
  }
}

const UNKNOWN_TABLE = "60";

const nameOf = (error: unknown) =>
  error instanceof Error && error.message !== "Timeout error." ? error.name : "it took too long";

function withoutData(error: unknown): never {
  if (error instanceof ClickHouseError)
    throw new HistoryError(`ClickHouse answered with error ${error.code} (${error.type}).`, error.code);
  // Its message may be what a server of another kind or version answered.
  throw new HistoryError(`ClickHouse cannot be reached (${errorCode(error) ?? nameOf(error)}).`);
}

/** How long a batch or a mutation may take, in ms. */
const WRITE_LIMIT_MS = 300_000;
/** How long the events of a day may take, with what is done with them meanwhile. */
const DAY_LIMIT_MS = 3_600_000;
/** How long a page may take before PostgreSQL is asked instead. */
const PAGE_LIMIT_MS = 5_000;
/** Person overrides that are folded at once. */
const FOLDED = 1_000;

const literal = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Duplicates are in the same month. */
const FINAL = { final: 1, do_not_merge_across_partitions_select_final: 1 } as const;
const NUMBERS = { output_format_json_quote_64bit_integers: 1 } as const;

/** Whose an event is now. */
const PERSON = "if(o.is_now = 0, e.person_id, o.is_now)";
const OVERRIDES = `LEFT JOIN (
  SELECT person_id, is_now FROM person_overrides WHERE project_id = {project_id:UInt32}
) AS o ON o.person_id = e.person_id`;

/** The first 60 bits of an MD5 sum, as retained-store.ts has PostgreSQL compute it. */
const HASH = `bitShiftRight(reinterpretAsUInt64(reverse(substring(MD5(concat(toString(e.uuid), '\\n', e.event, '\\n',
  e.distinct_id, '\\n', toString(toUnixTimestamp64Micro(e.timestamp)), '\\n', e.properties)), 1, 8))), 4)`;

/** A page is looked for in so much time before it first: that leaves out most of the partitions. */
const NEAR_MS = 31 * 86_400_000;

function pageQuery({ event, feature_flag, distinct_ids, before }: EventFilter, isNear: boolean): string {
  const conditions = [
    "project_id = {project_id:UInt32}",
    ...(event === undefined ? [] : ["event = {event:String}"]),
    ...(feature_flag === undefined ? [] : ["event = '$feature_flag_called'", "flag = {feature_flag:String}"]),
    ...(distinct_ids === null ? [] : ["distinct_id IN {distinct_ids:Array(String)}"]),
  ];
  if (before) {
    const at = "fromUnixTimestamp64Micro({at:Int64}, 'UTC')";
    conditions.push(
      before.uuid === null
        ? `timestamp < ${at}`
        : `timestamp <= ${at} AND (timestamp < ${at} OR toString(uuid) < {uuid:String})`,
    );
  }
  if (isNear) conditions.push("timestamp >= fromUnixTimestamp64Micro({since:Int64}, 'UTC')");
  return `SELECT toString(uuid) AS id, event, distinct_id, toUnixTimestamp64Micro(timestamp) AS at, properties
    FROM events WHERE ${conditions.join(" AND ")}
    ORDER BY timestamp DESC, id DESC LIMIT {limit:UInt32}`;
}

type Address = { url: string; database: string; username: string; password: string };

/** What the client needs of an address; nothing of it is ever part of a message. */
function addressOf(url: string): Address {
  const { protocol, host, pathname, username, password } = new URL(url);
  return {
    url: `${protocol}//${host}`,
    database: decodeURIComponent(pathname.slice(1)) || "default",
    username: decodeURIComponent(username) || "default",
    password: decodeURIComponent(password),
  };
}

class ClickHouseCopy implements HistoryCopy {
  readonly #client: ClickHouseClient;

  constructor(url: string) {
    this.#client = createClient({
      ...addressOf(url),
      application: "switchyard",
      request_timeout: WRITE_LIMIT_MS,
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  #ask(query: string, query_params: Record<string, unknown>, limitMs: number = WRITE_LIMIT_MS) {
    return this.#client.query({
      query,
      query_params,
      format: "JSONEachRow",
      clickhouse_settings: { ...FINAL, ...NUMBERS, max_execution_time: limitMs / 1_000 },
      abort_signal: AbortSignal.timeout(limitMs),
    });
  }

  async #read<T>(query: string, query_params: Record<string, unknown>, limitMs?: number): Promise<T[]> {
    const asked = this.#ask(query, query_params, limitMs);
    return asked.then((result) => result.json<T>()).catch(withoutData);
  }

  async #run(query: string): Promise<void> {
    const running = this.#client.command({
      query,
      // Mutations are done, on all replicas, when the statement is.
      clickhouse_settings: { mutations_sync: "2", max_query_size: "16777216" },
    });
    await running.catch(withoutData);
  }

  async page(filter: EventFilter, limit: number): Promise<EventRow[]> {
    if (filter.before) {
      const near = await this.#page(filter, limit, true);
      if (near.length === limit) return near;
    }
    return this.#page(filter, limit, false);
  }

  async #page(filter: EventFilter, limit: number, isNear: boolean): Promise<EventRow[]> {
    const { project_id, event, feature_flag, distinct_ids, before } = filter;
    type Found = { id: string; event: string; distinct_id: string; at: string; properties: string };
    const rows = await this.#read<Found>(
      pageQuery(filter, isNear),
      {
        project_id,
        event,
        feature_flag,
        distinct_ids,
        at: before ? before.at * 1_000 : 0,
        since: before ? (before.at - NEAR_MS) * 1_000 : 0,
        uuid: before?.uuid?.toLowerCase() ?? "",
        limit,
      },
      PAGE_LIMIT_MS,
    );
    return rows.map(({ id, at, properties, ...row }) => ({
      ...row,
      uuid: id,
      timestamp: Number(at) / 1_000,
      properties: JSON.parse(properties),
    }));
  }

  async days({ project_id, from, to }: Period): Promise<DayFigures[]> {
    type Found = { day: string; event: string; count: string; people: string; hash: string };
    const rows = await this.#read<Found>(
      `SELECT toString(toDate(e.timestamp)) AS day, e.event AS event, count() AS count,
        uniqExactIf(${PERSON}, ${PERSON} != 0) AS people, toString(sum(toUInt128(${HASH}))) AS hash
      FROM events AS e ${OVERRIDES}
      WHERE e.project_id = {project_id:UInt32}
        AND e.timestamp >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
        AND e.timestamp < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
      GROUP BY day, event ORDER BY day, event`,
      { project_id, from, to },
    );
    return rows.map((row) => ({ ...row, count: Number(row.count), people: Number(row.people) }));
  }

  async identity(): Promise<CopyIdentity | null> {
    try {
      const rows = await this.#read<CopyIdentity>(
        "SELECT toString(id) AS id, generation FROM history_copy",
        {},
      );
      return rows[0] ?? null;
    } catch (error) {
      if (error instanceof HistoryError && error.code === UNKNOWN_TABLE) return null;
      throw error;
    }
  }

  async personEvents({ project_id, distinct_ids, after, before }: PersonEvents, limit: number) {
    type Found = Omit<PersonEvent, "properties"> & {
      id: string;
      properties: string;
      day: string;
      hash: string;
    };
    const at = "fromUnixTimestamp64Micro({at:Int64}, 'UTC')";
    const rows = await this.#read<Found>(
      `SELECT toString(e.uuid) AS id, e.event AS event, e.distinct_id AS distinct_id, e.properties AS properties,
        toUnixTimestamp64Micro(e.timestamp) AS at, concat(replaceOne(toString(e.timestamp), ' ', 'T'), 'Z') AS timestamp,
        toString(toDate(e.timestamp)) AS day, toString(${HASH}) AS hash
      FROM events AS e
      WHERE e.project_id = {project_id:UInt32} AND e.distinct_id IN {distinct_ids:Array(String)}
        AND e.timestamp < fromUnixTimestamp64Milli({before:Int64}, 'UTC')
        ${after ? `AND e.timestamp >= ${at} AND (e.timestamp > ${at} OR toString(e.uuid) > {uuid:String})` : ""}
      ORDER BY e.timestamp, id LIMIT {limit:UInt32}`,
      { project_id, distinct_ids, before, at: after?.at ?? 0, uuid: after?.uuid ?? "", limit },
    );
    return rows.map(({ id, properties, ...row }) => ({
      ...row,
      uuid: id,
      properties: JSON.parse(properties),
    }));
  }

  async *dayEvents({ project_id, day }: { project_id: number; day: string }): AsyncGenerator<DayEvent[]> {
    try {
      const result = await this.#ask(
        `SELECT toString(uuid) AS uuid, event, distinct_id, toUnixTimestamp64Micro(timestamp) AS timestamp_us, properties
        FROM events WHERE project_id = {project_id:UInt32} AND timestamp >= toDateTime64({day:String}, 6, 'UTC')
          AND timestamp < toDateTime64({day:String}, 6, 'UTC') + INTERVAL 1 DAY
        ORDER BY event, events.timestamp, events.uuid`,
        { project_id, day },
        DAY_LIMIT_MS,
      );
      for await (const rows of result.stream<DayEvent>()) yield rows.map((row) => row.json());
    } catch (error) {
      withoutData(error);
    }
  }

  async reset(kept: readonly KeptName[]): Promise<void> {
    for (const statement of createTables({ kind: "single" })) await this.#run(statement);
    await this.#run("TRUNCATE TABLE person_overrides");
    if (kept.length > 0) {
      const names = kept.map(
        ({ project_id, event, last_day }) =>
          `project_id = ${project_id} AND event = ${literal(event)} AND toDate(timestamp) <= ${literal(last_day)}`,
      );
      // Whose copy it is stays: without that, it would be taken for one that was lost.
      return this.#run(`ALTER TABLE events DELETE WHERE NOT (${names.join(" OR ")})`);
    }
    for (const table of ["history_copy", "events"]) await this.#run(`TRUNCATE TABLE ${table}`);
  }

  async #insert(
    table: string,
    given: Pick<InsertParams<Readable>, "values" | "format" | "columns">,
    token: string = randomUUID(),
  ): Promise<void> {
    const inserting = this.#client.insert({
      table,
      ...given,
      clickhouse_settings: {
        async_insert: 0,
        wait_end_of_query: 1,
        max_partitions_per_insert_block: "0",
        // Without one, ClickHouse compares the rows, and takes those for duplicates that were deleted since.
        insert_deduplication_token: token,
      },
    });
    await inserting.catch(withoutData);
  }

  identify = (identity: CopyIdentity) =>
    this.#insert("history_copy", { values: [identity], format: "JSONEachRow" });

  async insertEvents(lines: readonly string[], token?: string): Promise<void> {
    if (lines.length === 0) return;
    const values = Readable.from([Buffer.from(lines.join(""))], { objectMode: false });
    await this.#insert("events", { values, format: "TabSeparated", columns: COPIED }, token);
  }

  async insertOverrides(rows: readonly PersonOverride[]): Promise<void> {
    if (rows.length > 0) await this.#insert("person_overrides", { values: rows, format: "JSONEachRow" });
  }

  async deleteEvents(gone: GoneEvents): Promise<void> {
    const of = `project_id = ${gone.project_id}`;
    if ("event" in gone) {
      const { event, before } = gone;
      return this.#run(
        `ALTER TABLE events DELETE WHERE ${of} AND event = ${literal(event)} AND timestamp < toDateTime64(${literal(before)}, 6, 'UTC')`,
      );
    }
    const { uuids, first_day, last_day } = gone;
    await this.#run(
      `ALTER TABLE events DELETE WHERE ${of} AND toDate(timestamp) BETWEEN ${literal(first_day)} AND ${literal(last_day)}
        AND uuid IN (${uuids.map(literal).join(", ")})`,
    );
  }

  async deleteDays(projectId: number, days: readonly { day: string; event: string }[]): Promise<void> {
    for (const { day, event } of days)
      await this.#run(
        `ALTER TABLE events DELETE WHERE project_id = ${projectId} AND event = ${literal(event)} AND toDate(timestamp) = ${literal(day)}`,
      );
  }

  async foldOverrides(): Promise<number> {
    for (let folded = 0; ; ) {
      const some = await this.#read<PersonOverride>(
        `SELECT project_id, toInt64(person_id) AS person_id, toInt64(is_now) AS is_now, version
        FROM person_overrides ORDER BY project_id, person_id LIMIT ${FOLDED}`,
        {},
      );
      for (const [project_id, list] of Map.groupBy(some, (row) => row.project_id)) {
        const losers = list.map((row) => row.person_id).join(", ");
        const winners = list.map((row) => row.is_now).join(", ");
        const where = `project_id = ${project_id} AND person_id IN (${losers})`;
        // As often as it is broken off between the two, it is done again with the same result.
        await this.#run(
          `ALTER TABLE events UPDATE person_id = transform(person_id, [${losers}], [${winners}], person_id) WHERE ${where}`,
        );
        await this.#run(`ALTER TABLE person_overrides DELETE WHERE ${where}`);
      }
      folded += some.length;
      if (some.length < FOLDED) return folded;
    }
  }

  close = () => this.#client.close();
}

/** The copy at an address; nothing is connected before it is used. */
export const openClickHouse = (url: string): HistoryCopy => new ClickHouseCopy(url);
