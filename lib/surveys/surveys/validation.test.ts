import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cohorts } from "#lib/platform/db/tables/feature_flags.ts";
import { clearOfMidnight } from "#testing/clock.ts";
import { type Service, startService } from "#testing/service.ts";
import { createFlag, createSurvey, ROOT, surveyBody } from "#testing/surveys.ts";
import { parseMoment } from "./dates.ts";

await clearOfMidnight();

const PRO = { key: "plan", type: "person", value: ["pro"], operator: "exact" };
const VARIANTS = [
  { key: "red", rollout_percentage: 50 },
  { key: "blue", rollout_percentage: 50 },
];
const DAY_MS = 86_400_000;
const TODAY = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS).toISOString();
const YESTERDAY = new Date(Date.parse(TODAY) - 1000).toISOString();

let service: Service;
let flagId: number;
let behavioural: number;
let nested: number;

beforeAll(async () => {
  service = await startService();
  flagId = await createFlag(service, "with-variants", {
    groups: [{ properties: [], rollout_percentage: 100 }],
    multivariate: { variants: VARIANTS },
  });
  const cohortOf = async (row: unknown) => {
    const filters = { properties: { type: "OR", values: [{ type: "AND", values: [row] }] } };
    const [cohort] = await service.db
      .insert(cohorts)
      .values({ project_id: 1, name: "c", filters })
      .returning();
    return cohort?.id ?? 0;
  };
  behavioural = await cohortOf({ type: "behavioral", key: "$pageview", value: "performed_event" });
  nested = await cohortOf({ type: "cohort", key: "id", value: behavioural });
  service.runtime.cohorts.changed(1);
});
afterAll(() => service.close());

const post = (fields: Record<string, unknown>) => service.api("POST", ROOT, surveyBody(fields));
const open = (more: unknown) => [{ type: "open", question: "Why?", ...(more as object) }];
const groups = (...sets: unknown[]) => ({ targeting_flag_filters: { groups: sets } });

type Bad = { fields: unknown; attr: string | null; code?: string; says?: RegExp };

const badFields: Bad[] = [
  { fields: { name: undefined }, attr: "name", code: "required" },
  { fields: { name: null }, attr: "name", code: "null" },
  { fields: { name: "  " }, attr: "name", code: "blank" },
  { fields: { name: "x".repeat(401) }, attr: "name", code: "max_length" },
  { fields: { name: 7 }, attr: "name" },
  { fields: { name: "a\0b" }, attr: "name", says: /Null characters/ },
  { fields: { description: null }, attr: "description", code: "null" },
  { fields: { description: "a\0b" }, attr: "description", says: /Null characters/ },
  { fields: { type: undefined }, attr: "type", code: "required" },
  { fields: { type: "banner" }, attr: "type", code: "invalid_choice" },
  { fields: { type: null }, attr: "type", code: "null" },
  { fields: { schedule: "sometimes" }, attr: "schedule", says: /once, recurring, always/ },
  { fields: { start_date: "tomorrow" }, attr: "start_date" },
  { fields: { start_date: "2026-02-30T00:00:00Z" }, attr: "start_date" },
  { fields: { end_date: 5 }, attr: "end_date" },
  { fields: { end_date: "" }, attr: "end_date" },
  { fields: { archived: "yes" }, attr: "archived" },
  { fields: { archived: null }, attr: "archived", code: "null" },
  { fields: { responses_limit: -1 }, attr: "responses_limit", code: "min_value" },
  { fields: { responses_limit: 1.5 }, attr: "responses_limit" },
  { fields: { responses_limit: 3_000_000_000 }, attr: "responses_limit", code: "max_value" },
  { fields: { iteration_count: 501 }, attr: "iteration_count", code: "max_value" },
  { fields: { iteration_count: -1 }, attr: "iteration_count", code: "min_value" },
  { fields: { iteration_frequency_days: -1 }, attr: "iteration_frequency_days", code: "min_value" },
  { fields: { iteration_frequency_days: 1e9 }, attr: "iteration_frequency_days", code: "max_value" },
  { fields: { current_iteration: 1e12 }, attr: "current_iteration", code: "max_value" },
  { fields: { enable_partial_responses: "no" }, attr: "enable_partial_responses" },
  { fields: { conditions: [] }, attr: "conditions", code: "not_a_dict" },
  { fields: { conditions: "url" }, attr: "conditions", code: "not_a_dict" },
  { fields: { appearance: 3 }, attr: "appearance", code: "not_a_dict" },
  { fields: { appearance: { thankYouMessageDescriptionContentType: "markdown" } }, attr: "appearance" },
  { fields: { appearance: { surveyPopupDelaySeconds: -1 } }, attr: "appearance" },
  { fields: { appearance: { surveyPopupDelaySeconds: "soon" } }, attr: "appearance" },
  { fields: { appearance: { whiteLabel: "yes" } }, attr: "appearance" },
  { fields: { targeting_flag_id: null }, attr: "targeting_flag_id", code: "null" },
];

