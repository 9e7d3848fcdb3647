import type * as flags from "#lib/flags/context.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type * as http from "#lib/platform/http/context.ts";
import type * as mounting from "#lib/platform/http/mount.ts";
import type { SurveyCache } from "./surveys/cache.ts";
import type { SurveyRow } from "./surveys/store.ts";

/** The stored answers, as far as a change of the survey affects them. */
export type SurveyAnswers = {
  exist(tx: Db, survey: SurveyRow): Promise<boolean>;
  /** Reads the answers again if a survey's questions changed or it was deleted (`after` null). */
  follow(tx: Db, before: SurveyRow, after: SurveyRow | null): Promise<void>;
};

/** What SDKs get to see of a survey. */
export type FeedSurvey = Pick<
  SurveyRow,
  | "id"
  | "name"
  | "type"
  | "schedule"
  | "linked_flag_id"
  | "targeting_flag_id"
  | "internal_targeting_flag_id"
  | "internal_response_sampling_flag_id"
  | "questions"
  | "conditions"
  | "appearance"
  | "start_date"
  | "end_date"
  | "archived"
  | "current_iteration"
  | "current_iteration_start_date"
  | "enable_partial_responses"
>;

/** What serving surveys to SDKs needs, and no more: a relay has no database. */
export type FeedRuntime = http.Runtime &
  Pick<flags.Runtime, "flags"> & { surveys: { latest(projectId: number): Promise<readonly FeedSurvey[]> } };
export type FeedMounting = mounting.Mounting<FeedRuntime>;

export type Runtime = flags.Runtime & {
  surveys: SurveyCache;
  surveyAnswers: SurveyAnswers;
};
export type MemberContext = http.MemberContext<Runtime>;
export type Mounting = mounting.Mounting<Runtime>;
