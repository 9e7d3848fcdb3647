import { join } from "node:path";
import * as activityService from "#lib/activity/service.ts";
import { contracts } from "#lib/app/contracts.ts";
import * as demoService from "#lib/app/demo/service.ts";
import * as instanceStatusService from "#lib/app/instance_status/service.ts";
import { lazyDocument } from "#lib/app/openapi/lazy.ts";
import * as relayService from "#lib/app/relay/service.ts";
import { type MetricsOptions, mountMetrics } from "#lib/app/server/metrics.ts";
import { SCHEDULED_BACKUP, scheduledBackups } from "#lib/app/server/scheduled-backups.ts";
import { onDrain, onShutdown } from "#lib/app/server/shutdown.ts";
import * as approvalPolicyService from "#lib/approvals/approval_policies/service.ts";
import { operationsOf } from "#lib/approvals/change_requests/calls.ts";
import { holdForApproval } from "#lib/approvals/change_requests/hold.ts";
import { changeRequestDue, changeRequestSweep } from "#lib/approvals/change_requests/schedule.ts";
import * as changeRequestService from "#lib/approvals/change_requests/service.ts";
import { verifyAuditLog } from "#lib/audit/job.ts";
import { startSealer } from "#lib/audit/sealer.ts";
import * as auditService from "#lib/audit/service.ts";
import * as holdoutService from "#lib/experiments/experiments/holdouts/holdouts.ts";
import * as savedMetricService from "#lib/experiments/experiments/metrics/saved-metrics.ts";
import * as experimentService from "#lib/experiments/experiments/service.ts";
import * as experimentReportService from "#lib/experiments/report/service.ts";
import * as personExperiments from "#lib/experiments/results/answer/person-experiments.ts";
import { closeExperimentDays } from "#lib/experiments/results/jobs.ts";
import { recalculateDays } from "#lib/experiments/results/recalculate.ts";
import * as experimentResultService from "#lib/experiments/results/service.ts";
import * as flagCopy from "#lib/flags/copies/copy-flags.ts";
import * as dashboardService from "#lib/flags/dashboards/service.ts";
import * as flagCompare from "#lib/flags/environments/compare.ts";
import { promote } from "#lib/flags/environments/promote.ts";
import * as flagActions from "#lib/flags/feature_flags/actions.ts";
import * as flagEvaluate from "#lib/flags/feature_flags/evaluation/evaluate.ts";
import * as personFlags from "#lib/flags/feature_flags/evaluation/person-flags.ts";
import * as flagProve from "#lib/flags/feature_flags/evaluation/prove.ts";
import * as flagsServed from "#lib/flags/feature_flags/evaluation/served.ts";
import * as flagFacets from "#lib/flags/feature_flags/facets.ts";
import * as flagHistory from "#lib/flags/feature_flags/history/history.ts";
import * as flagPast from "#lib/flags/feature_flags/past/past.ts";
import * as flagPins from "#lib/flags/feature_flags/pins/pins.ts";
import { removeExpiredPins } from "#lib/flags/feature_flags/pins/pins.ts";
import * as flagReplay from "#lib/flags/feature_flags/replay/replay.ts";
import * as flagService from "#lib/flags/feature_flags/service.ts";
import * as flagExport from "#lib/flags/feature_flags/transfer/export.ts";
import * as flagImport from "#lib/flags/feature_flags/transfer/import.ts";
import * as flagCallers from "#lib/flags/feature_flags/usage/callers.ts";
import * as flagUsage from "#lib/flags/feature_flags/usage/usage.ts";
import * as flagTestCases from "#lib/flags/feature_flags/who_changes/pinned-cases.ts";
import * as whoChangesService from "#lib/flags/feature_flags/who_changes/who-changes.ts";
import * as savedViewService from "#lib/flags/saved_views/service.ts";
import { scheduledChangeDue, scheduledChangeSweep } from "#lib/flags/scheduled_changes/run.ts";
import * as scheduledChangeService from "#lib/flags/scheduled_changes/service.ts";
import { mountBundles } from "#lib/flags/sdk/bundles.ts";
import { mountSdk } from "#lib/flags/sdk/mount.ts";
import * as flagReceipt from "#lib/flags/sdk_instances/receipt.ts";
import * as sdkInstanceService from "#lib/flags/sdk_instances/service.ts";
import * as environmentService from "#lib/identity/environments/service.ts";
import * as organizationService from "#lib/identity/organizations/service.ts";
import * as personalApiKeyService from "#lib/identity/personal_api_keys/service.ts";
import { bootstrap } from "#lib/identity/projects/bootstrap.ts";
import * as projectService from "#lib/identity/projects/service.ts";
import type { Sessions } from "#lib/identity/sessions/service.ts";
import * as userService from "#lib/identity/users/service.ts";
import { createMailer } from "#lib/notifications/deliveries/mail.ts";
import * as notificationDeliveryService from "#lib/notifications/deliveries/service.ts";
import * as notificationDestinationService from "#lib/notifications/destinations/service.ts";
import { digest } from "#lib/notifications/fan_out/digest.ts";
import * as inboxService from "#lib/notifications/inbox/service.ts";
import { announceInbox, deliverNotifications, pruneNotifications } from "#lib/notifications/jobs.ts";
import * as notificationSubscriptionService from "#lib/notifications/subscriptions/service.ts";
import * as cohortService from "#lib/people/cohorts/service.ts";
import { erasePerson } from "#lib/people/erasures/erase.ts";
import * as erasureService from "#lib/people/erasures/service.ts";
import { mountCapture } from "#lib/people/events/capture.ts";
import { openClickHouse } from "#lib/people/events/history/clickhouse-store.ts";
import { copyHistory, findKeptProblem } from "#lib/people/events/history/ship.ts";
import * as eventService from "#lib/people/events/service.ts";
import * as groupService from "#lib/people/groups/service.ts";
import * as personService from "#lib/people/persons/service.ts";
import * as propertyDefinitionService from "#lib/people/property_definitions/service.ts";
import { deleteOldEvents } from "#lib/people/retention/job.ts";
import * as retentionService from "#lib/people/retention/service.ts";
import { config } from "#lib/platform/config.ts";
import { asDatabaseUnavailable, database } from "#lib/platform/db/connect.ts";
import { migrate } from "#lib/platform/db/migrate.ts";
import { openReplica } from "#lib/platform/db/replica.ts";
import { requireScope } from "#lib/platform/http/auth.ts";
import type { Contract } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import {
  createMounting,
  type Limits,
  mount,
  mountRefusals,
  parseInput,
  SETTLED,
  type Verbs,
} from "#lib/platform/http/mount.ts";
import type { AnyJob } from "#lib/platform/jobs/define.ts";
import { unschedule } from "#lib/platform/jobs/queue.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { log } from "#lib/platform/log.ts";
import { NO_SIBLINGS, type Siblings, siblings } from "#lib/platform/siblings.ts";
import { rehearse } from "#lib/ramps/rehearsal.ts";
import { rollbackConditionsCheck } from "#lib/ramps/rollback-conditions.ts";
import { rampTick } from "#lib/ramps/run.ts";
import * as rampService from "#lib/ramps/service.ts";
import { mountHostedSurveys } from "#lib/surveys/hosted/mount.ts";
import { preview } from "#lib/surveys/hosted/preview.ts";
import { recodeAnswers } from "#lib/surveys/results/count/recode.ts";
import { settleMembers } from "#lib/surveys/results/ingest/across-surveys.ts";
import * as personResponses from "#lib/surveys/results/read/person-responses.ts";
import * as surveyResultsService from "#lib/surveys/results/service.ts";
import * as surveyFigures from "#lib/surveys/results/statistics/figures.ts";
import * as surveySummaries from "#lib/surveys/results/statistics/summaries.ts";
import { configuredSurveys, hasSurveys, mountSurveyFeed } from "#lib/surveys/surveys/feed.ts";
import { surveyDue, surveySweep } from "#lib/surveys/surveys/schedule/schedule.ts";
import * as surveyService from "#lib/surveys/surveys/service.ts";
import packageFile from "#package" with { type: "json" };
import { createRoutes, handleOf } from "./routes.ts";
import { createRuntime, follow, forget, type Runtime, type ServedRuntime, settled } from "./runtime.ts";
import { keepSnapshot, readSnapshot, recall, shareProjects, snapshotFile } from "./snapshot.ts";

