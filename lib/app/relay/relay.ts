import { join } from "node:path";
import { collectDefaults, requireMetricsToken } from "#lib/app/metrics-access.ts";
import { createRoutes, handleOf } from "#lib/app/routes.ts";
import { unavailable as notReady } from "#lib/app/server/health.ts";
import type { SdkRuntime } from "#lib/flags/context.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import * as served from "#lib/flags/feature_flags/evaluation/served.ts";
import { mountBundles } from "#lib/flags/sdk/bundles.ts";
import { mountSdk } from "#lib/flags/sdk/mount.ts";
import { contentsOf, createStreams } from "#lib/flags/streams/streams.ts";
import { mountCapture } from "#lib/people/events/capture.ts";
import { createSpool } from "#lib/people/events/spool.ts";
import type { EventWriter } from "#lib/people/events/writer.ts";
import { absentDatabase } from "#lib/platform/db/absent.ts";
import { DatabaseUnavailable } from "#lib/platform/db/errors.ts";
import { notFound, unavailable } from "#lib/platform/http/errors.ts";
import { createMounting, type Limits, mount } from "#lib/platform/http/mount.ts";
import { gauge, registry } from "#lib/platform/metrics.ts";
import type { FeedRuntime } from "#lib/surveys/context.ts";
import { configuredSurveys, hasSurveys, mountSurveyFeed } from "#lib/surveys/surveys/feed.ts";
import { createAskOrigin } from "./ask.ts";
import { createForwarder } from "./events.ts";
import type { Fetch } from "./follow.ts";
import { createHeld } from "./held.ts";
import { createOrigin } from "./origin.ts";
import { createReports } from "./reports.ts";

export type RelayOptions = {
  version: string;
  /** What it is called in the dashboard of its origin. */
  name: string;
  /** The address of the origin, without a trailing slash. */
  url: string;
  /** A personal API key of the origin. */
  key: string;
  public_key: string;
  poll_ms: number;
  /** What survives a restart is here. */
  folder: string;
  spool_bytes: number;
  limits: Limits;
  metrics_token?: string | undefined;
  fetch?: Fetch;
};

/** What a relay shares between requests. */
type Runtime = SdkRuntime & FeedRuntime & { events: Pick<EventWriter, "write"> };

const NO_DATABASE = "A relay has no database.";

const spoolFiles = gauge("relay_spool_files", "Batches of events that wait for the origin.");
const spoolBytes = gauge("relay_spool_bytes", "Size of the events that wait for the origin.");
const originUp = gauge("relay_origin_up", "Whether the origin answered when it was last asked.");
const age = gauge("relay_data_age_seconds", "How long ago the origin confirmed what is served.");
const reportAge = gauge(
  "relay_report_age_seconds",
  "How long ago the origin took a report of SDK instances.",
);
const refusals = gauge("relay_bundles_refused", "Bundles that were not used.", {
  labelNames: ["reason"] as const,
});

/** Serves SDKs from a bundle of its origin, as the origin would. */
export function createRelay(options: RelayOptions) {
  const { version, name, url, key, public_key, poll_ms, folder, fetch = globalThis.fetch } = options;
  const held = createHeld();
  const origin = createOrigin({ url, key, public_key, poll_ms, folder, held, fetch });
  const reports = createReports({
    url,
    key,
    fetch,
    name,
    version,
    folder,
    held,
    problem: () => origin.status.problem,
  });
  const events = createForwarder({
    url,
    fetch,
    tokenOf: held.tokenOf,
    poll: origin.poll,
    spool: createSpool({
      folder: join(folder, "spool"),
      max_bytes: options.spool_bytes,
      because: "The origin cannot be reached",
    }),
  });
  const { availability } = origin;
  const streams = createStreams(contentsOf(held.definitions));
  for (const cache of [held.flags, held.cohorts, held.definitions]) cache.watch(streams.changed);
  held.directory.watch(streams.recheck);
  const runtime: Runtime = {
    db: absentDatabase(NO_DATABASE),
    replica: null,
    availability,
    hasEventCopy: false,
    directory: held.directory,
    flags: held.flags,
    definitions: held.definitions,
    streams,
    instances: reports.instances,
    surveys: held.surveys,
    evaluationDb: absentDatabase(NO_DATABASE),
    persons: { find: () => Promise.reject(new DatabaseUnavailable(NO_DATABASE)) },
    events: events.writer,
  };
  const status = () => ({
    relay: true,
    version,
    projects: held.projectIds.length,
    origin: origin.status,
    events: events.status,
    reports: reports.status,
  });

  const app = createRoutes(() =>
    notFound(`This is a relay, which serves SDKs only. Send this call to its origin, ${url}.`),
  );
  const mounting = createMounting(app, runtime, options.limits);
  app.use("/*", async (c, next) => {
    const isAboutIt = /^\/(relay\/status|metrics|static\/.*)\/?$/.test(c.req.path);
    if (!isAboutIt && origin.status.sequence === null)
      throw unavailable("The relay has not reached its origin yet.");
    await next();
  });
  mountSdk(mounting, {
    hasSurveys: (projectId) => hasSurveys(runtime, projectId),
    surveys: (projectId) => configuredSurveys(runtime, projectId),
    askOrigin: createAskOrigin(url, origin, fetch),
  });
  mountCapture(mounting);
  mountBundles(mounting);
  const { local_evaluation, remote_config } = flagContract;
  mount(mounting, { local_evaluation, remote_config }, served);
  mountSurveyFeed(mounting);
  app.get("/relay/status", (c) => c.json(status()));
  if (options.metrics_token !== undefined) collectDefaults();
  app.get("/metrics", async (c) => {
    requireMetricsToken(c, options.metrics_token);
    const { as_of, reachable, refused } = origin.status;
    const { files, bytes } = events.status;
    spoolFiles.set(files);
    spoolBytes.set(bytes);
    originUp.set(reachable ? 1 : 0);
    if (as_of !== null) age.set((Date.now() - Date.parse(as_of)) / 1_000);
    const { reported_at } = reports.status;
    if (reported_at !== null) reportAge.set((Date.now() - Date.parse(reported_at)) / 1_000);
    for (const [reason, count] of Object.entries(refused)) refusals.set({ reason }, count);
    return c.text(await registry.metrics(), 200, { "content-type": registry.contentType });
  });

  return {
    handle: handleOf(app, { availability, isCounted: options.metrics_token !== undefined }),
    status,
    poll: origin.poll,
    /** Reports to the origin what SDKs have. */
    report: reports.report,
    /** Whether SDKs can be served, if only with what is old. */
    async readiness(): Promise<Response> {
      const { sequence, problem, stale_since: since } = origin.status;
      if (sequence === null)
        return notReady(`The relay has nothing to serve. ${problem ?? "It has not reached its origin yet."}`);
      return Response.json(
        since === null ? { status: "ok" } : { status: "degraded", reason: problem, since },
      );
    },
    async begin(): Promise<void> {
      await origin.begin();
      events.begin();
      reports.begin();
    },
    /** Connections that would never end by themselves. */
    endStreams: streams.end,
    async end(): Promise<void> {
      await origin.end();
      await Promise.all([events.end(), reports.end()]);
    },
  };
}
