import { DrizzleQueryError } from "drizzle-orm";
import { Hono } from "hono";
import { activityContract } from "#lib/activity/contract.ts";
import * as activityService from "#lib/activity/service.ts";
import { cohortContract } from "#lib/cohorts/contract.ts";
import * as cohortService from "#lib/cohorts/service.ts";
import { config } from "#lib/config.ts";
import { dashboardContract } from "#lib/dashboards/contract.ts";
import * as dashboardService from "#lib/dashboards/service.ts";
import { asDatabaseUnavailable, database } from "#lib/db/connect.ts";
import { demoContract } from "#lib/demo/contract.ts";
import * as demoService from "#lib/demo/service.ts";
import { mountCapture } from "#lib/events/capture.ts";
import { eventContract } from "#lib/events/contract.ts";
import * as eventService from "#lib/events/service.ts";
import { experimentReportContract } from "#lib/experiment_report/contract.ts";
import * as experimentReportService from "#lib/experiment_report/service.ts";
import { experimentResultContract } from "#lib/experiment_results/contract.ts";
import { closeExperimentDays } from "#lib/experiment_results/jobs.ts";
import { recalculateDays } from "#lib/experiment_results/recalculate.ts";
import * as experimentResultService from "#lib/experiment_results/service.ts";
import { experimentContract } from "#lib/experiments/contract.ts";
import { holdoutContract } from "#lib/experiments/holdout_contract.ts";
import * as holdoutService from "#lib/experiments/holdouts.ts";
import { savedMetricContract } from "#lib/experiments/saved_metric_contract.ts";
import * as savedMetricService from "#lib/experiments/saved_metrics.ts";
import * as experimentService from "#lib/experiments/service.ts";
import * as flagActions from "#lib/feature_flags/actions.ts";
import { flagContract } from "#lib/feature_flags/contract.ts";
import * as flagEvaluate from "#lib/feature_flags/evaluate.ts";
import { evaluateContract } from "#lib/feature_flags/evaluate_contract.ts";
import * as flagHistory from "#lib/feature_flags/history.ts";
import * as flagService from "#lib/feature_flags/service.ts";
import * as flagTestCases from "#lib/feature_flags/test_cases.ts";
import { testCasesContract } from "#lib/feature_flags/test_cases_contract.ts";
import * as flagUsage from "#lib/feature_flags/usage.ts";
import { usageContract } from "#lib/feature_flags/usage_contract.ts";
import { versionsContract } from "#lib/feature_flags/versions_contract.ts";
import * as whoChangesService from "#lib/feature_flags/who_changes.ts";
import { whoChangesContract } from "#lib/feature_flags/who_changes_contract.ts";
import { groupContract } from "#lib/groups/contract.ts";
import * as groupService from "#lib/groups/service.ts";
import { releaseBody } from "#lib/http/body_memory.ts";
import type { Contract } from "#lib/http/contract.ts";
import { ApiError, notFound } from "#lib/http/errors.ts";
import {
  createLimits,
  type Limits,
  type Mounting,
  mount,
  mountRefusals,
  type Verbs,
} from "#lib/http/mount.ts";
import { openApiDocument } from "#lib/http/openapi.ts";
import { ownerOf } from "#lib/http/paths.ts";
import { instanceStatusContract } from "#lib/instance_status/contract.ts";
import * as instanceStatusService from "#lib/instance_status/service.ts";
import type { AnyJob } from "#lib/jobs/define.ts";
import { startRunner } from "#lib/jobs/runner.ts";
import { organizationContract } from "#lib/organizations/contract.ts";
import * as organizationService from "#lib/organizations/service.ts";
import { personalApiKeyContract } from "#lib/personal_api_keys/contract.ts";
import * as personalApiKeyService from "#lib/personal_api_keys/service.ts";
import { personContract } from "#lib/persons/contract.ts";
import * as personService from "#lib/persons/service.ts";
import { bootstrap } from "#lib/projects/bootstrap.ts";
import { projectContract } from "#lib/projects/contract.ts";
import * as projectService from "#lib/projects/service.ts";
import { propertyDefinitionContract } from "#lib/property_definitions/contract.ts";
import * as propertyDefinitionService from "#lib/property_definitions/service.ts";
import { createRuntime, follow, forget, type Runtime } from "#lib/runtime.ts";
import { mountBundles } from "#lib/sdk/bundles.ts";
import { openContract } from "#lib/sdk/contract.ts";
import { mountSdk } from "#lib/sdk/mount.ts";
import { onShutdown } from "#lib/server/shutdown.ts";
import type { Sessions } from "#lib/sessions/service.ts";
import { surveyResultsContract } from "#lib/survey_results/contract.ts";
import { forgetChanges, recodeAnswers } from "#lib/survey_results/recode.ts";
import * as surveyResultsService from "#lib/survey_results/service.ts";
import { settlePeople } from "#lib/survey_results/together.ts";
import { surveyContract } from "#lib/surveys/contract.ts";
import { configuredSurveys, hasSurveys, mountSurveyFeed } from "#lib/surveys/feed.ts";
import { mountHostedSurveys } from "#lib/surveys/hosted/mount.ts";
import { surveyDue, surveySweep } from "#lib/surveys/schedule.ts";
import * as surveyService from "#lib/surveys/service.ts";
import { userContract } from "#lib/users/contract.ts";
import * as userService from "#lib/users/service.ts";
import packageFile from "#package" with { type: "json" };

