import { entryDifferences, referencesIn } from "#lib/app/activity/differences.ts";
import { kindNoun, verbOf } from "#lib/app/activity/words.ts";
import { createPolicyCache, POLICIES_TOPIC } from "#lib/approvals/approval_policies/cache.ts";
import type { CallingRuntime } from "#lib/approvals/context.ts";
import { asGranted } from "#lib/approvals/gate/gate.ts";
import { followFlag } from "#lib/experiments/experiments/lifecycle/follow-flag.ts";
import { selectOpenExperiments } from "#lib/experiments/experiments/store.ts";
import { createEventReaders } from "#lib/experiments/results/retention.ts";
import type { DirectUser } from "#lib/flags/context.ts";
import type { CopyingRuntime } from "#lib/flags/copies/copy-flags.ts";
import { createFlagCache, FLAGS_TOPIC, type FlagCache } from "#lib/flags/feature_flags/cache.ts";
import { createDefinitions } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { createFindPerson, selectGroupTypes } from "#lib/flags/feature_flags/evaluation/evaluation-store.ts";
import { createCallNotes } from "#lib/flags/feature_flags/usage/calls.ts";
import { databaseStorage } from "#lib/flags/sdk_instances/store.ts";
import { createTracker } from "#lib/flags/sdk_instances/tracker.ts";
import { contentsOf, createStreams, type StreamOptions } from "#lib/flags/streams/streams.ts";
import { ACCOUNTS_TOPIC, createDirectory } from "#lib/identity/accounts/directory.ts";
import { createSessions, SESSIONS_TOPIC, type Sessions } from "#lib/identity/sessions/service.ts";
import type * as notifications from "#lib/notifications/context.ts";
import { COHORTS_TOPIC, createCohortCache } from "#lib/people/cohorts/cache.ts";
import { cohortIdsOf } from "#lib/people/conditions/cohort-conditions.ts";
import { createReplayFilter } from "#lib/people/erasures/replay.ts";
import { createAftermath } from "#lib/people/events/aftermath.ts";
import type { HistoryCopy } from "#lib/people/events/history/clickhouse-store.ts";
import { createHistory } from "#lib/people/events/history/history.ts";
import { createSpool, type SpoolOptions } from "#lib/people/events/spool.ts";
import type { WriterHooks } from "#lib/people/events/writer.ts";
import { GROUP_TYPES_TOPIC } from "#lib/people/groups/ingest.ts";
import { type ChangedPersons, createPersonCache, PERSONS_TOPIC } from "#lib/people/persons/cache.ts";
import { createAvailability } from "#lib/platform/db/availability.ts";
import type { Availability, Db } from "#lib/platform/db/connect.ts";
import type { Replica } from "#lib/platform/db/replica.ts";
import type { Settings } from "#lib/platform/http/context.ts";
import { log } from "#lib/platform/log.ts";
import { createTurns } from "#lib/platform/turns.ts";
import { rampUses } from "#lib/ramps/retention.ts";
import type * as surveys from "#lib/surveys/context.ts";
import { surveyAnswers } from "#lib/surveys/results/count/recode.ts";
import { setDraftsAside } from "#lib/surveys/results/ingest/drafts.ts";
import { createSurveyCache, SURVEYS_TOPIC } from "#lib/surveys/surveys/cache.ts";
import { surveyUsers } from "#lib/surveys/surveys/flag-users.ts";
import { createLimitChecks } from "#lib/surveys/surveys/schedule/limit-checks.ts";
import { isOpen } from "#lib/surveys/surveys/state.ts";
import { INBOX } from "./inbox.ts";
import { type Announcements, createAnnouncements } from "./relay/announcements.ts";
import { createRelayBundles, type RelayBundles } from "./relay/bundles.ts";
import { createEraseSteps, createWriter } from "./rollups.ts";

/** What one process shares between all requests: the database, and what it holds in memory of it. */
export type Runtime = surveys.Runtime &
  notifications.Runtime & {
    sessions: Sessions;
    relayBundles: RelayBundles;
    /** What relays hear of changes. */
    announcements: Announcements;
  };

