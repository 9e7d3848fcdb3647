import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInstanceId } from "#lib/flags/feature_flags/evaluation/etag.ts";
import {
  ADDRESS_MAX,
  AGE_MAX_MS,
  NAME_MAX,
  PROBLEM_MAX,
  PROGRAM_MAX,
  REPORT_MAX,
  type RelayReport,
  type RelayReported,
} from "#lib/flags/sdk_instances/report-schema.ts";
import type { InstanceRow, InstanceStorage, Requests } from "#lib/flags/sdk_instances/store.ts";
import { createTracker, type Pace } from "#lib/flags/sdk_instances/tracker.ts";
import { DatabaseUnavailable } from "#lib/platform/db/errors.ts";
import { errorFrom } from "#lib/platform/http/call.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { log } from "#lib/platform/log.ts";
import { counter } from "#lib/platform/metrics.ts";
import { relayContract } from "./contract.ts";
import type { Fetch } from "./follow.ts";
import type { Held } from "./held.ts";

/** The origin takes a relay for unreachable after 25 s without a report. */
const REPORT_EVERY_MS = 10_000;
/** A receipt counts an instance soon after it has a change; those that get it together are reported together. */
const PACE: Pace = { changes_ms: 500, visits_ms: REPORT_EVERY_MS, together: true };
/** After a bundle, the first instances have it in a moment. */
const BUNDLE_MS = 250;
const PATIENCE_MS = 5_000;
/** An ending process waits no longer for its origin. */
const LAST_PATIENCE_MS = 1_000;
/** The first pause after a failure, and the longest: once the origin is back, its receipts wait for reports. */
const PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** An origin of an earlier release takes no reports, nor does one that refuses the key. */
const REFUSED_PAUSE_MS = 60_000;
const REFUSED = new Set([400, 401, 403, 404, 405]);

const reportCount = counter("relay_reports_total", "Reports to the origin, by what became of them.", [
  "result",
]);
const outcomes = { stored: reportCount("stored"), failed: reportCount("failed") };

type Options = {
  url: string;
  key: string;
  fetch: Fetch;
  /** What this relay is called in the dashboard of its origin. */
  name: string;
  version: string;
  folder: string;
  held: Held;
  /** Why the latest bundle is not there. */
  problem: () => string | null;
};

/** The id of the relay whose files these are. */
function readId(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "id");
  const made = createInstanceId();
  try {
    writeFileSync(file, made, { flag: "wx", mode: 0o600 });
    return made;
  } catch {
    const stored = readFileSync(file, "utf8").trim();
    if (stored.length === made.length) return stored;
    writeFileSync(file, made, { mode: 0o600 });
    return made;
  }
}

const ageOf = (at: Date, now: number) => Math.min(Math.max(0, now - at.getTime()), AGE_MAX_MS);

function seenOf(row: InstanceRow, now: number): RelayReport["instances"][number] {
  const { content_since, sent_at, first_seen_at, last_seen_at, relay_id: _, ...rest } = row;
  return {
    ...rest,
    // Clients say what they are called, and proxies where they are: one that says too much does not stop a report.
    sdk: rest.sdk.slice(0, PROGRAM_MAX),
    sdk_version: rest.sdk_version.slice(0, PROGRAM_MAX),
    address: rest.address?.slice(0, ADDRESS_MAX) ?? null,
    content_age_ms: content_since && ageOf(content_since, now),
    sent_age_ms: sent_at && ageOf(sent_at, now),
    first_seen_age_ms: ageOf(first_seen_at, now),
    last_seen_age_ms: ageOf(last_seen_at, now),
  };
}

