import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { FlagDefinition } from "#lib/engines/evaluation/values/types.ts";
import type { RawEvent } from "./calls.ts";
import { DAY_MS, DEMO_EXPERIMENTS } from "./experiments.ts";
import type { DemoPerson } from "./people.ts";
import { uuidOf } from "./random.ts";
import type { StoredSurvey } from "./surveys/answers.ts";

const KIND = 10;
const MINUTE_MS = 60_000;

/** When things happened, in days before now: experiments, an answer, calls on the old plan, the new plan. */
const EXPOSED = 12;
const ANSWERED = 9;
const CALLED = 5;
const UPGRADED = 4;

const OLD_PLAN = "free";
/** Calls whose value would be another today, and others. */
const DIFFERENT = 4;
const SAME = 6;

const ANSWERS: Readonly<Record<string, unknown>> = {
  nps: 9,
  "nps-love": "The reports are clear enough to send to my boss.",
};

type Told = { event: string; at: number; properties: Record<string, unknown> };

/** They were exposed to every running experiment, and took its steps. */
function* experiments(now: number, servedValue: (key: string) => unknown): Generator<Told> {
  for (const { body, started, ended, steps } of DEMO_EXPERIMENTS) {
    if (started === null || ended !== null) continue;
    const at = now - Math.min(EXPOSED, started / 2) * DAY_MS;
    const $feature_flag = body.feature_flag_key;
    const $feature_flag_response = servedValue($feature_flag);
    yield {
      event: "$feature_flag_called",
      at,
      properties: { $feature_flag, $feature_flag_response, $lib: "web" },
    };
    for (const [place, event] of steps.entries())
      yield {
        event,
        at: at + (place + 1) * 7 * MINUTE_MS,
        properties: event === "order paid" ? { amount: 74.5, currency: "USD", $lib: "web" } : { $lib: "web" },
      };
  }
}

/** They recommend the product, and say why. */
function* answers(now: number, surveys: readonly StoredSurvey[]): Generator<Told> {
  const stored = surveys.find(({ survey }) => survey.name === "Product NPS");
  if (!stored) return;
  const { id: $survey_id, survey, questions } = stored;
  const at = now - ANSWERED * DAY_MS;
  const common = { $survey_id, $survey_name: survey.name, $lib: "web" };
  yield { event: "survey shown", at, properties: common };
  const answered = questions.filter(({ id }) => ANSWERS[String(id)] !== undefined);
  yield {
    event: "survey sent",
    at: at + MINUTE_MS,
    properties: {
      ...common,
      $survey_submission_id: uuidOf(KIND, 1_000_000),
      $survey_completed: true,
      ...Object.fromEntries(answered.map(({ id }) => [`$survey_response_${id}`, ANSWERS[String(id)]])),
    },
  };
}

/** What a server was answered for them before they changed their plan: some of it is different by now. */
function* calls(
  now: number,
  flags: readonly FlagDefinition[],
  values: { before: (key: string) => unknown; after: (key: string) => unknown },
): Generator<Told> {
  const tested = new Set(DEMO_EXPERIMENTS.map(({ body }) => body.feature_flag_key));
  const called = flags.filter(({ key, active }) => active && !tested.has(key));
  const isDifferent = ({ key }: FlagDefinition) => values.before(key) !== values.after(key);
  const chosen = [
    ...called.filter(isDifferent).slice(0, DIFFERENT),
    ...called.filter((flag) => !isDifferent(flag)).slice(0, SAME),
  ];
  for (const [place, { key, id }] of chosen.entries())
    yield {
      event: "$feature_flag_called",
      at: now - CALLED * DAY_MS + place * MINUTE_MS,
      properties: {
        $feature_flag: key,
        $feature_flag_id: id,
        $feature_flag_response: values.before(key) ?? false,
        $lib: "posthog-node",
        $lib_version: "5.10.0",
      },
    };
}

/**
 * One person who is worth opening: they take part in experiments, have answered a survey, and got other values of some
 * flags before their plan changed.
 *
 * @param now milliseconds since 1970: nothing happens after it
 */
export function* guideEvents(
  now: number,
  person: DemoPerson,
  flags: readonly FlagDefinition[],
  surveys: readonly StoredSurvey[],
): Generator<RawEvent> {
  const compiled = compileFlags({ flags });
  const valueWith = (plan: unknown) => (key: string) =>
    evaluateFlag(compiled, key, {
      distinct_id: person.distinct_id,
      person_properties: { ...person.properties, plan: plan as string },
      now,
    })?.value;
  const { plan } = person.properties;
  const values = { before: valueWith(OLD_PLAN), after: valueWith(plan) };
  const upgraded = {
    event: "plan upgraded",
    at: now - UPGRADED * DAY_MS,
    properties: { from: OLD_PLAN, to: plan, $set: { plan } },
  };
  const told = [
    ...experiments(now, values.after),
    ...answers(now, surveys),
    ...calls(now, flags, values),
    upgraded,
  ];
  for (const [place, { at, ...event }] of told.entries())
    yield {
      ...event,
      uuid: uuidOf(KIND, place),
      distinct_id: person.distinct_id,
      timestamp: new Date(at).toISOString(),
    };
}
