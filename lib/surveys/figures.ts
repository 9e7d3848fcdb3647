import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { answeredSince, keptFigures, wholeDaysOf } from "#lib/survey_results/kept.ts";
import type { surveyContract } from "./contract.ts";
import { momentTextOrNull } from "./dates.ts";
import { type Bounds, selectCounts, selectLiveIds } from "./figures_store.ts";
import { surveyOf } from "./lookup.ts";
import { figuresOf } from "./statistics.ts";
import { selectEarliestStart } from "./store.ts";

type Of<Name extends keyof typeof surveyContract> = Input<(typeof surveyContract)[Name]>;

const NO_RATES = {
  response_rate: 0,
  dismissal_rate: 0,
  unique_users_response_rate: 0,
  unique_users_dismissal_rate: 0,
};

/** Counts of surveys together: of whole days from what is kept, of any other window from the events. */
async function countsOf({ db, project }: MemberContext, ids: string[], window: Bounds) {
  const days = wholeDaysOf(window);
  const scopes = ids.map((survey_id) => ({ project_id: project.id, survey_id }));
  return (days && (await keptFigures(db, scopes, days))) ?? selectCounts(db, project.id, ids, window);
}

export async function stats(context: MemberContext, { params, query }: Of<"stats">) {
  const survey = await surveyOf(context, params.id);
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