const badQuestions: Bad[] = [
  { fields: { questions: "Why?" }, attr: "questions" },
  { fields: { questions: {} }, attr: "questions" },
  { fields: { questions: ["Why?"] }, attr: "questions", says: /list of objects/ },
  { fields: { questions: [[]] }, attr: "questions" },
  { fields: { questions: [null] }, attr: "questions" },
  { fields: { questions: [{ type: "open" }] }, attr: "questions", says: /cannot be empty/ },
  { fields: { questions: open({ question: "" }) }, attr: "questions" },
  { fields: { questions: open({ question: 5 }) }, attr: "questions" },
  { fields: { questions: open({ id: 5 }) }, attr: "questions" },
  {
    fields: { questions: open({ descriptionContentType: "markdown" }) },
    attr: "questions",
    says: /text, html/,
  },
  { fields: { questions: open({ choices: "A" }) }, attr: "questions" },
  { fields: { questions: open({ choices: { 0: "A" } }) }, attr: "questions" },
  { fields: { questions: open({ choices: ["A", " "] }) }, attr: "questions" },
  { fields: { questions: open({ choices: ["A", 2] }) }, attr: "questions" },
  { fields: { questions: open({ link: "http://example.com" }) }, attr: "questions" },
  { fields: { questions: open({ link: "javascript:alert(1)" }) }, attr: "questions" },
  { fields: { questions: open({ link: "https://" }) }, attr: "questions" },
  { fields: { questions: open({ link: "mailto:nobody" }) }, attr: "questions" },
  { fields: { questions: open({ link: 5 }) }, attr: "questions" },
  { fields: { questions: [...open({}), { type: "open" }] }, attr: "questions", says: /question 2/ },
  { fields: { questions: open({ choices: true }) }, attr: "questions", says: /must be a list/ },
  { fields: { questions: open({ link: "HTTPS:x" }) }, attr: "questions" },
  { fields: { questions: open({ link: "mailto:a@b.example?cc=c@d.example" }) }, attr: "questions" },
  {
    fields: { questions: open({ translations: { de: { link: "javascript:alert(1)" } } }) },
    attr: "questions",
  },
];

const badSampling: Bad[] = [
  {
    fields: {
      response_sampling_start_date: YESTERDAY,
      response_sampling_interval: 1,
      response_sampling_limit: 1,
    },
    attr: "response_sampling_start_date",
  },
  { fields: { response_sampling_interval: 0 }, attr: "response_sampling_interval" },
  { fields: { response_sampling_interval: -3 }, attr: "response_sampling_interval" },
  {
    fields: { response_sampling_interval: 2, response_sampling_limit: 10 },
    attr: "response_sampling_start_date",
  },
  { fields: { response_sampling_limit: 10 }, attr: "response_sampling_interval" },
  {
    fields: { response_sampling_start_date: TODAY, response_sampling_interval: 2 },
    attr: "response_sampling_limit",
  },
  {
    fields: { response_sampling_start_date: TODAY, response_sampling_limit: 10 },
    attr: "response_sampling_interval",
  },
  { fields: { response_sampling_interval_type: "year" }, attr: "response_sampling_interval_type" },
  {
    fields: {
      response_sampling_start_date: TODAY,
      response_sampling_interval_type: "month",
      response_sampling_interval: 3000,
      response_sampling_limit: 10,
    },
    attr: "response_sampling_interval",
    code: "max_value",
  },
  {
    fields: {
      response_sampling_start_date: "9999-12-30T00:00:00Z",
      response_sampling_interval: 1,
      response_sampling_limit: 10,
    },
    attr: "response_sampling_start_date",
  },
  {
    fields: { start_date: "9999-12-01T00:00:00Z", iteration_count: 3, iteration_frequency_days: 30 },
    attr: "iteration_count",
    code: "max_value",
  },
];

