import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import type { Definitions } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { asDatabaseUnavailable } from "#lib/platform/db/connect.ts";
import { ApiError, throttled, unavailable } from "#lib/platform/http/errors.ts";
import { log } from "#lib/platform/log.ts";
import { counter, gauge } from "#lib/platform/metrics.ts";

/** Who a stream is for: SDKs that evaluate flags themselves, pages that have them evaluated, or relays. */
type Audience = "definitions" | "flags" | "bundle";

type StreamLimits = {
  /** Open streams of this process. */
  all: number;
  /** Those of one project, or of one relay's key. */
  project: number;
};

/** Who opens a stream. */
type Opening<Subject> = {
  audience: Audience;
  /** What it is about. */
  subject: Subject;
  /** Distinguishes credentials: those of the same one are checked together. */
  credential: string;
  /** Throws ApiError once the credential does not open the subject any more. */
  check: () => Promise<unknown>;
  /** The id of the last event that the reader has; null: it has none. */
  lastEventId: string | null;
  onClose?: () => void;
};

type Stream<Subject> = Opening<Subject> & {
  controller: ReadableStreamDefaultController<Uint8Array>;
  /** Heartbeats at which it had not taken what it was sent before. */
  missed: number;
  /** Whether it is to get the latest event as soon as it has. */
  isBehind: boolean;
};

type Followed<Subject> = {
  streams: Set<Stream<Subject>>;
  content: string;
  /** What was served before, latest first. */
  earlier: string[];
  /** When the content was first served; if that was before the first stream was opened, when that was. */
  changedAt: number;
  /** When an event was last sent. */
  sentAt: number;
  isRunning: boolean;
  isStale: boolean;
};

/** Names what is served of a subject. */
type Contents<Subject> = {
  /** With every change that was reported. */
  current: (subject: Subject) => Promise<string>;
  /** As last read. */
  latest: (subject: Subject) => Promise<string>;
};

export type StreamOptions = {
  limits?: StreamLimits;
  coalesceMs?: number;
  heartbeatMs?: number;
};

/** Changes that follow each other faster than this are one event. */
const COALESCE_MS = 100;
const HEARTBEAT_MS = 20_000;
/** A reader that has taken nothing for so many heartbeats is gone, or might as well be. */
const MISSED_HEARTBEATS = 2;
/** Contents of a subject that are remembered. */
const EARLIER = 20;
/** Requests about a subject that may wait for a change. */
const WAITING_MAX = 1_000;
/** Messages that a reader may leave for later. */
const TAKEN_LATE = 4;
/** Who opens a stream so soon after a change may have asked for flags before it. */
const RECENT_MS = 10_000;
/** After how long readers come back: not all in the same moment. */
const RETRY_MS = { least: 1_000, most: 5_000 };
/** Events are written to so many streams before other requests have their turn. */
const SLICE = 250;
const DEFAULT_LIMITS: StreamLimits = { all: 10_000, project: 10_000 };
const RETRY_AFTER_SECONDS = 10;

const openStreams = gauge("streams_open", "Streams that are open.", { labelNames: ["audience"] as const });
const eventsSent = counter("stream_events_total", "Events sent to streams.", ["audience"]);
const closings = counter("streams_closed_total", "Streams that were closed by this side, by why.", [
  "reason",
]);
const refusals = counter("streams_refused_total", "Streams that were refused: there were too many.", [
  "limit",
]);

/** What an answer that stays open says about itself. */
export const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  // Proxies must neither keep it, nor compress it, nor wait until there is more of it.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(":\n\n");

const MESSAGES = {
  definitions: "refetchDefinitions",
  flags: "refetchEvaluation",
  bundle: "refetchBundle",
} as const satisfies Record<Audience, string>;

/** Says that something has changed, and nothing of what. */
function eventOf(audience: Audience, content: string, changedAt: number): Uint8Array {
  const data = {
    type: MESSAGES[audience],
    etag: `"${content}"`,
    lastModified: Math.floor(changedAt / 1_000),
  };
  return encoder.encode(`id: ${content}\nevent: message\ndata: ${JSON.stringify(data)}\n\n`);
}

const retryMs = () => Math.round(RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least));

/** What a reader knows from the start: when to come back, and what it has then missed. */
const beginning = (content: string) => encoder.encode(`retry: ${retryMs()}\nid: ${content}\n\n`);
const ending = () => encoder.encode(`retry: ${retryMs()}\n\n`);