/** A resource: what it promises, and what keeps the promise. */
const resource = <C extends Contract>(contract: C, verbs: Verbs<C>) => ({
  contract,
  serve: (mounting: Mounting) => mount(mounting, contract, verbs),
});

const RESOURCES: Record<string, { contract: Contract; serve: (mounting: Mounting) => void }> = {
  feature_flags: resource(
    {
      ...evaluateContract,
      ...whoChangesContract,
      ...versionsContract,
      ...testCasesContract,
      ...usageContract,
      ...flagContract,
    },
    {
      ...flagEvaluate,
      ...whoChangesService,
      ...flagHistory,
      ...flagTestCases,
      ...flagUsage,
      ...flagService,
      ...flagActions,
    },
  ),
  surveys: resource(surveyContract, surveyService),
  survey_results: resource(surveyResultsContract, surveyResultsService),
  experiment_results: resource(experimentResultContract, experimentResultService),
  experiment_report: resource(experimentReportContract, experimentReportService),
  experiments: resource(experimentContract, experimentService),
  experiment_holdouts: resource(holdoutContract, holdoutService),
  experiment_saved_metrics: resource(savedMetricContract, savedMetricService),
  cohorts: resource(cohortContract, cohortService),
  dashboards: resource(dashboardContract, dashboardService),
  persons: resource(personContract, personService),
  groups: resource(groupContract, groupService),
  events: resource(eventContract, eventService),
  property_definitions: resource(propertyDefinitionContract, propertyDefinitionService),
  activity_log: resource(activityContract, activityService),
  projects: resource(projectContract, projectService),
  demo: resource(demoContract, { load: demoService.load, retrieve: demoService.retrieve }),
  organizations: resource(organizationContract, organizationService),
  users: resource(userContract, userService),
  instance_status: resource(instanceStatusContract, instanceStatusService),
  personal_api_keys: resource(personalApiKeyContract, personalApiKeyService),
};

/** What is done without being asked; in the process that serves, see lib/jobs. */
const JOBS: AnyJob[] = [
  surveyDue,
  surveySweep,
  recodeAnswers,
  forgetChanges,
  settlePeople,
  closeExperimentDays,
  recalculateDays,
];

/** Every contract by its resource's name, for the document, the reference page and the tests that walk them. */
export const contracts = () =>
  Object.fromEntries(Object.entries(RESOURCES).map(([name, { contract }]) => [name, contract]));

function answerToError(error: unknown): Response {
  if (error instanceof ApiError)
    return Response.json(error.body, { status: error.status, headers: error.headers });
  const unavailable = asDatabaseUnavailable(error);
  if (unavailable) {
    const body = {
      type: "server_error",
      code: "database_unavailable",
      detail: unavailable.message,
      attr: null,
    };
    return Response.json(body, { status: 503, headers: { "retry-after": "1" } });
  }
  // The wrapper around a failed query names its parameters, which are people's data: only its cause is logged.
  console.error(error instanceof DrizzleQueryError ? (error.cause ?? error.query) : error);
  const body = { type: "server_error", code: "error", detail: "A server error occurred.", attr: null };
  return Response.json(body, { status: 500 });
}

/**
 * Everything that is not a page: the management API, the SDKs' paths and OpenFeature's, as one function. With it come
 * the paths of its routes.
 */
export function createHandle(runtime: Runtime, options: { limits: Limits; version: string }) {
  const app = new Hono({ strict: false });
  const mounting: Mounting = { app, runtime, limits: createLimits(options.limits) };
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
  for (const { serve } of Object.values(RESOURCES)) serve(mounting);
  mountSurveyFeed(mounting);
  mountHostedSurveys(mounting);
  const document = openApiDocument({ ...contracts(), open: openContract }, options.version);
  app.get("/api/schema", (c) => c.json(document));
  mountRefusals(mounting, Object.values(contracts()));
  const answer = async (request: Request): Promise<Response> => {
    try {
      return await app.fetch(request);
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

/** The process's own service, on its own database; the first call opens what it needs. */
async function assemble(): Promise<Handle> {
  const settings = config();
  const { db, notifications } = await database();
  await bootstrap(db, {
    bootstrap_personal_api_key: settings.bootstrapPersonalApiKey,
    bootstrap_project_token: settings.bootstrapProjectToken,
  });
  const runtime = createRuntime(db, { encryption_key: Buffer.from(settings.encryptionKey) });
  notifications.onGap(() => forget(runtime));
  await follow(runtime, notifications.subscribe);
  onShutdown(() => runtime.events.drain());
  const runner = await startRunner({ runtime, jobs: JOBS, subscribe: notifications.subscribe });
  onShutdown(runner.stop);
  const limits: Limits = {
    management: settings.rateLimitPerMinute,
    definitions: settings.sdkRateLimitPerMinute,
    events: settings.eventRateLimitPerMinute,
  };
  shared[sessionsSlot] = runtime.sessions;
  return createHandle(runtime, { limits, version: packageFile.version });
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