const external = (fields: unknown) => ({ type: "external_survey", ...(fields as object) });
const badExternal: Bad[] = [
  ...["url", "urlMatchType", "selector", "linkedFlagVariant", "deviceTypes", "deviceTypesMatchType"].map(
    (name) => ({
      fields: external({ conditions: { [name]: "" } }),
      attr: null,
    }),
  ),
  { fields: external({ conditions: { seenSurveyWaitPeriodInDays: 0 } }), attr: null },
  { fields: external({ conditions: { events: { values: [{ name: "x" }] } } }), attr: null },
  { fields: external({ conditions: { actions: { values: [{ id: 1 }] } } }), attr: null },
  { fields: external({ appearance: { surveyPopupDelaySeconds: 0 } }), attr: null },
  { fields: external({ targeting_flag_filters: {} }), attr: null },
];

const badTargeting: Bad[] = [
  { fields: { linked_flag_id: 99_999 }, attr: null, says: /does not exist/ },
  { fields: { linked_flag_id: 1e12 }, attr: null, says: /does not exist/ },
  { fields: { targeting_flag_id: 99_999 }, attr: null, says: /does not exist/ },
  { fields: { linked_flag_id: "1" }, attr: "linked_flag_id" },
  { fields: { conditions: { linkedFlagVariant: "red" } }, attr: null, says: /linked_flag_id/ },
  { fields: { targeting_flag_filters: [] }, attr: "targeting_flag_filters", code: "not_a_dict" },
  { fields: groups({ properties: [], rollout_percentage: 100 }), attr: "targeting_flag_filters" },
  { fields: groups({ properties: [], rollout_percentage: null }), attr: "targeting_flag_filters" },
  { fields: groups({}), attr: "targeting_flag_filters" },
  { fields: groups({ properties: [PRO] }, { properties: [] }), attr: "targeting_flag_filters" },
  { fields: groups({ properties: [PRO], rollout_percentage: 101 }), attr: "targeting_flag_filters" },
  { fields: groups({ properties: "plan" }), attr: "targeting_flag_filters" },
  { fields: { targeting_flag_filters: { groups: "all" } }, attr: "targeting_flag_filters" },
];

describe("a new survey is refused, and not stored, for", () => {
  it.each([...badFields, ...badQuestions, ...badSampling, ...badExternal, ...badTargeting])(
    "$fields",
    async ({ fields, attr, code = "invalid_input", says }) => {
      const before = (await service.api("GET", ROOT)).json.count;
      const { status, json } = await post(fields as Record<string, unknown>);
      expect([status, json.type, json.code, json.attr]).toEqual([
        400,
        "validation_error",
        expect.any(String),
        attr,
      ]);
      if (code !== "invalid_input" || says) expect(json.code).toBe(code);
      if (says) expect(json.detail).toMatch(says);
      expect((await service.api("GET", ROOT)).json.count).toBe(before);
    },
  );

  it("a linked flag on an external survey", async () => {
    const { status, json } = await post(external({ linked_flag_id: flagId }));
    expect([status, json.attr]).toEqual([400, null]);
  });

  it("a variant that the linked flag does not have", async () => {
    const withVariant = (linkedFlagVariant: string) =>
      post({ linked_flag_id: flagId, conditions: { linkedFlagVariant } });
    expect((await withVariant("green")).json.detail).toMatch(/red, blue/);
    expect((await withVariant("red")).status).toBe(201);
    expect((await withVariant("any")).status).toBe(201);
  });

  it("a cohort of people by what they did, directly or through another cohort", async () => {
    for (const value of [behavioural, nested]) {
      const property = { key: "id", type: "cohort", value, operator: "in" };
      const { status, json } = await post(groups({ properties: [property], rollout_percentage: 100 }));
      expect([status, json.code, json.attr]).toEqual([400, "behavioral_cohort_found", null]);
    }
  });

  it.each(["[]", "null1", '"text"', "{", "7"])("the body %s", async (body) => {
    const { status, json } = await service.api("POST", ROOT, body, {
      headers: { "content-type": "application/json" },
    });
    expect(status).toBe(400);
    expect(json.detail).toBeTruthy();
  });

  it("objects nested beyond reason", async () => {
    const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
    for (const field of ["conditions", "appearance", "targeting_flag_filters"]) {
      const body = `{"name":"deep","type":"api","${field}":${deep}}`;
      const { status, json } = await service.api("POST", ROOT, body, {
        headers: { "content-type": "application/json" },
      });
      expect([status, json.attr]).toEqual([400, field]);
    }
    const body = `{"name":"deep","type":"api","questions":[{"question":"?","x":${deep}}]}`;
    const headers = { "content-type": "application/json" };
    expect((await service.api("POST", ROOT, body, { headers })).json.attr).toBe("questions");
  });
});

