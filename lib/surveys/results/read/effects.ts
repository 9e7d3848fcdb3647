import { ruledBy } from "#lib/engines/branching/answers.ts";
import type { Question } from "#lib/engines/branching/question.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import type { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import { type Subject, unfiltered, withTimeLimit } from "#lib/surveys/results/count/filter.ts";
import { refuseWhileRecoding } from "#lib/surveys/results/count/recode.ts";
import {
  countOwnTexts,
  selectAnswers,
  selectCounts,
  selectSpan,
} from "#lib/surveys/results/count/results-store.ts";
import { buildCounts, type SurveyCounts, type TableQuestion } from "#lib/surveys/results/count/tables.ts";
import type { ChoiceEffect, EditEffects, QuestionEffect } from "#lib/surveys/results/effects-schema.ts";
import {
  type CodedQuestion,
  createCoder,
  encodeAnswers,
  isChoice,
  OFF_SCALE,
  OTHER,
  placeKey,
} from "#lib/surveys/results/ingest/answer-codes.ts";
import { requireSurvey } from "#lib/surveys/surveys/lookup.ts";
import {
  assignChoiceIds,
  formerChoices,
  knownTexts,
  listedChoices,
  nextHistory,
  withRecords,
} from "#lib/surveys/surveys/questions/choices.ts";
import { checkChoiceIds } from "#lib/surveys/surveys/rules.ts";

type Stored = { question: TableQuestion; index: number };

/** Answers to a stored question by choice id; former choices with the same text share their answers. */
function answersByChoice({ question, index }: Stored, counts: SurveyCounts): Map<string, number> {
  const count = (slot: string) => counts.question(index).slots.get(slot) ?? 0;
  const listed = listedChoices(question).map(({ id }, place) => [id, count(String(place))] as const);
  const former = formerChoices(question).flatMap(({ ids }, place) =>
    ids.map((id) => [id, count(`f${place}`)] as const),
  );
  return new Map([...listed, ...former]);
}

/** What happens to the choices of a question. @param typed numbers of free-text answers by text */
function choiceEffects(
  before: TableQuestion,
  after: Question | null,
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
  return ruledBy(before) === "bucket" && before.scale !== after.scale ? "scale" : "kept";
}

const named = ({ question, index }: Stored) => ({ index, id: question.id || null, place: placeKey(index) });

/** How many answers to a stored question would be in no figure after the edit. */
async function countUnreadable(
  context: MemberContext,
  subject: Subject,
  stored: Stored,
  after: CodedQuestion,
) {
  const { scope, filter } = subject;
  const answers = await withTimeLimit(context, (db) => selectAnswers(db, scope, filter, named(stored)));
  const coder = createCoder([{ ...after, id: "answer" }]);
  const isUnreadable = (value: unknown) => {
    // Whether a text matches any choice does not depend on when it was recorded.
    const [code] = encodeAnswers(coder, { answer: value }, 0);
    return code === OFF_SCALE || code === OTHER;
  };
  return answers.reduce((sum, { value, n }) => sum + (isUnreadable(value) ? n : 0), 0);
}

/** Free-text answers that a new choice would take over, by text. */
async function typedFor(context: MemberContext, subject: Subject, stored: Stored, after: Question) {
  const known = new Set(knownTexts(stored.question));
  const texts = listedChoices(after).map(({ text }) => text.trim());
  const fresh = texts.filter((text) => !known.has(text));
  if (fresh.length === 0) return new Map<string, number>();
  const { scope, filter } = subject;
  return withTimeLimit(context, (db) => countOwnTexts(db, scope, filter, named(stored), fresh));
}

/** The effect of an edit of the questions on stored answers; nothing is written. */
export async function preview_questions(
  context: MemberContext,
  { params, body }: Input<(typeof surveyResultsContract)["preview_questions"]>,
): Promise<EditEffects> {
  const survey = await requireSurvey(context, params.id);
  const subject = unfiltered(context, survey);
  await refuseWhileRecoding(context.db, subject.scope);
  const sent = body.questions ?? [];
  checkChoiceIds(sent, survey);
  let made = 0;
  const identity = assignChoiceIds(sent, survey.questions, survey.choice_history, () => `new ${++made}`);
  const history = nextHistory(survey.choice_history, survey.questions, identity, context.now.getTime());
  const drafts = withRecords(identity, history);
  const [rows, span] = await Promise.all([
    selectCounts(context.db, subject.scope, subject.filter),
    selectSpan(context.db, subject.scope),
  ]);
  const counts = buildCounts(rows, []);
  const questions = await Promise.all(
    subject.questions.map(async (question, index): Promise<QuestionEffect> => {
      const stored = { question, index };
      const place = drafts.findIndex(({ id }) => typeof id === "string" && id === question.id);
      const after: CodedQuestion | null = drafts[place] ?? null;
      const change = changeOf(question, after);
      const { given: answers, slots } = counts.question(index);
      const hasOwn = (slots.get(OTHER) ?? 0) > 0;
      const typed = after && hasOwn ? await typedFor(context, subject, stored, after) : new Map();
      const byChoice = answersByChoice(stored, counts);
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
        choices: isChoice(question) ? choiceEffects(question, after, byChoice, typed) : [],
      };
    }),
  );
  return { responses: span.answered, questions };
}
