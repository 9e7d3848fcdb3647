import { sameJson } from "#lib/activity/changes.ts";
import { checkPaths, type PathReport } from "#lib/engines/branching/paths.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import type { surveyContract } from "#lib/surveys/surveys/contract.ts";
import { requireSurvey } from "#lib/surveys/surveys/lookup.ts";
import { stateOf } from "#lib/surveys/surveys/state.ts";
import type { SurveyRow } from "#lib/surveys/surveys/store.ts";

type Of<Name extends keyof typeof surveyContract> = Input<(typeof surveyContract)[Name]>;
type Asked = {
  questions: readonly Record<string, unknown>[] | null;
  appearance?: Record<string, unknown> | null | undefined;
};

/** The check of questions that are stored or being edited. */
export const reportOf = ({ questions, appearance }: Asked): PathReport =>
  checkPaths(questions ?? [], { shuffled: appearance?.shuffleQuestions === true });

/** The check of a stored survey's branching. */
export async function check(context: MemberContext, { params }: Of<"check">) {
  return reportOf(await requireSurvey(context, params.id));
}

/** The same for questions that are not stored. */
export async function check_questions(_: MemberContext, { body }: Of<"check_questions">) {
  return reportOf(body);
}

const asks = (survey: SurveyRow, now: Date) => ["running", "scheduled"].includes(stateOf(survey, now));

/**
 * Rejects questions whose rules can only be mistakes in a running or scheduled survey. A draft may have them,
 * and a change of a running survey that does not touch the questions is accepted.
 *
 * @throws ApiError 400 on `questions` for the first of them
 */
export function checkLaunch(before: SurveyRow, after: SurveyRow, now: Date): void {
  if (!asks(after, now) || (asks(before, now) && sameJson(before.questions, after.questions))) return;
  const { problems, launchable } = reportOf(after);
  const [first] = problems;
  if (launchable || !first) return;
  const others = problems.filter(({ severity }) => severity === "error").length - 1;
  const more = others > 0 ? ` (and ${others} more)` : "";
  throw invalid(`This survey cannot be launched. ${first.message}${more}`, "questions", "invalid_input", [
    first.question,
    "branching",
  ]);
}
