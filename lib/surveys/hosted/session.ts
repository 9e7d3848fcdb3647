import { randomBytes } from "node:crypto";
import type { Question } from "#lib/engines/branching/question.ts";
import type { Json } from "#lib/engines/json.ts";
import { momentTextOrNull } from "#lib/surveys/surveys/dates.ts";
import type { SurveyRow } from "#lib/surveys/surveys/store.ts";
import { type Asked, type Deck, introCard, questionCard, thanksCard } from "./card/card.ts";
import type { Html } from "./card/control.ts";
import { isStraight, remaining } from "./card/progress.ts";
import { translated, viewOf } from "./card/question-view.ts";
import { directionOf, languageOf, textsFor } from "./card/texts.ts";
import { themeOf } from "./card/theme.ts";
import type { Subject } from "./events.ts";
import { type FormState, seal } from "./form-state.ts";
import { type Frame, page } from "./pages.ts";
import { previewPath } from "./preview.ts";
import { find, orderFor, shuffleBy } from "./respondent-path.ts";

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

/** What all pages of a survey have in common; of no survey, the page's own look. */
export function frameOf(
  session: Session | null,
  state: Pick<FormState, "language" | "embed" | "preview"> | null,
): Frame {
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
    preview: session && state?.preview ? previewPath(session.key, session.row.id) : null,
    nonce: randomBytes(16).toString("base64"),
  };
}

/** Messages next to the question. */
export type Remarks = Partial<Pick<Asked, "sent" | "problem" | "notice">>;

/** The question at a place of a person's order, as shown to that person. */
export function viewAt(session: Session, state: FormState, questions: readonly Question[], index: number) {
  const question = questions[index] ?? {};
  const appearance = translated(session.appearance, state.language);
  const stored = session.subject.questions.indexOf(question);
  const shuffle = shuffleBy(`${state.submission} ${String(question.id)}`);
  return viewOf(question, stored, appearance, state.language, shuffle);
}

export const questionsFor = (session: Session, submission: string): Question[] =>
  orderFor(
    { ...session.row, questions: session.subject.questions, appearance: session.appearance },
    submission,
  );

const deckOf = (session: Session, state: FormState, { texts }: Frame): Deck => ({
  appearance: translated(session.appearance, state.language),
  texts,
  action: session.path,
});

/** The page of the question that a state is at, or the page before the first one. */
export function pageOf(session: Session, state: FormState, frame: Frame, remarks: Remarks = {}): Html {
  const deck = deckOf(session, state, frame);
  const sealed = seal(session.key, state);
  if (state.at === null) return page(frame, introCard(deck, session.row.name, sealed), 0);
  const questions = questionsFor(session, state.submission);
  const at = Math.max(0, find(questions, state.at));
  const view = viewAt(session, state, questions, at);
  const ahead = remaining(questions, at);
  const behind = state.path.length;
  const { sent = null, problem = null, notice = null } = remarks;
  const card = questionCard(deck, {
    view,
    state: sealed,
    behind,
    of: isStraight(questions) ? questions.length : null,
    response: state.answers[view.id],
    sent,
    problem,
    notice,
    isLast: ahead <= 1,
    // An embedded page must not take the focus before anybody uses it.
    takesFocus: session.appearance.disableAutofocus !== true && (!state.embed || behind > 0),
  });
  const title = problem ? `${problem.text} – ${frame.title}` : frame.title;
  return page({ ...frame, title }, card, behind / (behind + ahead));
}

/** The page after the last question. */
export const pageAtEnd = (session: Session, state: FormState, frame: Frame): Html =>
  page(frame, thanksCard(deckOf(session, state, frame)), 1);
