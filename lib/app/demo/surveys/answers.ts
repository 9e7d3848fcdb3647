import type { RawEvent } from "#lib/app/demo/calls.ts";
import type { DemoPerson } from "#lib/app/demo/people.ts";
import { type Random, random, uuidOf } from "#lib/app/demo/random.ts";
import { nextStep } from "#lib/engines/branching/branching.ts";
import type { DemoSurvey } from "./surveys.ts";
import { type Mood, ownChoice, textBy } from "./texts.ts";

const DAY_MS = 86_400_000;
const EVENT = 4;
const SUBMISSION = 5;

type Question = Record<string, unknown>;

/** A stored survey: with its id, and the ids of its questions. */
export type StoredSurvey = { id: string; survey: DemoSurvey; questions: Question[] };

/** The mood of a person: a little better for paying customers and testers, and for everybody over time. */
function moodOf(r: Random, { properties }: DemoPerson, progress: number): Mood {
  const plan = { free: -0.1, pro: 0.04, team: 0.08, enterprise: 0.02 }[String(properties.plan)] ?? 0;
  const device = properties.device_type === "Mobile" ? -0.08 : 0;
  const spread = (r.next() + r.next() + r.next()) / 3 - 0.5;
  return Math.min(1, Math.max(0, 0.6 + plan + device + 0.14 * progress + 1.5 * spread));
}

function rating(r: Random, scale: number, mood: Mood): number {
  if (scale === 2) return r.next() < mood ? 1 : 2;
  const first = scale === 10 ? 0 : 1;
  const at = first + mood * (scale - first) + (r.next() - 0.5) * 1.6;
  return Math.min(scale, Math.max(first, Math.round(at)));
}

/** Earlier choices are more likely; the mood shifts single choices. */
function choice(r: Random, question: Question, mood: Mood): string {
  const choices = (question.choices ?? []) as string[];
  const tilt = 0.5 + mood;
  const at = Math.floor(r.next() ** tilt * choices.length);
  const isOwn = question.hasOpenChoice && at === choices.length - 1;
  return isOwn ? ownChoice(r, String(question.id)) : (choices[at] ?? choices[0] ?? "");
}

function answerBy(r: Random, question: Question, person: DemoPerson, mood: Mood): unknown {
  if (question.optional && r.next() < 0.3) return null;
  if (question.type === "rating") return rating(r, Number(question.scale), mood);
  if (question.type === "single_choice") return choice(r, question, mood);
  if (question.type === "link") return "link clicked";
  if (question.type === "open") return textBy(r, String(person.properties.language), mood);
  const count = r.between(1, 3);
  return [...new Set(Array.from({ length: count }, () => choice(r, question, mood)))];
}

type Session = { stored: StoredSurvey; person: DemoPerson; at: number; iteration: number | null };

type Numbers = { next(): number };

const eventOf = (session: Session, numbers: Numbers, event: string, at: number, more: object): RawEvent => ({
  uuid: uuidOf(EVENT, numbers.next()),
  event,
  distinct_id: session.person.distinct_id,
  timestamp: new Date(at).toISOString(),
  properties: {
    $survey_id: session.stored.id,
    $survey_name: session.stored.survey.name,
    ...(session.iteration !== null && { $survey_iteration: session.iteration }),
    $lib: session.stored.survey.type === "external_survey" ? "switchyard-page" : "web",
    ...more,
  },
});

const answersAs = (questions: Question[], answers: ReadonlyMap<number, unknown>) => ({
  $survey_questions: questions.map((question, i) => ({
    id: question.id,
    question: question.question,
    response: answers.get(i) ?? null,
  })),
  ...Object.fromEntries([...answers].map(([i, value]) => [`$survey_response_${questions[i]?.id}`, value])),
});

