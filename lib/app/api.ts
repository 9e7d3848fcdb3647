import { join } from "node:path";
import { DrizzleQueryError } from "drizzle-orm";
import { Hono } from "hono";
import * as activityService from "#lib/activity/service.ts";
import { contracts } from "#lib/app/contracts.ts";
import * as demoService from "#lib/app/demo/service.ts";
import * as instanceStatusService from "#lib/app/instance_status/service.ts";
import { healthContract } from "#lib/app/server/health-contract.ts";
import { ownerOf } from "#lib/app/server/paths.ts";
import { onShutdown } from "#lib/app/server/shutdown.ts";
import * as holdoutService from "#lib/experiments/experiments/holdouts/holdouts.ts";
import * as savedMetricService from "#lib/experiments/experiments/metrics/saved-metrics.ts";
import * as experimentService from "#lib/experiments/experiments/service.ts";
import * as experimentReportService from "#lib/experiments/report/service.ts";
import { closeExperimentDays } from "#lib/experiments/results/jobs.ts";
import { recalculateDays } from "#lib/experiments/results/recalculate.ts";
import * as experimentResultService from "#lib/experiments/results/service.ts";
import * as dashboardService from "#lib/flags/dashboards/service.ts";
import * as flagActions from "#lib/flags/feature_flags/actions.ts";
import * as flagEvaluate from "#lib/flags/feature_flags/evaluation/evaluate.ts";
import * as personFlags from "#lib/flags/feature_flags/evaluation/person-flags.ts";
import * as flagFacets from "#lib/flags/feature_flags/facets.ts";
import * as flagHistory from "#lib/flags/feature_flags/history/history.ts";
import * as flagService from "#lib/flags/feature_flags/service.ts";
import * as flagUsage from "#lib/flags/feature_flags/usage/usage.ts";
import * as flagTestCases from "#lib/flags/feature_flags/who_changes/pinned-cases.ts";
import * as whoChangesService from "#lib/flags/feature_flags/who_changes/who-changes.ts";
import { mountBundles } from "#lib/flags/sdk/bundles.ts";
import { openContract } from "#lib/flags/sdk/contract.ts";
import { mountSdk } from "#lib/flags/sdk/mount.ts";
import * as organizationService from "#lib/identity/organizations/service.ts";
import * as personalApiKeyService from "#lib/identity/personal_api_keys/service.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import * as projectService from "#lib/identity/projects/service.ts";
import type { Sessions } from "#lib/identity/sessions/service.ts";
import * as userService from "#lib/identity/users/service.ts";
import * as cohortService from "#lib/people/cohorts/service.ts";
import { mountCapture } from "#lib/people/events/capture.ts";
import * as eventService from "#lib/people/events/service.ts";
import * as groupService from "#lib/people/groups/service.ts";
import * as personService from "#lib/people/persons/service.ts";
import * as propertyDefinitionService from "#lib/people/property_definitions/service.ts";
import { config, StartError } from "#lib/platform/config.ts";
import { asDatabaseUnavailable, database } from "#lib/platform/db/connect.ts";
import { tookTooLong } from "#lib/platform/db/errors.ts";
import { migrate } from "#lib/platform/db/migrate.ts";
import { releaseBody } from "#lib/platform/http/body/body-memory.ts";
import type { Contract } from "#lib/platform/http/contract.ts";
import { ApiError, notFound } from "#lib/platform/http/errors.ts";
import {
  createMounting,
  type Limits,
  type Mounting,
  mount,
  mountRefusals,
  SETTLED,
  type Verbs,
} from "#lib/platform/http/mount.ts";
import { openApiDocument } from "#lib/platform/http/openapi.ts";
import type { AnyJob } from "#lib/platform/jobs/define.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { type Siblings, siblings } from "#lib/platform/siblings.ts";
import { mountHostedSurveys } from "#lib/surveys/hosted/mount.ts";
import { preview } from "#lib/surveys/hosted/preview.ts";
import { recodeAnswers } from "#lib/surveys/results/count/recode.ts";
import { settleMembers } from "#lib/surveys/results/ingest/across-surveys.ts";
import * as surveyResultsService from "#lib/surveys/results/service.ts";
import * as surveyFigures from "#lib/surveys/results/statistics/figures.ts";
import * as surveySummaries from "#lib/surveys/results/statistics/summaries.ts";
import { configuredSurveys, hasSurveys, mountSurveyFeed } from "#lib/surveys/surveys/feed.ts";
import { surveyDue, surveySweep } from "#lib/surveys/surveys/schedule/schedule.ts";
import * as surveyService from "#lib/surveys/surveys/service.ts";
import packageFile from "#package" with { type: "json" };
import { createRuntime, follow, forget, type Runtime } from "./runtime.ts";
import { keepSnapshot, readSnapshot, recall, shareProjects, snapshotFile } from "./snapshot.ts";

