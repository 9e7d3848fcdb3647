import { sameJson } from "#lib/activity/changes.ts";
import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import { invalid } from "#lib/http/errors.ts";
import type { surveyContract } from "./contract.ts";
import { surveyOf } from "./lookup.ts";
import { checkPaths, type PathReport } from "./paths.ts";
import { stateOf } from "./state.ts";
import type { SurveyRow } from "./store.ts";

type Of<Name extends keyof typeof surveyContract> = Input<(typeof surveyContract)[Name]>;
type Asked = {
  questions: readonly Record<string, unknown>[] | null;
  appearance?: Record<string, unknown> | null | undefined;
};

const reportOf = ({ questions, appearance }: Asked): PathReport =>
  checkPaths(questions ?? [], { shuffled: appearance?.shuffleQuestions === true });

/** What the branching of a stored survey does. */
export async function check(context: MemberContext, { params }: Of<"check">) {
  return reportOf(await surveyOf(context, params.id));
}

/** The same of questions that are not stored. */
export async function check_questions(_: MemberContext, { body }: Of<"check_questions">) {
  return reportOf(body);
}

const asks = (survey: SurveyRow, now: Date) => ["running", "scheduled"].includes(stateOf(survey, now));

/**
 * Refuses to let a survey ask, or go on asking, questions whose rules can only be mistakes. A draft may have any,
 * and a change that leaves the questions of a running survey alone is not held up by them.
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
