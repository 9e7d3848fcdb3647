import { Map as SharingMap } from "immutable";
import { describe, expect, it } from "vitest";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { addDays, startOfDay } from "./dates.ts";
import { checkChoiceIds, checkChoiceTexts, checkSurvey, type Facts } from "./rules.ts";
import type { SurveyUpdate } from "./schema.ts";
import type { SurveyRow } from "./store.ts";
import { blank, changed } from "./writing.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
const TODAY = startOfDay(NOW);
const flag = (id: number, filters: object = {}, deleted = false) =>
  [id, { id, key: `flag-${id}`, filters, deleted } as Flag] as const;
const FACTS: Facts = {
  now: NOW,
  flags: SharingMap([
    flag(1),
    flag(2, {}, true),
    flag(3, { multivariate: { variants: [{ key: "red" }, { key: "blue" }, null] } }),
    flag(4, { multivariate: { variants: "none" } }),
  ]),
  cohorts: new Map(),
};
const STORED = blank({ project_id: 1, user_id: 1, now: NOW });

/** What is wrong with a change of a survey: the field, and what is said; null where nothing is. */
function problem(body: SurveyUpdate, stored: Partial<SurveyRow> = {}): [string | null, string] | null {
  const before = { ...STORED, ...stored };
  try {
    checkSurvey(body, before, changed(before, body, NOW, true), FACTS);
    return null;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [error.attr, error.message];
  }
}

describe("an external survey", () => {
  it.each<[SurveyUpdate, string]>([
    [{ linked_flag_id: 1 }, "a linked flag"],
    [{ targeting_flag_filters: { groups: [] } }, "targeting filters"],
    [{ conditions: { url: "/" } }, "the condition url"],
    [{ conditions: { urlMatchType: "exact" } }, "the condition urlMatchType"],
    [{ conditions: { selector: "#x" } }, "the condition selector"],
    [{ conditions: { seenSurveyWaitPeriodInDays: 0 } }, "the condition seenSurveyWaitPeriodInDays"],
    [{ conditions: { linkedFlagVariant: "any" } }, "the condition linkedFlagVariant"],
    [{ conditions: { deviceTypes: [] } }, "the condition deviceTypes"],
    [{ conditions: { deviceTypesMatchType: "exact" } }, "the condition deviceTypesMatchType"],
    [{ conditions: { events: { values: [{ name: "x" }] } } }, "the condition events"],
    [{ conditions: { actions: { values: [{ id: 1 }] } } }, "the condition actions"],
    [{ appearance: { surveyPopupDelaySeconds: 0 } }, "a popup delay"],
  ])("cannot have %j", (body, what) => {
    expect(problem({ type: "external_survey", ...body })).toEqual([
      null,
      `External surveys cannot have ${what}.`,
    ]);
    const other = problem({ type: "popover", ...body });
    expect(other?.[1] ?? "").not.toContain("External");
  });

  it.each<[SurveyUpdate]>([
    [{}],
    [{ linked_flag_id: null, targeting_flag_filters: null, conditions: null, appearance: null }],
    [{ conditions: { url: null, other: 1, events: { values: [] }, actions: null } }],
    [{ conditions: { events: { values: "x" } } }],
    [{ appearance: { surveyPopupDelaySeconds: null, color: "red" } }],
  ])("can have %j", (body) => {
    expect(problem({ type: "external_survey", ...body })).toBeNull();
  });
});