/**
 * The open streams of a process. They follow the caches from which flags are served, so that an event is sent once its
 * reader gets what it is about.
 */
export function createStreams<Subject>(contents: Contents<Subject>, options: StreamOptions = {}) {
  const { limits = DEFAULT_LIMITS, coalesceMs = COALESCE_MS, heartbeatMs = HEARTBEAT_MS } = options;
  const subjects = new Map<Subject, Followed<Subject>>();
  /** Requests that wait for a change, by subject. */
  const waiting = new Map<Subject, Set<() => void>>();
  let count = 0;
  let isClosed = false;
  /** Whether every process behind the listener serves a change: a reader's next request may reach any of them. */
  let settled: (subject: Subject) => Promise<void> = async () => undefined;

  const allStreams = function* (): Generator<Stream<Subject>> {
    for (const { streams } of subjects.values()) yield* streams;
  };

  const remove = (stream: Stream<Subject>): boolean => {
    const followed = subjects.get(stream.subject);
    if (!followed?.streams.delete(stream)) return false;
    count -= 1;
    openStreams.dec({ audience: stream.audience });
    if (followed.streams.size === 0) subjects.delete(stream.subject);
    stream.onClose?.();
    return true;
  };

  const close = (stream: Stream<Subject>, reason: "refused" | "slow" | "shutdown"): void => {
    if (!remove(stream)) return;
    closings(reason).count += 1;
    try {
      if (reason === "slow") stream.controller.error(new Error("The reader is too slow."));
      else {
        if (reason === "shutdown") stream.controller.enqueue(ending());
        stream.controller.close();
      }
    } catch {
      // Its reader was faster.
    }
  };

  const hasTakenAll = ({ controller }: Stream<Subject>) => (controller.desiredSize ?? 0) > 0;

  /** Does something with each stream that is still open, in slices. */
  const withEach = async (streams: readonly Stream<Subject>[], work: (stream: Stream<Subject>) => void) => {
    for (const [place, stream] of streams.entries()) {
      if (place > 0 && place % SLICE === 0) await turn();
      if (subjects.get(stream.subject)?.streams.has(stream)) work(stream);
    }
  };

  const send = ({ audience, controller }: Stream<Subject>, event: Uint8Array) => {
    eventsSent(audience).count += 1;
    controller.enqueue(event);
  };

  /** Sends the latest content of a subject, if it is another one than before. */
  const announce = async (subject: Subject, followed: Followed<Subject>): Promise<void> => {
    const pause = followed.sentAt + coalesceMs - Date.now();
    if (pause > 0) await delay(pause, undefined, { ref: false });
    const content = await contents.current(subject);
    if (content === followed.content) return;
    await settled(subject);
    followed.earlier = [followed.content, ...followed.earlier].slice(0, EARLIER);
    followed.content = content;
    followed.changedAt = Date.now();
    followed.sentAt = followed.changedAt;
    const events = {
      definitions: eventOf("definitions", content, followed.changedAt),
      flags: eventOf("flags", content, followed.changedAt),
      bundle: eventOf("bundle", content, followed.changedAt),
    };
    // What a reader has not taken yet is not followed by more: it gets one event for all that it missed.
    await withEach([...followed.streams], (stream) => {
      if (hasTakenAll(stream)) send(stream, events[stream.audience]);
      else stream.isBehind = true;
    });
  };

  const changed = (subject: Subject): void => {
    for (const done of waiting.get(subject) ?? []) done();
    const followed = subjects.get(subject);
    if (!followed) return;
    followed.isStale = true;
    if (followed.isRunning) return;
    followed.isRunning = true;
    const run = async () => {
      while (followed.isStale) {
        followed.isStale = false;
        await announce(subject, followed);
      }
    };
    run()
      .catch((error: unknown) => {
        // The next heartbeat tries again.
        if (!asDatabaseUnavailable(error)) log().error({ error }, "A change could not be announced.");
      })
      .finally(() => {
        followed.isRunning = false;
      });
  };

  /** Closes the streams whose credential is not valid any more; what cannot be found out changes nothing. */
  const recheck = async (): Promise<void> => {
    const byCredential = Map.groupBy(allStreams(), ({ subject, credential }) => `${subject}/${credential}`);
    for (const streams of byCredential.values())
      await streams[0]?.check().catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status >= 500) return;
        for (const stream of streams) close(stream, "refused");
      });
  };

  const beat = async (): Promise<void> => {
    await recheck();
    for (const subject of subjects.keys()) changed(subject);
    const ready: Stream<Subject>[] = [];
    for (const stream of [...allStreams()]) {
      if (hasTakenAll(stream)) {
        stream.missed = 0;
        ready.push(stream);
      } else {
        stream.missed += 1;
        if (stream.missed >= MISSED_HEARTBEATS) close(stream, "slow");
      }
    }
    await withEach(ready, ({ controller }) => controller.enqueue(HEARTBEAT));
  };
  const heart = setInterval(() => {
    if (count > 0)
      beat().catch((error: unknown) => log().error({ error }, "The heartbeat of streams failed."));
  }, heartbeatMs).unref();

  const refuseTooMany = (subject: Subject): void => {
    if (count >= limits.all || isClosed) {
      refusals("all").count += 1;
      throw unavailable("This server has as many open streams as it may. Poll instead.", RETRY_AFTER_SECONDS);
    }
    if ((subjects.get(subject)?.streams.size ?? 0) < limits.project) return;
    refusals("project").count += 1;
    throw throttled(RETRY_AFTER_SECONDS);
  };

  return {
    /** Sends an event if what is served of a subject has changed. */
    changed,
    /** Resolves once this process serves a content of a subject, after its next change, or after so long. */
    async served(subject: Subject, content: string, patienceMs: number): Promise<void> {
      const isServed = (await contents.latest(subject)) === content;
      if (isServed || subjects.get(subject)?.earlier.includes(content)) return;
      if ((waiting.get(subject)?.size ?? 0) >= WAITING_MAX) return;
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(late);
          waiting.get(subject)?.delete(done);
          resolve();
        };
        const late = setTimeout(done, patienceMs).unref();
        waiting.set(subject, (waiting.get(subject) ?? new Set()).add(done));
      });
    },
    /** Closes streams whose credential does not open their subject any more. */
    recheck: (): void => {
      if (count > 0)
        recheck().catch((error: unknown) => log().error({ error }, "Streams could not be checked."));
    },
    /** Looks for changes of everything that is followed: notifications may have been missed. */
    doubt: (): void => {
      for (const subject of subjects.keys()) changed(subject);
    },
    /** What to wait for before an event is sent. */
    settleWith: (settle: typeof settled): void => {
      settled = settle;
    },
    /**
     * Opens a stream.
     *
     * @throws ApiError 503 or 429 where there are too many
     */
    async open(opening: Opening<Subject>): Promise<ReadableStream<Uint8Array>> {
      const { subject, audience, lastEventId } = opening;
      refuseTooMany(subject);
      const content = await contents.current(subject);
      refuseTooMany(subject);
      const followed: Followed<Subject> = subjects.get(subject) ?? {
        streams: new Set(),
        content,
        earlier: [],
        changedAt: Date.now(),
        sentAt: 0,
        isRunning: false,
        isStale: false,
      };
      subjects.set(subject, followed);
      let stream: Stream<Subject> | undefined;
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            stream = { ...opening, controller, missed: 0, isBehind: false };
            followed.streams.add(stream);
            count += 1;
            openStreams.inc({ audience });
            const start = beginning(followed.content);
            const isRecent = Date.now() - followed.changedAt < RECENT_MS;
            if (lastEventId === null ? isRecent : lastEventId !== followed.content) {
              const event = eventOf(audience, followed.content, followed.changedAt);
              send(stream, Buffer.concat([start, event]));
            } else controller.enqueue(start);
          },
          pull() {
            if (!stream?.isBehind) return;
            stream.isBehind = false;
            send(stream, eventOf(audience, followed.content, followed.changedAt));
          },
          cancel() {
            if (stream) remove(stream);
          },
        },
        { highWaterMark: TAKEN_LATE },
      );
      // It may have changed since a stream of this subject was last sent an event.
      if (content !== followed.content) changed(subject);
      return body;
    },
    /** Closes all of them, and opens no more. */
    end(): void {
      isClosed = true;
      clearInterval(heart);
      for (const stream of [...allStreams()]) close(stream, "shutdown");
    },
  };
}

export type Streams<Subject = number> = ReturnType<typeof createStreams<Subject>>;

/** What flag definitions of projects say, for those who follow them. */
export const contentsOf = (definitions: Pick<Definitions, "latest" | "project">): Contents<number> => ({
  current: async (projectId) => (await definitions.project(projectId)).content(),
  latest: async (projectId) => (await definitions.latest(projectId)).content(),
});