const serve =
  <C extends Contract>(contract: C, verbs: Verbs<C, Runtime>) =>
  (mounting: Mounting<Runtime>) =>
    mount(mounting, contract, verbs);

/** How each resource is served, by the name of its contract. */
const RESOURCES: { [Name in keyof typeof contracts]: (mounting: Mounting<Runtime>) => void } = {
  feature_flags: serve(contracts.feature_flags, {
    ...flagEvaluate,
    ...whoChangesService,
    ...flagHistory,
    ...flagTestCases,
    ...flagUsage,
    ...flagService,
    ...flagFacets,
    ...flagActions,
  }),
  surveys: serve(contracts.surveys, {
    ...surveyService,
    ...surveyFigures,
    ...surveySummaries,
    preview,
  }),
  survey_results: serve(contracts.survey_results, surveyResultsService),
  experiment_results: serve(contracts.experiment_results, experimentResultService),
  experiment_report: serve(contracts.experiment_report, experimentReportService),
  experiments: serve(contracts.experiments, experimentService),
  experiment_holdouts: serve(contracts.experiment_holdouts, holdoutService),
  experiment_saved_metrics: serve(contracts.experiment_saved_metrics, savedMetricService),
  cohorts: serve(contracts.cohorts, cohortService),
  dashboards: serve(contracts.dashboards, dashboardService),
  persons: serve(contracts.persons, { ...personService, ...personFlags }),
  groups: serve(contracts.groups, groupService),
  events: serve(contracts.events, eventService),
  property_definitions: serve(contracts.property_definitions, propertyDefinitionService),
  activity_log: serve(contracts.activity_log, activityService),
  projects: serve(contracts.projects, projectService),
  demo: serve(contracts.demo, { load: demoService.load, retrieve: demoService.retrieve }),
  organizations: serve(contracts.organizations, organizationService),
  users: serve(contracts.users, userService),
  instance_status: serve(contracts.instance_status, instanceStatusService),
  personal_api_keys: serve(contracts.personal_api_keys, personalApiKeyService),
};

/** Background work; in the process that serves, see lib/jobs. */
const JOBS: AnyJob<Runtime>[] = [
  surveyDue,
  surveySweep,
  recodeAnswers,
  settleMembers,
  closeExperimentDays,
  recalculateDays,
];

function answerToError(error: unknown): Response {
  if (error instanceof ApiError)
    return Response.json(error.body, { status: error.status, headers: error.headers });
  const unavailable = tookTooLong(error)
    ? "The database took too long to answer."
    : asDatabaseUnavailable(error)?.message;
  if (unavailable) {
    const body = { type: "server_error", code: "database_unavailable", detail: unavailable, attr: null };
    return Response.json(body, { status: 503, headers: { "retry-after": "1" } });
  }
  // The wrapper around a failed query names its parameters, which are people's data: only its cause is logged.
  console.error(error instanceof DrizzleQueryError ? (error.cause ?? error.query) : error);
  const body = { type: "server_error", code: "error", detail: "A server error occurred.", attr: null };
  return Response.json(body, { status: 500 });
}

/** The OpenAPI document of all that is mounted, and of what the server in front answers itself. */
export const apiDocument = (version: string) =>
  openApiDocument({ ...contracts, open: openContract, health: healthContract }, version);

/**
 * Nothing is taken for another type than it says, nothing is kept that does not say for how long it may be, and what
 * was answered from memory says so.
 */
function guarded(response: Response, staleSince: Date | null): Response {
  const { headers } = response;
  if (staleSince !== null && response.status < 400)
    headers.set("switchyard-stale-since", staleSince.toISOString());
  headers.set("x-content-type-options", "nosniff");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  return response;
}

/**
 * Everything that is not a page: the management API, the SDKs' paths and OpenFeature's, as one function. With it come
 * the paths of its routes.
 */