/** Verbs, checked against the contract that they serve. */
const serve = <C extends Contract>(_contract: C, verbs: Verbs<C, ServedRuntime>) => verbs;

/** What serves each resource, by the name of its contract. */
const VERBS = {
  feature_flags: serve(contracts.feature_flags, {
    ...flagEvaluate,
    ...flagProve,
    ...whoChangesService,
    ...flagHistory,
    ...flagPast,
    ...flagReplay,
    ...flagTestCases,
    ...flagPins,
    ...flagUsage,
    ...flagCallers,
    ...flagReceipt,
    ...flagExport,
    ...flagImport,
    ...flagService,
    ...flagFacets,
    ...flagActions,
    ...flagsServed,
  }),
  flag_environments: serve(contracts.flag_environments, {
    ...flagCompare,
    promote,
    ...flagCopy,
  }),
  saved_views: serve(contracts.saved_views, savedViewService),
  scheduled_changes: serve(contracts.scheduled_changes, scheduledChangeService),
  sdk_instances: serve(contracts.sdk_instances, sdkInstanceService),
  ramps: serve(contracts.ramps, { ...rampService, rehearse }),
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
  persons: serve(contracts.persons, {
    ...personService,
    ...personFlags,
    ...personExperiments,
    ...personResponses,
    destroy: erasureService.destroy,
    bulk_delete: erasureService.bulk_delete,
    stored: erasureService.stored,
    export: erasureService.export,
  }),
  erasures: serve(contracts.erasures, {
    list: erasureService.list,
    retrieve: erasureService.retrieve,
  }),
  groups: serve(contracts.groups, groupService),
  events: serve(contracts.events, { ...eventService, ...retentionService }),
  property_definitions: serve(contracts.property_definitions, propertyDefinitionService),
  approval_policies: serve(contracts.approval_policies, approvalPolicyService),
  change_requests: serve(contracts.change_requests, changeRequestService),
  inbox: serve(contracts.inbox, inboxService),
  notification_destinations: serve(contracts.notification_destinations, notificationDestinationService),
  notification_deliveries: serve(contracts.notification_deliveries, notificationDeliveryService),
  notification_subscriptions: serve(contracts.notification_subscriptions, {
    ...notificationSubscriptionService,
    digest,
  }),
  activity_log: serve(contracts.activity_log, activityService),
  audit_log: serve(contracts.audit_log, auditService),
  projects: serve(contracts.projects, projectService),
  demo: serve(contracts.demo, { load: demoService.load, retrieve: demoService.retrieve }),
  environments: serve(contracts.environments, environmentService),
  organizations: serve(contracts.organizations, organizationService),
  users: serve(contracts.users, userService),
  relay: serve(contracts.relay, relayService),
  instance_status: serve(contracts.instance_status, instanceStatusService),
  personal_api_keys: serve(contracts.personal_api_keys, personalApiKeyService),
} satisfies { [Name in keyof typeof contracts]: Verbs<(typeof contracts)[Name], ServedRuntime> };

