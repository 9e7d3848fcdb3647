import type * as http from "#lib/platform/http/context.ts";
import type * as mounting from "#lib/platform/http/mount.ts";
import type { CohortCache } from "./cohorts/cache.ts";
import type { EraseStep } from "./erasures/step.ts";
import type { EventHistory } from "./events/history/history.ts";
import type { EventWriter } from "./events/writer.ts";
import type { PersonCache } from "./persons/cache.ts";
import type { EventReaders } from "./retention/horizons.ts";

export type Runtime = http.Runtime & {
  settings: http.Settings;
  cohorts: CohortCache;
  persons: PersonCache;
  events: EventWriter;
  history: EventHistory;
  /** What modules above compute from events. */
  eventReaders: EventReaders;
  /** What modules above remove of somebody who is erased. */
  eraseSteps: readonly EraseStep[];
  /** What modules above use a cohort for, each in words ("feature flag beta"). */
  cohortUses: (projectId: number, cohortId: number) => Promise<string[]>;
};
export type MemberContext = http.MemberContext<Runtime>;
/** What storing events needs, and no more: a relay has no database. */
export type CaptureMounting = mounting.Mounting<http.Runtime & { events: Pick<EventWriter, "write"> }>;
