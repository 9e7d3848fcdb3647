import type * as people from "#lib/people/context.ts";
import type { PersonCache } from "#lib/people/persons/cache.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type * as http from "#lib/platform/http/context.ts";
import type * as mounting from "#lib/platform/http/mount.ts";
import type { Turns } from "#lib/platform/turns.ts";
import type { FlagCache } from "./feature_flags/cache.ts";
import type { Definitions } from "./feature_flags/evaluation/definitions.ts";
import type { FlagUser } from "./feature_flags/who_changes/consequences.ts";
import type { Tracker } from "./sdk_instances/tracker.ts";
import type { Streams } from "./streams/streams.ts";

/**
 * What follows a flag. Called before the flag is locked, so that its own rows are locked first; what it returns is
 * called in the same transaction, when the flag has changed.
 */
export type FlagFollower = (
  tx: Db,
  context: SavingContext,
  flagId: number,
) => Promise<(flag: { key: string; filters: Record<string, unknown> }) => Promise<void>>;

/** What runs on one of some flags. */
export type DirectUser = Omit<FlagUser, "via"> & { flag_id: number };

export type Runtime = people.Runtime & {
  flags: FlagCache;
  definitions: Definitions;
  /** Open connections that hear of changes. */
  streams: Streams;
  /** Which definitions the instances of SDKs have. */
  instances: Tracker;
  /** Connections for what evaluation reads. */
  evaluationDb: Db;
  /** For counts of everybody: one of a project at a time. */
  counting: Turns;
  followFlag: FlagFollower;
  /**
   * Runs what was planned earlier as far as policies let it.
   *
   * @param granted what `tryOut` gave when it was planned
   * @throws ApiError 400 or 403 where they do not
   */
  asGranted: <T>(context: SavingContext, granted: unknown, work: () => Promise<T>) => Promise<T>;
  /** The experiments and surveys that run on some flags. */
  flagUsers: (
    context: Pick<MemberContext, "db" | "project" | "now">,
    flagIds: number[],
  ) => Promise<DirectUser[]>;
};
export type MemberContext = http.MemberContext<Runtime>;
/** Who changes a flag, and when: what a request and a schedule have in common. */
export type SavingContext = Pick<MemberContext, "db" | "runtime" | "project" | "user" | "now">;
/** What serving SDKs needs, and no more: a relay has no database. */
export type SdkRuntime = http.Runtime &
  Pick<Runtime, "flags" | "definitions" | "evaluationDb" | "streams"> & {
    persons: Pick<PersonCache, "find">;
    instances: Pick<Tracker, "asked" | "evaluated" | "hasStream">;
  };
export type SdkMounting = mounting.Mounting<SdkRuntime>;