describe("names", () => {
  it("are taken once in a project, by archived surveys too", async () => {
    const first = await createSurvey(service, { name: "Only once", archived: true });
    const again = await post({ name: " Only once " });
    expect([again.status, again.json.code, again.json.attr]).toEqual([400, "unique", null]);
    const other = await createSurvey(service);
    const renamed = await service.api("PATCH", `${ROOT}${other.id}/`, { name: "Only once" });
    expect([renamed.status, renamed.json.code, renamed.json.attr]).toEqual([400, "unique", null]);
    expect((await service.api("PATCH", `${ROOT}${first.id}/`, { name: "Only once" })).status).toBe(200);
  });

  it("are given to one of many that ask for it at once", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => post({ name: "Race" })));
    expect(answers.map((a) => a.status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
    expect(answers.filter((a) => a.status === 400).every((a) => a.json.code === "unique")).toBe(true);
  });
});

describe("an update", () => {
  it("is refused as a whole when a part of it is wrong", async () => {
    const made = await createSurvey(service, { targeting_flag_filters: { groups: [{ properties: [PRO] }] } });
    const body = { description: "half", remove_targeting_flag: true, responses_limit: -1 };
    expect((await service.api("PATCH", `${ROOT}${made.id}/`, body)).status).toBe(400);
    const read = (await service.api("GET", `${ROOT}${made.id}/`)).json;
    expect(read.description).toBe("");
    expect(read.targeting_flag).toEqual(made.targeting_flag);
  });

  it("cannot take back iterations that have begun", async () => {
    const start_date = "2026-03-02T09:00:00Z";
    const recurring = { iteration_count: 5, iteration_frequency_days: 7, start_date };
    const made = await createSurvey(service, { ...recurring, current_iteration: 3 });
    const { status, json } = await service.api("PATCH", `${ROOT}${made.id}/`, { iteration_count: 2 });
    expect([status, json.attr]).toEqual([400, "iteration_count"]);
    expect(json.detail).toContain("3");
    expect((await service.api("PATCH", `${ROOT}${made.id}/`, { iteration_count: 3 })).status).toBe(200);
  });

  it("checks an external survey's conditions where it sends the type", async () => {
    const made = await createSurvey(service, { conditions: { url: "/a" } });
    const turn = (body: unknown) => service.api("PATCH", `${ROOT}${made.id}/`, body);
    expect((await turn({ type: "external_survey", conditions: { url: "/a" } })).status).toBe(400);
    expect((await turn({ type: "external_survey", conditions: { url: null } })).status).toBe(200);
  });
});

it.each([
  { link: "https://example.com/a?b=c#d" },
  { link: "mailto:team@example.com" },
  { link: "" },
  { link: null },
  { choices: [] },
  { choices: null },
  { type: "rating", scale: 4, display: "stars", branching: { type: "specific_question", index: 99 } },
  { type: "rating", lowerBoundLabel: 5, upperBoundLabel: null },
  { type: "single_choice" },
  { type: "single_choice", choices: ["A"], hasOpenChoice: "sometimes" },
  { type: "multiple_choice", choices: ["A", "A"] },
  { type: "link" },
  { type: "slider" },
  { type: undefined },
  { branching: { type: "response_based", responseValues: { promoters: 0 } }, type: "open" },
  { descriptionContentType: null },
  { descriptionContentType: "html" },
  { validation: "none", translations: 7 },
  { skipSubmitButton: true, isNpsQuestion: true },
  { id: "the same", question: "Asked under a name that another question has" },
])("a question with %o is accepted, and kept as it is", async (more) => {
  const { status, json } = await post({ questions: [...open({ id: "the same" }), ...open(more)] });
  expect(status).toBe(201);
  expect(json.questions[1]).toMatchObject(JSON.parse(JSON.stringify(more)));
});