const OPERATIONS = operationsOf(contracts);

const hold = holdForApproval(OPERATIONS);

/**
 * The runtime with which calls of the API can be made again.
 *
 * @param changed hears which projects calls have written to that are not those of the request
 */
export function calling(
  runtime: Runtime,
  changed: (projectId: number) => void = () => undefined,
): ServedRuntime {
  const served: ServedRuntime = {
    ...runtime,
    operations: OPERATIONS,
    perform: async (context, { operation, ...sent }) => {
      const declared = OPERATIONS.get(operation);
      const [resource = "", verb = ""] = operation.split(".");
      const verbs: Readonly<Record<string, Readonly<Record<string, unknown>>>> = VERBS;
      const work = verbs[resource]?.[verb] as ((context: unknown, input: unknown) => unknown) | undefined;
      if (!declared || !work) throw invalid(`This release cannot make the call ${operation}.`);
      const params = { ...sent.params, project_id: String(context.project.id) };
      return work(context, parseInput(declared, { ...sent, params, body: sent.body }));
    },
    callIn: async (calling, project, { operation, body }) => {
      const declared = OPERATIONS.get(operation);
      if (!declared) throw invalid(`This release cannot make the call ${operation}.`);
      requireScope(calling.key, declared.scope);
      const context = { ...calling, project, runtime: served };
      const call = { operation, params: {}, query: {}, body };
      const sent = { params: { project_id: String(project.id) }, query: {}, body };
      const reply = await hold(declared, context, sent, () => served.perform(context, call));
      changed(project.id);
      return reply;
    },
  };
  return served;
}

/** Background work; in the process that serves, see lib/jobs. */
export const JOBS: AnyJob<ServedRuntime>[] = [
  changeRequestDue,
  changeRequestSweep,
  scheduledChangeDue,
  scheduledChangeSweep,
  removeExpiredPins,
  rampTick,
  rollbackConditionsCheck,
  surveyDue,
  surveySweep,
  recodeAnswers,
  settleMembers,
  closeExperimentDays,
  recalculateDays,
  deleteOldEvents,
  erasePerson,
  verifyAuditLog,
  deliverNotifications,
  announceInbox,
  pruneNotifications,
];

/**
 * Everything that is not a page: the management API, the SDKs' paths and OpenFeature's, as one function. With it come
 * the paths of its routes.
 */
