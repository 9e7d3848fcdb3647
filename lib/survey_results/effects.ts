import type { MemberContext } from "#lib/http/context.ts";
import type { Input } from "#lib/http/contract.ts";
import {
  type ChoiceQuestion,
  formerChoices,
  identified,
  knownTexts,
  listedChoices,
  nextHistory,
  withRecords,
} from "#lib/surveys/choices.ts";
import { surveyOf } from "#lib/surveys/lookup.ts";
import { checkChoiceIds } from "#lib/surveys/rules.ts";
import { type CodedQuestion, coderOf, codesOf, isChoice, OFF_SCALE, OTHER, placeKey } from "./coding.ts";
import type { surveyResultsContract } from "./contract.ts";
import type { ChoiceEffect, EditEffects, QuestionEffect } from "./effects_schema.ts";
import { everything, inTime, type Subject } from "./filter.ts";
import { refuseWhileRecoding } from "./recode.ts";
import { countOwnTexts, selectAnswers, selectCounts, selectSpan } from "./results_store.ts";
import { countOf, type TableQuestion, tablesOf } from "./tables.ts";

type Counts = Parameters<typeof countOf>[0];
type Stored = { question: TableQuestion; index: number };

/** Answers to a stored question by the id of the choice; former choices that share a text share their answers. */
function answersByChoice({ question, index }: Stored, tables: Counts): Map<string, number> {
  const count = (slot: string) => countOf(tables, "code", `${index}:${slot}`);
  const listed = listedChoices(question).map(({ id }, place) => [id, count(String(place))] as const);
  const former = formerChoices(question).flatMap(({ ids }, place) =>
    ids.map((id) => [id, count(`f${place}`)] as const),
  );
  return new Map([...listed, ...former]);
}

/** What happens to the choices of a question. @param typed numbers of respondents' own answers by their text */
function choiceEffects(
  before: TableQuestion,
  after: ChoiceQuestion | null,
  answers: ReadonlyMap<string, number>,
  typed: ReadonlyMap<string, number>,
): ChoiceEffect[] {
  const stored = listedChoices(before);
  const former = new Map(
    formerChoices(before).flatMap(({ text, ids }) => ids.map((id) => [id, text] as const)),
  );
  const sent = after ? listedChoices(after) : [];
  const effects = sent.map(({ id, text, place }): ChoiceEffect => {
    const old = stored.find((choice) => choice.id === id);
    const restored = former.get(id);
    const of = { choice_id: id, choice_index: place, after: text, answers: answers.get(id) ?? 0 };
    if (old) return { ...of, change: old.text === text ? "kept" : "reworded", before: old.text };
    if (restored !== undefined) return { ...of, change: "restored", before: restored };
    return { ...of, choice_id: null, change: "added", before: null, answers: typed.get(text.trim()) ?? 0 };
  });
  const removed = stored.filter(({ id }) => !sent.some((choice) => choice.id === id));
  return [
    ...effects,
    ...removed.map(
      ({ id, text }): ChoiceEffect => ({
        choice_id: id,
        choice_index: null,
        change: "removed",
        before: text,
        after: null,
        answers: answers.get(id) ?? 0,
      }),
    ),
  ];
}

function changeOf(before: CodedQuestion, after: CodedQuestion | null): QuestionEffect["change"] {
  if (!after) return "deleted";
  if (before.type !== after.type) return "type";
  return before.type === "rating" && before.scale !== after.scale ? "scale" : "kept";
}

const named = ({ question, index }: Stored) => ({ index, id: question.id || null, place: placeKey(index) });

/** How many answers to a stored question would be in none of the figures of what it becomes. */
async function countUnreadable(
  context: MemberContext,
  subject: Subject,
  stored: Stored,
  after: CodedQuestion,
) {
  const { scope, filter } = subject;
  const answers = await inTime(context, (db) => selectAnswers(db, scope, filter, named(stored)));
  const coder = coderOf([{ ...after, id: "answer" }]);
  const isUnreadable = (value: unknown) => {
    // Whether a text means any choice does not depend on when it was recorded.
    const [code] = codesOf(coder, { answer: value }, 0);
    return code === OFF_SCALE || code === OTHER;
  };
  return answers.reduce((sum, { value, n }) => sum + (isUnreadable(value) ? n : 0), 0);
}

/** Respondents' own answers that a new choice would take, by their text. */
async function typedFor(context: MemberContext, subject: Subject, stored: Stored, after: ChoiceQuestion) {
  const known = new Set(knownTexts(stored.question));
  const texts = listedChoices(after).map(({ text }) => text.trim());
  const fresh = texts.filter((text) => !known.has(text));
  if (fresh.length === 0) return new Map<string, number>();
  const { scope, filter } = subject;
  return inTime(context, (db) => countOwnTexts(db, scope, filter, named(stored), fresh));
}

/** What an edit of the questions does to the answers that are stored; nothing is written. */
export async function preview_questions(
  context: MemberContext,
  { params, body }: Input<(typeof surveyResultsContract)["preview_questions"]>,
): Promise<EditEffects> {
  const survey = await surveyOf(context, params.id);
  const subject = everything(context, survey);
  await refuseWhileRecoding(context.db, subject.scope);
  const sent = body.questions ?? [];
  checkChoiceIds(sent, survey);
  let made = 0;
  const identity = identified(sent, survey.questions, survey.choice_history, () => `new ${++made}`);
  const history = nextHistory(survey.choice_history, survey.questions, identity, context.now.getTime());
  const drafts = withRecords(identity, history);
  const [rows, span] = await Promise.all([
    selectCounts(context.db, subject.scope, subject.filter),
    selectSpan(context.db, subject.scope),
  ]);
  const tables = tablesOf(rows, []);
  const questions = await Promise.all(
    subject.questions.map(async (question, index): Promise<QuestionEffect> => {
      const stored = { question, index };
      const place = drafts.findIndex(({ id }) => typeof id === "string" && id === question.id);
      const after: CodedQuestion | null = drafts[place] ?? null;
      const change = changeOf(question, after);
      const answers = countOf(tables, "given", index);
      const hasOwn = countOf(tables, "code", `${index}:${OTHER}`) > 0;
      const typed = after && hasOwn ? await typedFor(context, subject, stored, after) : new Map();
      const counts = answersByChoice(stored, tables);
      return {
        question_id: question.id,
        question_index: after ? place : null,
        question: question.question,
        answers,
        change,
        unreadable:
          after && (change === "type" || change === "scale") && answers > 0
            ? await countUnreadable(context, subject, stored, after)
            : 0,
        choices: isChoice(question) ? choiceEffects(question, after, counts, typed) : [],
      };
    }),
  );
  return { responses: span.answered, questions };
}
