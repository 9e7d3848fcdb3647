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

export type Runtime = flags.Runtime & {
  surveys: SurveyCache;
  surveyAnswers: SurveyAnswers;
};
export type MemberContext = http.MemberContext<Runtime>;
export type Mounting = mounting.Mounting<Runtime>;