describe("a flag that a survey names", () => {
  it.each<[SurveyUpdate, string | null]>([
    [{ linked_flag_id: 1 }, null],
    [{ linked_flag_id: null }, null],
    [{ linked_flag_id: 2 }, "The linked feature flag does not exist."],
    [{ linked_flag_id: 9 }, "The linked feature flag does not exist."],
    [{ targeting_flag_id: 1 }, null],
    [{ targeting_flag_id: 2 }, "The targeting feature flag does not exist."],
    [{ targeting_flag_id: 9 }, "The targeting feature flag does not exist."],
    [{ linked_flag_id: 3, conditions: { linkedFlagVariant: "red" } }, null],
    [{ linked_flag_id: 1, conditions: { linkedFlagVariant: "any" } }, null],
    [{ conditions: { linkedFlagVariant: "any" } }, null],
    [{ conditions: { linkedFlagVariant: null } }, null],
    [
      { conditions: { linkedFlagVariant: "red" } },
      "linkedFlagVariant requires linked_flag_id in the same request.",
    ],
    [
      { linked_flag_id: 3, conditions: { linkedFlagVariant: "green" } },
      'The linked feature flag has no variant "green". It has: red, blue.',
    ],
    [
      { linked_flag_id: 4, conditions: { linkedFlagVariant: "red" } },
      'The linked feature flag has no variant "red". It has: .',
    ],
    [
      { linked_flag_id: 1, conditions: { linkedFlagVariant: "red" } },
      'The linked feature flag has no variant "red". It has: .',
    ],
  ])("%j: %s", (body, message) => {
    expect(problem(body)).toEqual(message === null ? null : [null, message]);
  });
});

describe("whom a survey targets", () => {
  const PRO = { key: "plan", type: "person", value: ["pro"], operator: "exact" };
  const everyone = [
    "targeting_flag_filters",
    "Targeting everyone is not targeting: add a property or lower the rollout.",
  ];
  it.each<[Record<string, unknown> | null, unknown]>([
    [null, null],
    [{}, null],
    [{ groups: [] }, null],
    [{ groups: [{ properties: [PRO], rollout_percentage: 100 }] }, null],
    [{ groups: [{ properties: [PRO] }] }, null],
    [{ groups: [{ properties: [], rollout_percentage: 99 }] }, null],
    [{ groups: [{ properties: [], rollout_percentage: 100 }] }, everyone],
    [{ groups: [{ properties: [], rollout_percentage: null }] }, everyone],
    [{ groups: [{ rollout_percentage: 100 }] }, everyone],
    [{ groups: [{ properties: [PRO] }, { properties: [] }] }, everyone],
  ])("%j", (targeting_flag_filters, expected) => {
    expect(problem({ targeting_flag_filters })).toEqual(expected);
  });
});

describe("a sampling plan", () => {
  const plan = (fields: SurveyUpdate = {}): SurveyUpdate => ({
    response_sampling_start_date: TODAY,
    response_sampling_interval_type: "day",
    response_sampling_interval: 10,
    response_sampling_limit: 100,
    ...fields,
  });
  const yesterday = addDays(TODAY, -1);

  it.each<[string, SurveyUpdate, Partial<SurveyRow>, string | null]>([
    ["begins today at the earliest", plan(), {}, null],
    [
      "does not begin before today",
      plan({ response_sampling_start_date: new Date(TODAY.getTime() - 1) }),
      {},
      "response_sampling_start_date",
    ],
    [
      "goes on where it has begun",
      plan({ response_sampling_start_date: yesterday }),
      { response_sampling_start_date: yesterday },
      null,
    ],
    ["needs an interval above 0", plan({ response_sampling_interval: 0 }), {}, "response_sampling_interval"],
    ["needs a limit", plan({ response_sampling_limit: null }), {}, "response_sampling_limit"],
    ["needs an interval", plan({ response_sampling_interval: null }), {}, "response_sampling_interval"],
    [
      "with a limit of 0 is none",
      plan({ response_sampling_limit: 0, response_sampling_interval: null }),
      {},
      null,
    ],
    ["needs a start", plan({ response_sampling_start_date: null }), {}, "response_sampling_start_date"],
    ["may have its limit changed", { response_sampling_limit: 5 }, { ...STORED, ...storedPlan() }, null],
    ["needs an interval for a limit", { response_sampling_limit: 5 }, {}, "response_sampling_interval"],
    ["may have a limit of 0 alone", { response_sampling_limit: 0 }, {}, null],
    ["may have an interval alone", { response_sampling_interval: 5 }, {}, null],
    [
      "needs a start for the interval of a limit",
      { response_sampling_interval: 5 },
      { response_sampling_limit: 5 },
      "response_sampling_start_date",
    ],
    ["lasts ten years at most", plan({ response_sampling_interval: 3_650 }), {}, null],
    ["does not last longer", plan({ response_sampling_interval: 3_651 }), {}, "response_sampling_interval"],
    [
      "lasts 521 weeks",
      plan({ response_sampling_interval_type: "week", response_sampling_interval: 521 }),
      {},
      null,
    ],
    [
      "does not last 522 weeks",
      plan({ response_sampling_interval_type: "week", response_sampling_interval: 522 }),
      {},
      "response_sampling_interval",
    ],
    [
      "does not last 122 months",
      plan({ response_sampling_interval_type: "month", response_sampling_interval: 122 }),
      {},
      "response_sampling_interval",
    ],
    [
      "ends by the year 9999",
      plan({ response_sampling_start_date: new Date("9999-12-21T00:00:00Z") }),
      {},
      null,
    ],
    [
      "does not end later",
      plan({ response_sampling_start_date: new Date("9999-12-22T00:00:00Z") }),
      {},
      "response_sampling_start_date",
    ],
  ])("%s", (_, body, stored, attr) => {
    expect(problem(body, stored)?.[0] ?? null).toBe(attr);
  });

  function storedPlan(): Partial<SurveyRow> {
    return {
      response_sampling_start_date: yesterday,
      response_sampling_interval_type: "day",
      response_sampling_interval: 10,
      response_sampling_limit: 100,
    };
  }
});

