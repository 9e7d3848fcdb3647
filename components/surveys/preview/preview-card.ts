import { questionsOf } from "#components/surveys/draft/draft.ts";
import type { Given as Step } from "#components/surveys/draft/replay.ts";
import type { SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import type { Question } from "#lib/engines/branching/question.ts";
import { introCard, questionCard, thanksCard } from "#lib/surveys/hosted/card/card.ts";
import type { Given, Html } from "#lib/surveys/hosted/card/control.ts";
import { isStraight, remaining } from "#lib/surveys/hosted/card/progress.ts";
import { type QuestionView, viewOf } from "#lib/surveys/hosted/card/question-view.ts";
import { classesFor, stylesOf } from "#lib/surveys/hosted/card/styles.ts";
import {
  directionOf,
  languageOf,
  type Problem,
  problemText,
  textsFor,
} from "#lib/surveys/hosted/card/texts.ts";
import { themeOf } from "#lib/surveys/hosted/card/theme.ts";

/** Where the preview is: before the first question, at one of them, or behind the last one. */
export type Place = "intro" | "end" | { uid: string };

/** Whether a survey is a box on somebody's page, not a page of ours. */
const isBox = ({ type }: SurveyDraft) => type !== "external_survey";

const sampleOf = ({ questions: [first] }: SurveyDraft) => first?.raw.question ?? "";

/** The style of the preview, what surrounds its card, and the direction of its texts. */
export function lookOf(draft: SurveyDraft): { css: string; classes: string; dir: "ltr" | "rtl" } {
  const { type } = draft;
  const closable = (type === "popover" || type === "widget") && draft.appearance?.hideCancelButton !== true;
  const theme = themeOf(draft.appearance ?? {}, isBox(draft));
  const surroundings = isBox(draft) ? `box${closable ? " closable" : ""}` : "embed";
  return {
    css: stylesOf(theme),
    classes: classesFor(theme, surroundings),
    dir: directionOf(null, sampleOf(draft)),
  };
}

const named = (text: unknown) => (typeof text === "string" && text.trim() === "" ? "(no text yet)" : text);

/** A question as respondents see it; null if it is gone. Texts that are still missing are filled in. */
function viewIn(draft: SurveyDraft, uid: string): { view: QuestionView; questions: Question[] } | null {
  const questions = questionsOf(draft.questions);
  const index = draft.questions.findIndex((question) => question.uid === uid);
  const question = questions[index];
  if (!question) return null;
  const choices = Array.isArray(question.choices) ? { choices: question.choices.map(named) } : {};
  const asked = { ...question, ...choices, question: question.question.trim() || "What do you ask?" };
  return { view: viewOf(asked, index, draft.appearance ?? {}, null, (items) => [...items]), questions };
}

/**
 * The card at a place of the preview.
 *
 * @param behind how many questions were answered before it
 * @param sent what is in its form, if that is to stay
 */
export function cardIn(
  draft: SurveyDraft,
  place: Place,
  behind: number,
  sent: Given | null,
  problem: Problem | null,
): Html | null {
  const { texts } = textsFor(languageOf(sampleOf(draft)));
  const deck = { appearance: draft.appearance ?? {}, texts, action: "" };
  if (place === "intro") return introCard(deck, draft.name.trim() || "Welcome", "");
  if (place === "end") return thanksCard(deck, isBox(draft));
  const found = viewIn(draft, place.uid);
  if (!found) return null;
  const { view, questions } = found;
  return questionCard(deck, {
    view,
    state: "",
    behind,
    of: isStraight(questions) ? questions.length : null,
    response: null,
    sent,
    problem: problem && { text: problemText(texts, problem), field: problem.field },
    notice: null,
    isLast: isBox(draft) || remaining(questions, view.index) <= 1,
    takesFocus: false,
  });
}

/** How far a place is, from 0 to 1, as the bar of a hosted page shows; null where there is no bar. */
export function progressIn(draft: SurveyDraft, place: Place, behind: number): number | null {
  if (isBox(draft)) return null;
  if (place === "end") return 1;
  if (place === "intro") return 0;
  const questions = questionsOf(draft.questions);
  const index = draft.questions.findIndex((question) => question.uid === place.uid);
  return behind / (behind + remaining(questions, Math.max(0, index)));
}

/** What a submitted form asks for. */
export type Submitted = { to: "begin" | "restart" | "back" } | { step: Step } | { problem: Problem };

const isSkipped = (response: unknown) =>
  response === "" || (Array.isArray(response) && response.length === 0);

/** Reads a form of the preview as the hosted page reads its own. */
export function readForm(draft: SurveyDraft, place: Place, form: URLSearchParams): Submitted {
  const action = form.get("action");
  if (place === "intro") return { to: "begin" };
  if (action === "back") return { to: "back" };
  const view = place === "end" ? null : (viewIn(draft, place.uid)?.view ?? null);
  if (place === "end" || !view) return { to: "restart" };
  const answered = view.control.read(action === "skip" ? new URLSearchParams({ action }) : form);
  if ("problem" in answered) return answered;
  return { step: { uid: place.uid, response: isSkipped(answered.response) ? null : answered.response } };
}
