import { setTimeout as delay } from "node:timers/promises";
import type { ProjectEvent } from "#lib/people/events/ingest-store.ts";
import type { Spool } from "#lib/people/events/spool.ts";
import type { EventWriter } from "#lib/people/events/writer.ts";
import { errorFrom } from "#lib/platform/http/call.ts";
import { unavailable } from "#lib/platform/http/errors.ts";
import { log } from "#lib/platform/log.ts";
import { counter } from "#lib/platform/metrics.ts";
import type { Fetch } from "./follow.ts";

const eventCount = counter("relay_events_total", "Events, by what became of them.", ["result"]);
const outcomes = {
  spooled: eventCount("spooled"),
  forwarded: eventCount("forwarded"),
  refused: eventCount("refused"),
};

/** A request to the origin carries no more, far below what it accepts. */
const EVENTS_AT_ONCE = 1_000;
const BYTES_AT_ONCE = 4 * 1024 * 1024;
const PATIENCE_MS = 30_000;
/** The first pause after a failure, and the longest. */
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** The origin itself says that these events are not stored, however often they are sent. */
const FINAL = new Set([400, 401, 413]);

class NotTaken extends Error {}

type Options = {
  url: string;
  spool: Spool;
  fetch: Fetch;
  tokenOf: (projectId: number) => string | undefined;
  /** Asks the origin for what is new. */
  poll: () => Promise<void>;
};

const textOf = ({ event }: ProjectEvent) => {
  const { uuid, event: name, distinct_id, at, json } = event;
  const fields = JSON.stringify({ uuid, event: name, distinct_id, timestamp: new Date(at).toISOString() });
  return `${fields.slice(0, -1)},"properties":${json}}`;
};

type Request = { project_id: number; texts: string[]; bytes: number };

/** Requests with events of one project each, in order. */
function requestsOf(events: readonly ProjectEvent[]): Request[] {
  const requests: Request[] = [];
  for (const event of events) {
    const text = textOf(event);
    const last = requests.at(-1);
    const fits =
      last?.project_id === event.project_id &&
      last.texts.length < EVENTS_AT_ONCE &&
      last.bytes + text.length <= BYTES_AT_ONCE;
    const request = fits ? last : { project_id: event.project_id, texts: [], bytes: 0 };
    if (!fits) requests.push(request);
    request.texts.push(text);
    request.bytes += text.length;
  }
  return requests;
}

/**
 * Keeps events on disk before their senders get an answer, and passes them on to the origin in order: at least once, which
 * their uuids make once.
 */
export function createForwarder({ url, spool, fetch, tokenOf, poll }: Options) {
  let waiting: { events: ProjectEvent[]; settle: (error?: unknown) => void }[] = [];
  let appending: Promise<void> | null = null;
  let forwarding: Promise<void> | null = null;
  let problem: string | null = null;
  let closed = false;
  const ending = new AbortController();

  /** What arrives while the disk is busy is written together. */
  const appendAll = async () => {
    while (waiting.length > 0) {
      const calls = waiting;
      waiting = [];
      const events = calls.flatMap((call) => call.events);
      const error = await spool.append(events).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error === undefined) outcomes.spooled.count += events.length;
      for (const { settle } of calls) settle(error);
      forwardSoon();
    }
  };

  const post = (token: string, texts: readonly string[]) =>
    fetch(`${url}/batch/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"api_key":${JSON.stringify(token)},"batch":[${texts.join(",")}]}`,
      redirect: "manual",
      signal: AbortSignal.any([ending.signal, AbortSignal.timeout(PATIENCE_MS)]),
    });

  const refuse = (count: number, reason: string) => {
    outcomes.refused.count += count;
    log().error(`${count} events are lost: ${reason}`);
  };

  /** @throws NotTaken where it is worth another try */
  const send = async (project_id: number, texts: readonly string[], isRetry = false): Promise<void> => {
    const token = tokenOf(project_id);
    if (token === undefined) return refuse(texts.length, `the relay no longer serves project ${project_id}.`);
    const response = await post(token, texts);
    if (response.ok) {
      outcomes.forwarded.count += texts.length;
      await response.arrayBuffer();
      return;
    }
    const error = await errorFrom(response);
    if (!FINAL.has(response.status) || error.code === "error")
      throw new NotTaken(`The origin answered ${response.status}: ${error.message}`);
    if (response.status === 401 && !isRetry) {
      // The token may have been exchanged for another one.
      await poll();
      return send(project_id, texts, true);
    }
    refuse(texts.length, `the origin answered ${response.status}: ${error.message}`);
  };

  const forward = async () => {
    let pause = PAUSE_MS;
    while (!closed && !spool.isEmpty) {
      try {
        await spool.replay(async (events) => {
          for (const { project_id, texts } of requestsOf(events)) await send(project_id, texts);
        });
        problem = null;
      } catch (error) {
        if (closed) return;
        problem = error instanceof NotTaken ? error.message : "The origin cannot be reached.";
        await delay(pause * (0.5 + Math.random()), undefined, { signal: ending.signal }).catch(
          () => undefined,
        );
        pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
    }
  };

  const forwardSoon = (): void => {
    if (closed || spool.isEmpty) return;
    forwarding ??= forward()
      .catch((error: unknown) => log().error({ error }, "Events could not be passed on."))
      .finally(() => {
        forwarding = null;
        forwardSoon();
      });
  };

  const writer: Pick<EventWriter, "write"> = {
    write: (project_id, events) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(unavailable("The server is about to end."));
        const result = { stored: events.length, rejected: [] };
        if (events.length === 0) return resolve(result);
        waiting.push({
          events: events.map((event) => ({ project_id, event })),
          settle: (error) => (error === undefined ? resolve(result) : reject(error)),
        });
        appending ??= appendAll().finally(() => {
          appending = null;
        });
      }),
  };

  return {
    writer,
    /** Passes on what an earlier process has left. */
    begin: forwardSoon,
    /** Refuses further events, and waits until those accepted are on disk. */
    async end(): Promise<void> {
      closed = true;
      await appending;
      ending.abort();
      await forwarding;
    },
    get status() {
      return {
        ...spool.size,
        problem,
        forwarded: outcomes.forwarded.count,
        refused: outcomes.refused.count,
      };
    },
  };
}