describe("iterations", () => {
  it.each<[SurveyUpdate, Partial<SurveyRow>, string | null]>([
    [{ iteration_count: 3, iteration_frequency_days: 7 }, { current_iteration: 3 }, null],
    [{ iteration_count: 2, iteration_frequency_days: 7 }, { current_iteration: 3 }, "iteration_count"],
    [{ iteration_count: 0 }, { current_iteration: 3 }, null],
    [{ name: "Other" }, { current_iteration: 3, iteration_count: 2 }, null],
    [
      { iteration_count: 11, iteration_frequency_days: 10, start_date: new Date("9999-09-01T00:00:00Z") },
      {},
      null,
    ],
    [
      { iteration_count: 14, iteration_frequency_days: 10, start_date: new Date("9999-09-01T00:00:00Z") },
      {},
      "iteration_count",
    ],
    [{ iteration_count: 14, start_date: new Date("9999-12-31T00:00:00Z") }, {}, null],
  ])("%j of a survey with %j: %s", (body, stored, attr) => {
    expect(problem(body, stored)?.[0] ?? null).toBe(attr);
  });
});

describe("the choices of a request", () => {
  const question = (choice_ids: (string | null)[]) => ({
    id: "q",
    question: "?",
    type: "single_choice" as const,
    choices: ["A", "B"],
    choice_ids,
  });
  const stored = { questions: [question(["x", "y"])], choice_history: null };

  it("are those of the question, or new ones", () => {
    expect(() => checkChoiceIds([question(["y", null])], stored)).not.toThrow();
    expect(() => checkChoiceIds([{ question: "?" }, question(["x", "z"])], stored)).toThrow(
      'This question has no choice with the id "z". Send null for a new choice. (question 2)',
    );
  });

  it("have had as many texts as can be followed", () => {
    const history = (count: number) => ({
      ...STORED,
      choice_history: {
        q: [
          {
            id: "x",
            texts: Array.from({ length: count }, (_, i) => ({ text: `${i}`, from: i, until: i + 1 })),
          },
        ],
      },
    });
    expect(() => checkChoiceTexts(STORED)).not.toThrow();
    expect(() => checkChoiceTexts(history(5_000))).not.toThrow();
    expect(() => checkChoiceTexts(history(5_001))).toThrow("more than 5000 texts");
  });
});