it.each([
  { questions: [] },
  { start_date: "2026-03-02T00:00:00Z", end_date: "2026-03-01T00:00:00Z" },
  { end_date: "2026-03-01T00:00:00Z" },
  { response_sampling_limit: 0, response_sampling_interval: 2 },
  { iteration_count: 500, iteration_frequency_days: 3_650 },
  { responses_limit: 0 },
  { appearance: { whiteLabel: true, thankYouMessageDescriptionContentType: "html" } },
  { conditions: { urlMatchType: "nearly", deviceTypes: ["Toaster"], cancelEvents: 7 } },
  external({
    conditions: { url: null, actions: { values: [] }, events: { values: [] } },
    linked_flag_id: null,
  }),
  external({ targeting_flag_filters: null, appearance: { surveyPopupDelaySeconds: null } }),
  external({ conditions: null, appearance: null }),
])("a survey with %o is accepted", async (fields) => {
  expect((await post(fields as Record<string, unknown>)).status).toBe(201);
});

describe("HTML", () => {
  const clean = async (question: string) =>
    (await createSurvey(service, { questions: open({ question }) })).questions[0];

  it.each([
    ["2 < 3 & 4 > 1", "2 < 3 & 4 > 1"],
    ["<b>bold</b> R&D", "<b>bold</b> R&amp;D"],
    ["<b>open", "<b>open</b>"],
    ["a<script>alert(1)</script>b", "ab"],
    ["a<style>b{}</style>c", "ac"],
    ["<iframe src='https://x.example'></iframe>x", "x"],
    ["<form><input><button>go</button></form>", "go"],
    ["<svg onload=alert(1)></svg>x", "x"],
    ["<p style='color:red' onclick='x()' lang=de>t</p>", '<p style="color:red" lang="de">t</p>'],
    ["<p style='background:url(https://x.example)'>t</p>", "<p>t</p>"],
    [
      "<a href='https://x.example' target=_blank rel=opener>t</a>",
      '<a href="https://x.example" target="_blank" rel="noopener">t</a>',
    ],
    ["<a href='javascript:alert(1)'>t</a>", '<a rel="noopener">t</a>'],
    ["<img src=x onerror=alert(1)>", '<img src="x" />'],
  ])("%s becomes %s", async (sent, stored) => {
    expect((await clean(sent)).question).toBe(stored);
  });

  it("is cleaned in every text that respondents read, and in none that they do not", async () => {
    const evil = "x<script>alert(1)</script>";
    const made = await createSurvey(service, {
      name: `Evil ${evil}`,
      description: evil,
      questions: open({
        description: evil,
        buttonText: evil,
        lowerBoundLabel: evil,
        upperBoundLabel: evil,
        choices: [evil, "y"],
        translations: { de: { question: evil, choices: [evil] } },
      }),
      appearance: {
        thankYouMessageHeader: evil,
        thankYouMessageDescription: evil,
        thankYouMessageCloseButtonText: evil,
        submitButtonText: evil,
        placeholder: evil,
        widgetLabel: evil,
      },
    });
    expect(JSON.stringify([made.questions, made.appearance])).not.toContain("<script");
    expect([made.name, made.description]).toEqual([`Evil ${evil}`, evil]);
  });
});