/** The experiments and surveys that run on some flags. */
const flagUsers =
  (surveys: Runtime["surveys"]): Runtime["flagUsers"] =>
  async ({ db, project, now }, flagIds) => {
    const experiments = await selectOpenExperiments(db, project.id, flagIds);
    const open = (await surveys.project(project.id)).filter((survey) => isOpen(survey, now));
    return [
      ...experiments.map(
        ({ id, name, flag_id }): DirectUser => ({
          type: "experiment",
          id: String(id),
          name,
          flag_id,
          variant: null,
        }),
      ),
      ...open.flatMap(surveyUsers).filter(({ flag_id }) => flagIds.includes(flag_id)),
    ];
  };

/** Everything that computes figures from events. */
function eventReaders(db: Db, reading: Pick<Runtime, "flags" | "directory">): Runtime["eventReaders"] {
  const experiments = createEventReaders(db, reading);
  const usesOfRamps = rampUses(db, reading);
  return {
    uses: async (projectId, now) => [
      ...(await experiments.uses(projectId, now)),
      ...(await usesOfRamps(projectId, now)),
    ],
    settle: experiments.settle,
  };
}

/** The flags that a cohort decides. */
const cohortUses =
  (flags: FlagCache): Runtime["cohortUses"] =>
  async (projectId, cohortId) => {
    const { live } = await flags.project(projectId);
    return live
      .filter((flag) => cohortIdsOf(flag.filters).includes(cohortId))
      .map((flag) => `feature flag ${flag.key}`);
  };

/** How entries of the activity log read in notifications; one that an earlier release wrote may not be readable. */
const wordEntry =
  (flags: FlagCache, cohorts: Runtime["cohorts"]): notifications.Runtime["notifications"]["wordEntry"] =>
  async (projectId, entry) => {
    const did = `${verbOf(entry.activity, entry.scope)} ${kindNoun(entry.scope)}`;
    try {
      const references = referencesIn([entry]);
      const { byId } = await flags.project(projectId);
      const named = references.cohorts ? [...(await cohorts.project(projectId)).byId.values()] : [];
      const names = {
        flags: new Map(references.flags.map((id) => [id, byId.get(Number(id))?.key ?? id])),
        cohorts: new Map(named.map(({ id, name }) => [String(id), name])),
      };
      return { did, changes: entryDifferences(entry, names) };
    } catch (error) {
      log().warn({ error, entry: entry.id }, "An entry of the activity log cannot be worded.");
      return { did, changes: [] };
    }
  };

/** Each keeps a connection to the database and part of a core busy. */
const COUNTS_AT_ONCE = 2;
/** A page asks for about ten. */
const COUNTS_WAITING_MAX = 30;

/** The same with what makes calls of the API again; see lib/app/api.ts. */
export type ServedRuntime = Runtime & CallingRuntime & CopyingRuntime;

type RuntimeOptions = {
  /** Connections for what evaluation reads; those for requests unless given. */
  evaluationDb?: Db;
  availability?: Availability;
  spool?: SpoolOptions;
  replica?: Replica | null;
  copy?: HistoryCopy | undefined;
  streams?: StreamOptions | undefined;
  notifications?: Pick<Runtime["notifications"], "public_url" | "networks" | "mailer">;
};

/** Commands that serve nobody send nothing either. */
const NO_NOTIFICATIONS = { public_url: "http://127.0.0.1:3000", networks: [], mailer: null };