export function createHandle(
  runtime: Runtime,
  options: { limits: Limits; version: string; siblings?: Siblings },
) {
  const app = new Hono({ strict: false });
  const mounting = createMounting(app, runtime, options.limits, options.siblings);
  app.onError((error) => answerToError(error));
  app.notFound(() => answerToError(notFound("Endpoint not found.")));
  mountSdk(mounting, {
    hasSurveys: (projectId) => hasSurveys(runtime, projectId),
    surveys: (projectId) => configuredSurveys(runtime, projectId),
  });
  mountCapture(mounting);
  mountBundles(mounting);
  // Session recordings: SDKs that send some get the API's 404, not a page.
  app.all("/s", (c) => c.notFound());
  for (const mountResource of Object.values(RESOURCES)) mountResource(mounting);
  mountSurveyFeed(mounting);
  mountHostedSurveys(mounting);
  const document = apiDocument(options.version);
  app.get("/api/schema", (c) => c.json(document));
  mountRefusals(mounting, Object.values(contracts));
  const answer = async (request: Request): Promise<Response> => {
    try {
      return guarded(await app.fetch(request), runtime.availability.away_since);
    } finally {
      releaseBody(request);
    }
  };
  const paths = [...new Set(app.routes.map(({ path }) => path))];
  return Object.assign(answer, { paths, ownsTarget: ownerOf(paths) });
}

type Handle = ReturnType<typeof createHandle>;

const slot = Symbol.for("switchyard.process_handle");
const sessionsSlot = Symbol.for("switchyard.sessions");
const shared: typeof globalThis & {
  [slot]?: Promise<Handle> | undefined;
  [sessionsSlot]?: Sessions;
} = globalThis;

/** Ends a process that cannot go on; whoever keeps it running starts it again. */
function endProcess(error: unknown): void {
  console.error(error instanceof StartError ? error.message : error);
  process.kill(process.pid, "SIGTERM");
}

/** The process's own service, on its own database; the first call opens what it needs. */
async function assemble(): Promise<Handle> {
  const settings = config();
  const key = Buffer.from(settings.encryptionKey);
  const file = snapshotFile(settings.dataDir);
  const snapshot = readSnapshot(file, key);
  const opened = await database(snapshot?.as_of);
  const { db, availability, notifications } = opened;
  const runtime = createRuntime(
    db,
    { encryption_key: key },
    {
      availability,
      ...(settings.spoolBytes > 0 && {
        spool: { folder: join(settings.dataDir, "spool"), max_bytes: settings.spoolBytes },
      }),
    },
  );
  notifications.onGap(() => forget(runtime));
  await follow(runtime, notifications.subscribe);
  onShutdown(() => runtime.events.drain());
  /** What needs the database: a process that starts without it does this as soon as it is there. */
  const begin = async () => {
    await bootstrap(db, {
      bootstrap_personal_api_key: settings.bootstrapPersonalApiKey,
      bootstrap_project_token: settings.bootstrapProjectToken,
    });
    const runner = await startRunner({
      runtime,
      jobs: JOBS,
      db: opened.jobs,
      subscribe: notifications.subscribe,
    });
    onShutdown(runner.stop);
  };
  if (availability.away_since === null) await begin();
  else {
    if (snapshot) recall(runtime, snapshot);
    const stop = availability.onChange((awaySince) => {
      if (awaySince !== null) return;
      migrate(opened)
        .then(begin)
        .then(stop)
        .catch((error: unknown) => {
          // Away again: the next time, then. A schema that this release cannot use is as good as no start at all.
          if (!asDatabaseUnavailable(error)) endProcess(error);
        });
    });
  }
  const kept = keepSnapshot(runtime, file);
  onShutdown(kept.end);
  const limits: Limits = {
    management: settings.rateLimitPerMinute,
    definitions: settings.sdkRateLimitPerMinute,
    events: settings.eventRateLimitPerMinute,
  };
  shared[sessionsSlot] = runtime.sessions;
  const others = siblings();
  others.onAsked(SETTLED, notifications.caughtUp);
  onShutdown(shareProjects(runtime, others).end);
  return createHandle(runtime, { limits, version: packageFile.version, siblings: others });
}

/** The process's service; the first call puts it together. */
export function service(): Promise<Handle> {
  shared[slot] ??= assemble().catch((error: unknown) => {
    shared[slot] = undefined;
    throw error;
  });
  return shared[slot];
}

/** Answers one request to the API. */
export const handle = async (request: Request): Promise<Response> => (await service())(request);

/** Who is signed in to the dashboard of this process; for lib/dashboard alone. */
export async function sessions(): Promise<Sessions> {
  await service();
  return shared[sessionsSlot] as Sessions;
}