/** Follows which definitions the SDKs behind a relay have, as a service does, and reports it to the origin. */
export function createReports({ url, key, fetch, name, version, folder, held, problem }: Options) {
  const run = createInstanceId();
  const startedAt = performance.now();
  let id = readId(folder);
  let sequence = 0;
  let isStopping = false;
  /** Requests for evaluated flags that the origin does not know of. */
  const requests = new Map<string, Requests>();
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let pause = PAUSE_MS;
  let failure: string | null = null;
  let acceptedAt: Date | null = null;
  let lastAnswer: { at_ms: number; came: number } | null = null;
  let timer: NodeJS.Timeout | undefined;
  const ending = new AbortController();

  const fail = (reason: string, pauseMs: number): never => {
    outcomes.failed.count += 1;
    if (failure !== reason) log().warn(`The origin gets no report of SDK instances: ${reason}`);
    failure = reason;
    pausedUntil = performance.now() + pauseMs;
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    throw new DatabaseUnavailable(reason);
  };

  const cutOff = (error: unknown): never =>
    fail(
      `The origin cannot be reached: ${error instanceof Error ? error.message : String(error)}.`,
      pause * (0.5 + Math.random()),
    );

  /** Counts are in no second report, whatever becomes of the first: rather too few than some twice. */
  const takeRequests = (): Requests[] => {
    if (failure !== null) return [];
    const taken = [...requests].slice(0, REPORT_MAX.requests);
    for (const [name] of taken) requests.delete(name);
    return taken.map(([, each]) => each);
  };

  type Part = Pick<RelayReport, "projects" | "instances" | "gone"> &
    Pick<RelayReport["relay"], "answered" | "more">;
  const post = async ({ answered, more, ...part }: Part): Promise<void> => {
    sequence += 1;
    const report: RelayReport = {
      relay: {
        id,
        name: name.slice(0, NAME_MAX),
        version: version.slice(0, NAME_MAX),
        run,
        uptime_ms: Math.round(performance.now() - startedAt),
        sequence,
        // It may quote an answer, and the cut may be in the middle of a character.
        problem: problem()?.slice(0, PROBLEM_MAX).toWellFormed().replaceAll("\0", "") ?? null,
        answered,
        more,
        stopping: isStopping,
      },
      ...part,
      requests: takeRequests(),
    };
    const response = await fetch(url + relayContract.report.path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(report),
      redirect: "manual",
      signal: AbortSignal.timeout(isStopping ? LAST_PATIENCE_MS : PATIENCE_MS),
    }).catch(cutOff);
    if (response.status !== 200) {
      const { message } = await errorFrom(response);
      const isRefused = REFUSED.has(response.status);
      return fail(`The origin answered ${response.status}: ${message}`, isRefused ? REFUSED_PAUSE_MS : pause);
    }
    const { superseded, answered_at_ms } = await (response.json() as Promise<RelayReported>).catch(cutOff);
    if (superseded) {
      id = createInstanceId();
      return fail("Another relay reports under the same id: each needs a DATA_DIR of its own.", 0);
    }
    outcomes.stored.count += 1;
    failure = null;
    pause = PAUSE_MS;
    acceptedAt = new Date();
    lastAnswer = { at_ms: answered_at_ms, came: performance.now() };
  };

  const storage: InstanceStorage = {
    async storeInstances({ rows, duplicates }) {
      if (performance.now() < pausedUntil && !isStopping)
        throw new DatabaseUnavailable("The origin did not take the last report.");
      const now = Date.now();
      const answered = lastAnswer && {
        at_ms: lastAnswer.at_ms,
        ago_ms: Math.min(Math.floor(performance.now() - lastAnswer.came), AGE_MAX_MS),
      };
      const gone = duplicates.map(({ project_id, id }) => ({ project_id, id }));
      const projects = await Promise.all(
        held.projectIds.slice(0, REPORT_MAX.projects).map(async (id) => ({
          id,
          content: (await held.definitions.project(id)).content(),
        })),
      );
      const count = Math.max(rows.length, gone.length);
      if (answered === null) {
        // All that is reported is dated by an answer: the first report of a run has nothing in it.
        await post({ answered, more: false, projects, instances: [], gone: [] });
        if (count > 0) throw new DatabaseUnavailable("The origin has answered for the first time.");
        return;
      }
      for (let at = 0; at === 0 || at < count; at += REPORT_MAX.instances)
        await post({
          answered,
          more: at + REPORT_MAX.instances < count,
          projects,
          instances: rows.slice(at, at + REPORT_MAX.instances).map((row) => seenOf(row, now)),
          gone: gone.slice(at, at + REPORT_MAX.gone),
        });
    },
    addRequests: async (rows) => {
      for (const row of rows) {
        const name = `${row.project_id}/${row.sdk}/${row.sdk_version}`;
        const known = requests.get(name);
        if (known) known.count += row.count;
        else if (requests.size < REPORT_MAX.requests) requests.set(name, { ...row });
      }
    },
    deleteGone: async () => undefined,
  };
  const instances = createTracker(storage, held.definitions, PACE);
  for (const cache of [held.flags, held.cohorts, held.definitions]) cache.watch(instances.changed);

  const reportIn = (ms: number): void => {
    if (ending.signal.aborted) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      void instances.store("all").finally(() => reportIn(REPORT_EVERY_MS));
    }, ms).unref();
  };
  // What is served has changed.
  held.directory.watch(() => reportIn(BUNDLE_MS));

  return {
    instances,
    /** Reports now what has been seen. */
    report: () => instances.store("all"),
    begin: () => reportIn(0),
    /** Reports what is left, and that no more will follow. */
    async end(): Promise<void> {
      ending.abort();
      clearTimeout(timer);
      isStopping = true;
      await instances.end();
    },
    get status() {
      return { id, name, reported_at: acceptedAt && instant(acceptedAt), problem: failure };
    },
  };
}
