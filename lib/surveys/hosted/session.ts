import { randomBytes } from "node:crypto";
import type { Json } from "#lib/engines/json.ts";
import { momentTextOrNull } from "#lib/surveys/surveys/dates.ts";
import type { SurveyRow } from "#lib/surveys/surveys/store.ts";
import type { Subject } from "./events.ts";
import type { Html } from "./fields.ts";
import { type FormState, seal } from "./form-state.ts";
import { type Frame, introPage, type QuestionPage, questionPage, thanksPage } from "./pages.ts";
import { find, isStraight, orderFor, remaining, shuffleChoices } from "./respondent-path.ts";
import { directionOf, languageOf, textsFor } from "./texts.ts";
import { themeOf } from "./theme.ts";
import { type QuestionView, richText, translated, viewOf } from "./view.ts";

/** One request about one survey. */
export type Session = {
  row: SurveyRow;
  subject: Subject;
  appearance: Json;
  /** The page's URL without its query, and its path. */
  address: string;
  path: string;
  key: Buffer;
};

export function sessionOf(row: SurveyRow, key: Buffer, url: URL): Session {
  const path = `/external_surveys/${row.id}/`;
  return {
    row,
    subject: {
      id: row.id,
      name: row.name,
      current_iteration: row.current_iteration,
      current_iteration_start_date: momentTextOrNull(row.current_iteration_start_date),
      questions: row.questions ?? [],
    },
    appearance: row.appearance ?? {},
    address: `${url.origin}${path}`,
    path,
    key,
  };
}

const textAt = (fields: Json, name: string) => {
  const text = fields[name];
  return typeof text === "string" && text.trim() !== "" ? text.trim() : null;
};

/** What all pages of a survey have in common; of no survey, the page's own look. */
export function frameOf(session: Session | null, state: Pick<FormState, "language" | "embed"> | null): Frame {
  const language = state?.language ?? null;
  const [first] = session?.subject.questions ?? [];
  const sample = typeof first?.question === "string" ? first.question : "";
  const { texts, lang } = textsFor(language ?? languageOf(sample));
  return {
    title: session?.row.name ?? texts.missingTitle,
    lang,
    dir: directionOf(language, sample),
    texts,
    theme: themeOf(session?.appearance ?? {}),
    embed: state?.embed ?? false,
    nonce: randomBytes(16).toString("base64"),
  };
}

/** Messages next to the question. */
export type Remarks = {
  sent?: QuestionPage["sent"];
  problem?: QuestionPage["problem"];
  notice?: string;
};

/** The question at a place of a person's order, as shown to that person. */
export function viewAt(session: Session, state: FormState, questions: readonly Json[], index: number) {
  const question = questions[index] ?? {};
  const appearance = translated(session.appearance, state.language);
  const stored = session.subject.questions.indexOf(question);
  return shuffleChoices(viewOf(question, stored, appearance, state.language), question, state.submission);
}

export const questionsFor = (session: Session, submission: string): Json[] =>
  orderFor(
    { ...session.row, questions: session.subject.questions, appearance: session.appearance },
    submission,
  );

function backLabel(session: Session, state: FormState, appearance: Json, frame: Frame): string | null {
  if (session.appearance.allowGoBack !== true || state.path.length === 0) return null;
  return textAt(appearance, "backButtonText") ?? frame.texts.back;
}

function pageOfQuestion(
  session: Session,
  state: FormState,
  frame: Frame,
  view: QuestionView,
  remarks: Remarks,
): Html {
  const questions = questionsFor(session, state.submission);
  const appearance = translated(session.appearance, state.language);
  const at = state.at ? Math.max(0, find(questions, state.at)) : 0;
  const ahead = remaining(questions, at);
  const behind = state.path.length;
  return questionPage({
    frame,
    view,
    action: session.path,
    state: seal(session.key, state),
    number: behind + 1,
    of: isStraight(questions) ? questions.length : null,
    share: behind / (behind + ahead),
    response: state.answers[view.id],
    sent: remarks.sent ?? null,
    problem: remarks.problem ?? null,
    notice: remarks.notice ?? null,
    isLast: ahead <= 1,
    backLabel: backLabel(session, state, appearance, frame),
    // An embedded page must not take the focus before anybody uses it.
    takesFocus: session.appearance.disableAutofocus !== true && (!state.embed || behind > 0),
  });
}

/** The page of the question that a state is at, or the page before the first one. */
export function pageOf(session: Session, state: FormState, frame: Frame, remarks: Remarks = {}): Html {
  const appearance = translated(session.appearance, state.language);
  if (state.at === null)
    return introPage(frame, {
      header: textAt(appearance, "introScreenHeader") ?? session.row.name,
      description: richText(
        appearance.introScreenDescription,
        session.appearance.introScreenDescriptionContentType ?? "html",
      ),
      button: textAt(appearance, "introScreenButtonText"),
      action: session.path,
      state: seal(session.key, state),
    });
  const questions = questionsFor(session, state.submission);
  const view = viewAt(session, state, questions, Math.max(0, find(questions, state.at)));
  return pageOfQuestion(session, state, frame, view, remarks);
}

/** The page after the last question. */
export function pageAtEnd(session: Session, state: FormState, frame: Frame): Html {
  const appearance = translated(session.appearance, state.language);
  if (session.appearance.displayThankYouMessage === false)
    return thanksPage(frame, frame.texts.recorded, null);
  const { thankYouMessageDescriptionContentType: contentType } = session.appearance;
  const description = richText(appearance.thankYouMessageDescription, contentType ?? "html");
  const header = textAt(appearance, "thankYouMessageHeader") ?? frame.texts.thanks;
  return thanksPage(frame, header, description);
}