export function createHandle(
  started: Runtime,
  options: { limits: Limits; version: string; siblings?: Siblings; metrics?: MetricsOptions },
) {
  const app = createRoutes(() => notFound("Endpoint not found."));
  const runtime = calling(started, (projectId) => mounting.changed(projectId));
  const mounting = createMounting(app, runtime, options.limits, {
    siblings: options.siblings,
    settled: (projectId) => settled(runtime, projectId),
    around: hold,
  });
  runtime.streams.settleWith(mounting.settled);
  runtime.announcements.settleWith(() => mounting.settled(null));
  mountSdk(mounting, {
    hasSurveys: (projectId) => hasSurveys(runtime, projectId),
    surveys: (projectId) => configuredSurveys(runtime, projectId),
  });
  mountCapture(mounting);
  mountBundles(mounting);
  // Session recordings: SDKs that send some get the API's 404, not a page.
  app.all("/s", (c) => c.notFound());
  for (const name of Object.keys(contracts) as (keyof typeof contracts)[])
    mount(mounting, contracts[name] as Contract, VERBS[name] as Verbs<Contract, ServedRuntime>);
  mountSurveyFeed(mounting);
  mountHostedSurveys(mounting);
  const document = lazyDocument(options.version);
  const isCounted = options.metrics?.token !== undefined;
  app.get("/api/schema", async (c) => c.body(await document(), 200, { "content-type": "application/json" }));
  mountMetrics(mounting, options.siblings ?? NO_SIBLINGS, options.metrics ?? {});
  mountRefusals(mounting, Object.values(contracts));
  return handleOf(app, { availability: runtime.availability, isCounted });
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
  log().error({ error }, "The process cannot go on.");
  process.kill(process.pid, "SIGTERM");
}

/** The process's own service, on its own database; the first call opens what it needs. */
async function assemble(): Promise<Handle> {
  const settings = config();
  const key = Buffer.from(settings.encryptionKey);
  const file = snapshotFile(settings.dataDir);
  const snapshot = readSnapshot(file, key);
  const opened = await database(snapshot?.as_of);
  const { db, evaluation: evaluationDb, availability, notifications, pool } = opened;
  const replicaUrl = settings.databaseReplicaUrl;
  const replica = replicaUrl === undefined ? null : openReplica(replicaUrl, pool);
  if (replica) onShutdown(replica.close);
  const copy = settings.clickhouseUrl === undefined ? undefined : openClickHouse(settings.clickhouseUrl);
  const runtime = createRuntime(
    db,
    { encryption_key: key, audit: settings.audit },
    {
      evaluationDb,
      availability,
      replica,
      copy,
      streams: {
        limits: { all: settings.streamLimit, project: settings.streamLimitPerProject },
      },
      notifications: {
        public_url: settings.publicUrl ?? `http://${settings.host}:${settings.port}`,
        networks: settings.notificationNetworks,
        mailer: settings.mail ? createMailer(settings.mail) : null,
      },
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
    const { backups } = settings;
    if (!backups) await unschedule(db, SCHEDULED_BACKUP);
    if (!copy) {
      await unschedule(db, copyHistory.name);
      const problem = await findKeptProblem(db);
      if (problem) log().error(problem);
    }
    const runner = await startRunner<ServedRuntime>({
      runtime: calling(runtime),
      jobs: [
        ...JOBS,
        ...(backups ? [scheduledBackups(opened, backups)] : []),
        ...(copy ? [copyHistory] : []),
      ],
      db: opened.jobs,
      subscribe: notifications.subscribe,
    });
    onShutdown(runner.stop);
    onShutdown(startSealer(opened.jobs, runtime.settings).stop);
    onShutdown(async () => copy?.close());
  };
  const limits: Limits = {
    management: settings.rateLimitPerMinute,
    definitions: settings.sdkRateLimitPerMinute,
    events: settings.eventRateLimitPerMinute,
  };
  shared[sessionsSlot] = runtime.sessions;
  const others = siblings();
  others.onAsked(SETTLED, async (projectId) => {
    await notifications.caughtUp();
    await settled(runtime, projectId as number | null);
  });
  onShutdown(shareProjects(runtime, others).end);
  others.onAsked(STORE_INSTANCES, (projectId) => runtime.instances.store(Number(projectId)));
  runtime.instances.joinWith((projectId) => others.ask(STORE_INSTANCES, projectId));
  onDrain(runtime.streams.end);
  onDrain(runtime.announcements.end);
  onShutdown(runtime.instances.end);
  const metrics: MetricsOptions = {
    token: settings.metricsToken,
    pools: { requests: opened.pool, evaluation: opened.evaluationPool, jobs: opened.jobPool },
  };
  const handle = createHandle(runtime, { limits, version: packageFile.version, siblings: others, metrics });
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
  return handle;
}

/** The process's service; the first call puts it together. */
export function service(): Promise<Handle> {
  shared[slot] ??= assemble().catch((error: unknown) => {
    shared[slot] = undefined;
    throw error;
  });
  return shared[slot];
}

/** What siblings are asked before instances of SDKs are counted. */
const STORE_INSTANCES = "store SDK instances";

/** Answers one request to the API. */
export const handle = async (request: Request): Promise<Response> => (await service())(request);

/** Who is signed in to the dashboard of this process; for lib/dashboard alone. */
export async function sessions(): Promise<Sessions> {
  await service();
  return shared[sessionsSlot] as Sessions;
}