export function createRuntime(
  db: Db,
  settings: Settings,
  {
    evaluationDb = db,
    availability,
    spool,
    replica = null,
    copy,
    streams: streamOptions,
    notifications = NO_NOTIFICATIONS,
  }: RuntimeOptions = {},
): Runtime {
  const flags = createFlagCache(db, settings.encryption_key);
  const cohorts = createCohortCache(db);
  const surveys = createSurveyCache(db);
  const definitions = createDefinitions({
    flags,
    cohorts,
    readGroupTypes: (projectId) => selectGroupTypes(db, projectId),
  });
  const directory = createDirectory(db);
  const streams = createStreams(contentsOf(definitions), streamOptions);
  const instances = createTracker(databaseStorage(db), definitions);
  for (const cache of [flags, cohorts, definitions])
    for (const follower of [streams, instances]) cache.watch(follower.changed);
  const relayBundles = createRelayBundles(
    { db, directory, definitions, surveys, instances },
    settings.encryption_key,
  );
  const announcements = createAnnouncements(relayBundles, directory);
  for (const cache of [definitions, flags, cohorts, surveys]) cache.watch(announcements.doubt);
  directory.watch(streams.recheck);
  directory.watch(announcements.recheck);
  directory.watch(announcements.doubt);
  const persons = createPersonCache(createFindPerson(evaluationDb));
  const aftermath = createAftermath({ db, directory, cohorts });
  const noteCalls = createCallNotes({ db, flags });
  const arrived = createLimitChecks({ db, surveys });
  const committed: WriterHooks["committed"] = async (flushed) => {
    persons.changed(flushed.changedPersons);
    for (const id of flushed.newTypesOf) definitions.changed(id);
    await Promise.all([aftermath(flushed), noteCalls(flushed), arrived(flushed)]);
  };
  return {
    db,
    replica,
    availability: availability ?? createAvailability().availability,
    settings,
    hasEventCopy: copy !== undefined,
    directory,
    flags,
    cohorts,
    surveys,
    policies: createPolicyCache(db),
    notifications: { ...notifications, wordEntry: wordEntry(flags, cohorts), inbox: INBOX },
    definitions,
    streams,
    instances,
    evaluationDb,
    persons,
    sessions: createSessions(db),
    relayBundles,
    announcements,
    events: createWriter(db, {
      arriving: setDraftsAside(surveys),
      replaying: createReplayFilter(settings.encryption_key),
      committed,
      ...(spool && { spool: createSpool(spool) }),
    }),
    history: createHistory(copy ?? null),
    eventReaders: eventReaders(db, { flags, directory }),
    eraseSteps: createEraseSteps({ flags, directory }, settings.encryption_key),
    cohortUses: cohortUses(flags),
    flagUsers: flagUsers(surveys),
    counting: createTurns({ atOnce: COUNTS_AT_ONCE, waitingMax: COUNTS_WAITING_MAX }),
    followFlag,
    surveyAnswers,
    asGranted: (context, granted, work) =>
      asGranted({ ...context, runtime: context.runtime as Runtime }, granted, work),
  };
}

type Subscribe = (topic: string, handler: (payload: unknown) => void) => Promise<unknown>;
type Change = { project_id: number; ids?: number[] | null };

/** Keeps caches consistent with changes by any process; see lib/platform/db/notify.ts. */
export async function follow(runtime: Runtime, subscribe: Subscribe): Promise<void> {
  const on = (topic: string, apply: (change: Change) => void) =>
    subscribe(topic, (payload) => apply(payload as Change));
  await subscribe(ACCOUNTS_TOPIC, (payload) => {
    const { key_id } = (payload ?? {}) as { key_id?: string };
    runtime.directory.drop(key_id);
  });
  await on(FLAGS_TOPIC, ({ project_id, ids }) => runtime.flags.changed(project_id, ids ?? null));
  await on(COHORTS_TOPIC, ({ project_id }) => runtime.cohorts.changed(project_id));
  await on(SURVEYS_TOPIC, ({ project_id }) => runtime.surveys.changed(project_id));
  await on(POLICIES_TOPIC, ({ project_id }) => runtime.policies.changed(project_id));
  await on(SESSIONS_TOPIC, () => runtime.sessions.drop());
  await subscribe(PERSONS_TOPIC, (payload) => runtime.persons.changed(payload as ChangedPersons | null));
  await on(GROUP_TYPES_TOPIC, ({ project_id }) => runtime.definitions.changed(project_id));
}

/** Resolves once every change that was reported to this process has been read: of one project, or of all (null). */
export async function settled(
  { flags, cohorts, surveys, policies, definitions }: Runtime,
  projectId: number | null,
): Promise<void> {
  const caches = [flags, cohorts, surveys, policies, definitions];
  await Promise.all(caches.map((cache) => cache.settled(projectId)));
}

/** Reads everything again before it is used, if the database answers: notifications may have been missed. */
export function forget(runtime: Runtime): void {
  runtime.directory.doubt();
  runtime.flags.drop();
  runtime.cohorts.drop();
  runtime.surveys.drop();
  runtime.policies.drop();
  runtime.definitions.drop();
  runtime.sessions.drop();
  runtime.persons.changed(null);
  runtime.streams.doubt();
  runtime.announcements.doubt();
}
