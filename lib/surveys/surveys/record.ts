import type { StoredQuestion } from "#lib/engines/branching/question.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { linkedFlagOf } from "#lib/flags/feature_flags/evaluation/definition.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { recordFrom } from "#lib/platform/fields-schema.ts";
import type { Directory } from "#lib/platform/http/directory.ts";
import { unreadable } from "#lib/platform/http/stored-schema.ts";
import { withChoiceIds } from "#lib/surveys/surveys/questions/choices.ts";
import { SURVEY_FIELDS, type SurveyRecord, type SurveyWritten } from "./schema.ts";
import type { SurveyRow } from "./store.ts";

type Flags = Pick<ReadonlyMap<number, Flag>, "get">;

/** What records are built from: users, and the project's flags. */
export type Surroundings = { accounts: Awaited<ReturnType<Directory["current"]>>; flags: Flags };

function flagOf(flags: Flags, id: number | null) {
  const flag = id === null ? undefined : flags.get(id);
  return flag ? linkedFlagOf(flag) : null;
}

type AimedSurvey = Pick<
  SurveyRow,
  "linked_flag_id" | "targeting_flag_id" | "internal_targeting_flag_id" | "internal_response_sampling_flag_id"
>;

/** Keys of the flags that a survey refers to; null for missing ones. */
export const flagKeysOf = (row: AimedSurvey, flags: Flags) => {
  const key = (id: number | null) => (id === null ? null : (flags.get(id)?.key ?? null));
  return {
    linked_flag_key: key(row.linked_flag_id),
    targeting_flag_key: key(row.targeting_flag_id),
    internal_targeting_flag_key: key(row.internal_targeting_flag_id),
    internal_response_sampling_flag_key: key(row.internal_response_sampling_flag_id),
  };
};

/** The record in the response to a write. */
export const writtenOf = (row: SurveyRow, { accounts, flags }: Surroundings): SurveyWritten => ({
  ...recordFrom(SURVEY_FIELDS, row, {
    linked_flag: flagOf(flags, row.linked_flag_id),
    targeting_flag: flagOf(flags, row.targeting_flag_id),
    internal_targeting_flag: flagOf(flags, row.internal_targeting_flag_id),
    questions: (row.questions as StoredQuestion[] | null)?.map(withChoiceIds) ?? null,
    created_by: userOf(accounts, row.created_by_id),
  }),
  ...unreadable(row.unreadable_fields),
});

/** The record in the response to a read. */
export const recordOf = (row: SurveyRow, surroundings: Surroundings): SurveyRecord => ({
  ...writtenOf(row, surroundings),
  linked_flag_id: row.linked_flag_id,
  feature_flag_keys: Object.entries(flagKeysOf(row, surroundings.flags)).map(([key, value]) => ({
    key,
    value,
  })),
  user_access_level: "manager",
});