/** One response: an event per answer if partial responses are sent, else one at the end or on leaving. */
function* answering(session: Session, r: Random, numbers: Numbers, mood: Mood): Generator<RawEvent> {
  const { survey, questions } = session.stored;
  const submission = uuidOf(SUBMISSION, numbers.next());
  const answers = new Map<number, unknown>();
  let at = session.at + r.between(3_000, 20_000);
  for (let step: number | "end" = 0; step !== "end"; ) {
    const question: Question = questions[step] ?? {};
    if (answers.size > 0 && r.next() > survey.patience) {
      const properties = { $survey_submission_id: submission, $survey_partially_completed: true };
      if (r.next() < 0.7 || !survey.enable_partial_responses)
        yield eventOf(session, numbers, "survey dismissed", at, {
          ...properties,
          ...answersAs(questions, answers),
        });
      return;
    }
    const answer = answerBy(r, question, session.person, mood);
    answers.set(step, answer);
    step = question.type === "rating" && answer === null ? step + 1 : nextStep(questions, step, answer);
    const completed = step === "end";
    if (completed || survey.enable_partial_responses)
      yield eventOf(session, numbers, "survey sent", at, {
        $survey_submission_id: submission,
        $survey_completed: completed,
        ...answersAs(questions, answers),
      });
    at += question.type === "open" ? r.between(12_000, 95_000) : r.between(3_000, 18_000);
  }
}

function* seeing(session: Session, r: Random, numbers: Numbers, progress: number): Generator<RawEvent> {
  const { survey } = session.stored;
  yield eventOf(session, numbers, "survey shown", session.at, {});
  const luck = r.next();
  const mood = moodOf(r, session.person, progress);
  if (luck < survey.answering * (0.75 + 0.5 * mood)) yield* answering(session, r, numbers, mood);
  else if (luck > 1 - survey.dismissing)
    yield eventOf(session, numbers, "survey dismissed", session.at + r.between(1_000, 15_000), {
      $survey_partially_completed: false,
    });
}

const working = (day: number) => (new Date(day).getUTCDay() % 6 === 0 ? 0.4 : 1);

/** The events of one survey, day by day. Only surveys that always ask ask people twice. */
function* courseOf(
  stored: StoredSurvey,
  people: DemoPerson[],
  now: number,
  seed: number,
  numbers: Numbers,
): Generator<RawEvent[]> {
  const { survey } = stored;
  const start = survey.start_date ? Date.parse(survey.start_date) : Number.POSITIVE_INFINITY;
  const end = Math.min(now, survey.end_date ? Date.parse(survey.end_date) : now);
  const asked = new Set<string>();
  const r = random(seed);
  for (let from = start; from < end && survey.audience > 0; from += DAY_MS) {
    const length = Math.min(DAY_MS, end - from);
    const progress = (from - start) / Math.max(DAY_MS, now - start);
    const count = Math.round(survey.audience * working(from) * (0.8 + 0.4 * r.next()) * (length / DAY_MS));
    const iteration = survey.iteration_days
      ? 1 + Math.floor((from - start) / (survey.iteration_days * DAY_MS))
      : null;
    const events: RawEvent[] = [];
    for (let i = 0; i < count; i++) {
      const person = r.pick(people);
      const at = from + Math.floor(r.next() * Math.max(1, length - 600_000));
      const key = `${person.distinct_id} ${iteration ?? ""}`;
      if (person.signed_up > at || (asked.has(key) && survey.schedule !== "always")) continue;
      asked.add(key);
      events.push(...seeing({ stored, person, at, iteration }, r, numbers, progress));
    }
    yield events.filter((event) => Date.parse(event.timestamp) < end);
  }
}

/** The events of the demo's surveys, in parts of a day. @param now milliseconds since the epoch */
export function* surveyAnswers(
  now: number,
  people: DemoPerson[],
  surveys: readonly StoredSurvey[],
): Generator<RawEvent[]> {
  for (const [i, stored] of surveys.entries()) {
    const audience = stored.survey.targeting_flag_filters
      ? people.filter((person) => person.properties.beta_tester === true)
      : people;
    // One range of numbers per survey, so that adding a survey does not change the events of others.
    let n = i * 1_000_000;
    const numbers = { next: () => (n += 1) };
    yield* courseOf(stored, audience, now, 4_000 + i, numbers);
  }
}
