import type { Input } from "#lib/platform/http/contract.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import { answeredSince, readRollup, wholeDaysOf } from "#lib/surveys/results/count/rollup.ts";
import { figuresOf } from "#lib/surveys/results/count/statistics.ts";
import type { surveyContract } from "#lib/surveys/surveys/contract.ts";
import { momentTextOrNull } from "#lib/surveys/surveys/dates.ts";
import { requireSurvey } from "#lib/surveys/surveys/lookup.ts";
import { selectEarliestStart } from "#lib/surveys/surveys/store.ts";
import { type Bounds, selectCounts, selectLiveIds } from "./figures-store.ts";

type Of<Name extends keyof typeof surveyContract> = Input<(typeof surveyContract)[Name]>;

const NO_RATES = {
  response_rate: 0,
  dismissal_rate: 0,
  unique_users_response_rate: 0,
  unique_users_dismissal_rate: 0,
};

/** Counts across surveys: from the rollups for whole days, else from the events. */
async function countsOf({ db, project }: MemberContext, ids: string[], window: Bounds) {
  const days = wholeDaysOf(window);
  const scopes = ids.map((survey_id) => ({ project_id: project.id, survey_id }));
  return (days && (await readRollup(db, scopes, days))) ?? selectCounts(db, project.id, ids, window);
}

export async function stats(context: MemberContext, { params, query }: Of<"stats">) {
  const survey = await requireSurvey(context, params.id);
  const { counts, both } = await countsOf(context, [survey.id], query);
  return {
    ...figuresOf(counts, both),
    survey_id: survey.id,
    start_date: momentTextOrNull(survey.start_date),
    end_date: momentTextOrNull(survey.end_date),
  };
}

export async function all_stats(context: MemberContext, { query }: Of<"all_stats">) {
  const ids = await selectLiveIds(context.db, context.project.id);
  if (ids.length === 0) return { stats: {}, rates: NO_RATES };
  const { counts, both } = await countsOf(context, ids, query);
  return figuresOf(counts, both);
}

export async function responses_count(context: MemberContext) {
  const since = await selectEarliestStart(context.db, context.project.id);
  if (!since) return {};
  const rows = await answeredSince(context.db, context.project.id, since);
  return Object.fromEntries(rows.map((row) => [row.survey, row.count]));
}
