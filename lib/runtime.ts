import { ACCOUNTS_TOPIC, createDirectory, type Directory } from "#lib/accounts/directory.ts";
import { COHORTS_TOPIC, type CohortCache, createCohortCache } from "#lib/cohorts/cache.ts";
import type { Db } from "#lib/db/connect.ts";
import { createAftermath } from "#lib/events/aftermath.ts";
import { createEventWriter, type EventWriter, type WriterHooks } from "#lib/events/writer.ts";
import { createFlagCache, FLAGS_TOPIC, type FlagCache } from "#lib/feature_flags/cache.ts";
import { createDefinitions, type Definitions, GROUP_TYPES_TOPIC } from "#lib/feature_flags/definitions.ts";
import { createSessions, SESSIONS_TOPIC, type Sessions } from "#lib/sessions/service.ts";
import { createArrivals } from "#lib/surveys/arrivals.ts";
import { createSurveyCache, SURVEYS_TOPIC, type SurveyCache } from "#lib/surveys/cache.ts";

/** Settings of the process that verbs need; read from the environment by lib/config.ts alone. */
export type Settings = {
  /** 32 bytes: the AES-GCM key of encrypted payloads. */
  encryption_key: Buffer;
};

/** What one process shares between all requests: the database and what is kept in memory of it. */
export type Runtime = {
  db: Db;
  settings: Settings;
  directory: Directory;
  flags: FlagCache;
  cohorts: CohortCache;
  surveys: SurveyCache;
  definitions: Definitions;
  sessions: Sessions;
  events: EventWriter;
};

export function createRuntime(db: Db, settings: Settings): Runtime {
  const flags = createFlagCache(db, settings.encryption_key);
  const cohorts = createCohortCache(db);
  const surveys = createSurveyCache(db);
  const definitions = createDefinitions({ db, flags, cohorts });
  const directory = createDirectory(db);
  const sessions = createSessions(db);
  const aftermath = createAftermath({ db, directory, flags, cohorts, definitions });
  const arrived = createArrivals({ db, surveys });
  const committed: WriterHooks["committed"] = async (flushed) => {
    await Promise.all([aftermath(flushed), arrived(flushed)]);
  };
  const events = createEventWriter(db, { committed });
  return { db, settings, directory, flags, cohorts, surveys, definitions, sessions, events };
}

type Subscribe = (topic: string, handler: (payload: unknown) => void) => Promise<unknown>;
type Change = { project_id: number; ids?: number[] | null };

/** Keeps what is held in memory true to what any process changes; see lib/db/notify.ts. */
export async function follow(runtime: Runtime, subscribe: Subscribe): Promise<void> {
  const on = (topic: string, apply: (change: Change) => void) =>
    subscribe(topic, (payload) => apply(payload as Change));
  await on(ACCOUNTS_TOPIC, () => runtime.directory.drop());
  await on(FLAGS_TOPIC, ({ project_id, ids }) => runtime.flags.changed(project_id, ids ?? null));
  await on(COHORTS_TOPIC, ({ project_id }) => runtime.cohorts.changed(project_id));
  await on(SURVEYS_TOPIC, ({ project_id }) => runtime.surveys.changed(project_id));
  await on(SESSIONS_TOPIC, () => runtime.sessions.drop());
  await on(GROUP_TYPES_TOPIC, ({ project_id }) => runtime.definitions.changed(project_id));
}

/** Forgets everything: notifications may have been missed. */
export function forget(runtime: Runtime): void {
  runtime.directory.drop();
  runtime.flags.drop();
  runtime.cohorts.drop();
  runtime.surveys.drop();
  runtime.definitions.drop();
  runtime.sessions.drop();
}
