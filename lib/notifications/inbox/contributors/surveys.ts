import type { Contributor, InboxContext, InboxItem } from "#lib/notifications/inbox/item.ts";
import { formatCount } from "#lib/platform/format.ts";
import { reportOf } from "#lib/surveys/surveys/questions/check.ts";
import { selectReached } from "#lib/surveys/surveys/schedule/limits-store.ts";
import { stateOf } from "#lib/surveys/surveys/state.ts";
import type { SurveyRow } from "#lib/surveys/surveys/store.ts";

const SHOWN_MS = 14 * 86_400_000;
/** The share of its limit from which a survey is near it. */
const NEAR = 0.9;

/** What is wrong with the paths of a survey as it is in memory, where it stays the same until it changes. */
const problems = new WeakMap<SurveyRow, string | null>();

function findProblem(survey: SurveyRow): string | null {
  const known = problems.get(survey);
  if (known !== undefined) return known;
  const { problems: found } = reportOf(survey);
  const problem = found.find(({ severity }) => severity === "error")?.message ?? null;
  problems.set(survey, problem);
  return problem;
}

const common = ({ id, name }: SurveyRow) => ({
  resource: { type: "survey" as const, id, name },
});

const endedItem = (survey: SurveyRow, end: Date): InboxItem => ({
  ...common(survey),
  key: `survey/${survey.id}/ended`,
  type: "survey.ended",
  version: end.toISOString(),
  urgency: "soon",
  title: `${survey.name} has ended`,
  why: "Its answers are complete: read them, and archive it when you are done.",
  since: end,
  action: { label: "Read the results", path: `surveys/${survey.id}` },
});

function runningItem(
  survey: SurveyRow,
  reached: { responses: number; since: Date } | undefined,
): InboxItem | null {
  const { id, name, responses_limit: limit, version, updated_at, start_date } = survey;
  const problem = findProblem(survey);
  if (problem !== null)
    return {
      ...common(survey),
      key: `survey/${id}/broken`,
      type: "survey.broken",
      version: String(version),
      urgency: "now",
      title: `${name} has a broken path`,
      why: problem,
      since: updated_at,
      action: { label: "Fix the questions", path: `surveys/${id}/edit` },
    };
  if (!limit || !reached) return null;
  return {
    ...common(survey),
    key: `survey/${id}/near_limit`,
    type: "survey.near_limit",
    version: `${start_date?.toISOString()}/${limit}`,
    urgency: "today",
    title: `${name} is near its limit`,
    why: `It has ${formatCount(reached.responses)} of ${formatCount(limit)} responses, and closes at the last one.`,
    since: reached.since,
    action: { label: "Raise the limit", path: `surveys/${id}/edit` },
  };
}

async function find({ runtime, db, project, now, limit }: InboxContext): Promise<InboxItem[]> {
  const all = await runtime.surveys.project(project.id);
  const running = all.filter((survey) => stateOf(survey, now) === "running");
  const limited = running.flatMap(({ id, responses_limit }) =>
    responses_limit ? [{ id, responses: responses_limit * NEAR }] : [],
  );
  const reached = await selectReached(db, project.id, limited.slice(0, limit));
  const ended = all.flatMap((survey) => {
    const end = stateOf(survey, now) === "complete" ? survey.end_date : null;
    return end && now.getTime() - end.getTime() < SHOWN_MS ? [endedItem(survey, end)] : [];
  });
  return [...running.flatMap((survey) => runningItem(survey, reached.get(survey.id)) ?? []), ...ended].slice(
    0,
    limit,
  );
}

/** Surveys that are nearly full, have a broken path, or have ended. */
export const surveys: Contributor = { scope: "survey:read", find };