describe("moments", () => {
  it.each([
    ["2026-03-02T09:00:00Z", "2026-03-02T09:00:00.000Z"],
    ["2026-03-02t09:00:00z", "2026-03-02T09:00:00.000Z"],
    ["2026-03-02 09:00", "2026-03-02T09:00:00.000Z"],
    ["2026-03-02", "2026-03-02T00:00:00.000Z"],
    ["2026-03-02T09:00:00.1234567+02:00", "2026-03-02T07:00:00.123Z"],
    ["2026-03-02T00:30:00-0130", "2026-03-02T02:00:00.000Z"],
    ["2024-02-29T00:00:00+05", "2024-02-28T19:00:00.000Z"],
    ["1000-01-01T00:00:00Z", "1000-01-01T00:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(parseMoment(text)?.toISOString()).toBe(expected);
  });

  it.each([
    "2026-02-29",
    "2026-13-01",
    "2026-00-10",
    "2026-03-02T24:00:00Z",
    "2026-03-02T09:60:00Z",
    "2026-03-02T09:00:00+24:00",
    "0000-01-01",
    "0999-12-31",
    "9999-12-31T23:59:59-01:00",
    "2026-3-2",
    "20260302",
    "1740000000",
    "",
  ])("%o is none", (text) => {
    expect(parseMoment(text)).toBeNull();
  });
});

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    0,
    -1,
    Number.MAX_VALUE,
    2 ** 31,
    "",
    "\0",
    "\ud800",
    "2026-01-01",
    "9999-12-31T23:59:59Z",
    [],
    {},
    null,
    true,
  ),
);
const fieldNames = Object.keys({
  ...{ name: 0, description: 0, type: 0, schedule: 0, linked_flag_id: 0, targeting_flag_id: 0 },
  ...{ targeting_flag_filters: 0, remove_targeting_flag: 0, questions: 0, conditions: 0, appearance: 0 },
  ...{ start_date: 0, end_date: 0, archived: 0, responses_limit: 0, iteration_count: 0 },
  ...{ iteration_frequency_days: 0, iteration_start_dates: 0, current_iteration: 0 },
  ...{ current_iteration_start_date: 0, response_sampling_start_date: 0, response_sampling_interval_type: 0 },
  ...{ response_sampling_interval: 0, response_sampling_limit: 0, response_sampling_daily_limits: 0 },
  ...{ enable_partial_responses: 0, _create_in_folder: 0, __proto__x: 0 },
});
const plausible = fc.record(
  {
    questions: fc.array(
      fc.dictionary(
        fc.constantFrom("question", "type", "choices", "link", "branching", "id", "scale", "x"),
        odd,
      ),
    ),
    conditions: fc.dictionary(
      fc.constantFrom("url", "events", "actions", "linkedFlagVariant", "deviceTypes"),
      odd,
    ),
    appearance: fc.dictionary(
      fc.constantFrom("whiteLabel", "surveyPopupDelaySeconds", "thankYouMessageHeader"),
      odd,
    ),
    targeting_flag_filters: fc.dictionary(fc.constantFrom("groups", "payloads", "multivariate"), odd),
    iteration_count: fc.integer({ min: 0, max: 500 }),
    iteration_frequency_days: fc.integer({ min: 0, max: 3650 }),
    start_date: fc.constantFrom("1000-01-01", "2026-03-02T09:00:00Z", "9999-12-31T23:59:59Z"),
  },
  { requiredKeys: [] },
);
const body = fc
  .tuple(plausible, fc.dictionary(fc.constantFrom(...fieldNames), odd, { maxKeys: 3 }))
  .map(([likely, random]) => ({ ...likely, ...random }));

it("no body brings the service down, and what it accepts it can read back", async () => {
  const target = await createSurvey(service);
  await fc.assert(
    fc.asyncProperty(body, async (fields) => {
      const made = await post(fields);
      expect(made.status).toBeLessThan(500);
      if (made.status === 201) {
        const read = await service.api("GET", `${ROOT}${made.json.id}/`);
        expect(read.json).toMatchObject(made.json);
        expect((await service.api("DELETE", `${ROOT}${made.json.id}/`)).status).toBe(204);
      } else expect(made.json).toMatchObject({ type: "validation_error", detail: expect.any(String) });
      expect((await service.api("PATCH", `${ROOT}${target.id}/`, fields)).status).toBeLessThan(500);
    }),
    { numRuns: 300 },
  );
  const feed = await service.api("GET", `/api/surveys/?token=${service.token}`, undefined, { key: null });
  expect(feed.status).toBe(200);
}, 120_000);
