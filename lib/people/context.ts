import type * as http from "#lib/platform/http/context.ts";
import type * as mounting from "#lib/platform/http/mount.ts";
import type { CohortCache } from "./cohorts/cache.ts";
import type { EventWriter } from "./events/writer.ts";

export type Runtime = http.Runtime & {
  cohorts: CohortCache;
  events: EventWriter;
  /** What modules above use a cohort for, each in words ("feature flag beta"). */
  cohortUses: (projectId: number, cohortId: number) => Promise<string[]>;
};
export type MemberContext = http.MemberContext<Runtime>;
export type Mounting = mounting.Mounting<Runtime>;
