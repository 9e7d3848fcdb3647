import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { personConditions } from "#lib/people/persons/filter.ts";
import {
  placeConditions,
  questionsOf,
  type ResultsRequest,
  resolvePersons,
} from "#lib/surveys/results/count/filter.ts";
import type { Tables } from "#lib/surveys/results/count/tables.ts";
import { countFigures, countTables } from "#lib/surveys/results/read/counting.ts";
import { selectResponseCount } from "#lib/surveys/surveys/schedule/limits-store.ts";
import { type Service, startService } from "#testing/service.ts";
import { figuresIn } from "#testing/survey-figures.ts";
import { generatedEvents, QUESTIONS, send, type TestEvent } from "#testing/survey-results.ts";
import { launchSurvey, ROOT } from "#testing/surveys.ts";
import { resultsFilters } from "./filters-schema.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const surveyWith = async (events: readonly TestEvent[]) => {
  const survey = await launchSurvey(service, { questions: QUESTIONS });
  await send(service, survey.id, events);
  return survey;
};

const get = async (id: string, what: string, query: Record<string, string> = {}) => {
  const { status, json, text } = await service.api(
    "GET",
    `${ROOT}${id}/${what}/?${new URLSearchParams(query)}`,
  );
  expect(status, text).toBe(200);
  return json;
};

const day = (n: number) => `2026-02-0${n}`;

const filters = fc.record(
  {
    date_from: fc.constantFrom(day(1), day(2)),
    date_to: fc.constantFrom(day(2), day(3), day(4)),
    iteration: fc.constantFrom("0", "1"),
    properties: fc.constantFrom(
      JSON.stringify([{ key: "plan", operator: "exact", value: ["pro"] }]),
      JSON.stringify([{ key: "plan", operator: "is_not_set" }]),
    ),
    answers: fc.constantFrom(
      JSON.stringify([{ question_id: "nps", operator: "bucket", value: "promoters" }]),
      JSON.stringify([{ question_id: "how", value: ["Web", "By letter"] }]),
      JSON.stringify([{ question_id: "what", operator: "other" }]),
      JSON.stringify([{ question_id: "why", operator: "icontains", value: "SLOW" }]),
    ),
  },
  { requiredKeys: [] },
);

const textOf = (value: unknown) => (typeof value === "string" ? value.trim() : "");

/** Conditions on answers, and what they mean of an answer as it was sent. */
const CONDITIONS: { condition: object; holds: (answers: Record<string, unknown>) => boolean }[] = [
  {
    condition: { question_id: "nps", operator: "bucket", value: "promoters" },
    holds: ({ nps }) => nps === 9 || nps === 10,
  },
  {
    condition: { question_id: "nps", operator: "gte", value: 7 },
    holds: ({ nps }) => nps === "7" || (typeof nps === "number" && nps >= 7 && nps <= 10),
  },
  {
    condition: { question_id: "how", value: ["Web", "By letter"] },
    holds: ({ how }) => how === "Web" || how === "By letter",
  },
  {
    condition: { question_id: "what", operator: "icontains", value: "NOTH" },
    holds: ({ what }) => Array.isArray(what) && what.includes("Nothing"),
  },
  {
    condition: { question_id: "why", operator: "icontains", value: "Slow" },
    holds: ({ why }) => textOf(why).toLowerCase().includes("slow"),
  },
  {
    condition: { question_id: "why", operator: "is_not", value: "price" },
    holds: ({ why }) => textOf(why) !== "" && textOf(why) !== "price",
  },
  { condition: { question_id: "why", operator: "is_not_set" }, holds: ({ why }) => textOf(why) === "" },
];

const PRO = JSON.stringify([{ key: "plan", operator: "exact", value: ["pro"] }]);

/** Filters of every kind, each alone and together. */
const wideFilters = fc.record(
  {
    from: fc.constantFrom(1, 2),
    to: fc.constantFrom(2, 3),
    iteration: fc.constantFrom(0, 1),
    isPro: fc.constant(true),
    conditions: fc.subarray(CONDITIONS, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);

type WideFilter = typeof wideFilters extends fc.Arbitrary<infer T> ? T : never;

/** The events that count under a filter: the only definition of filters besides the service's own. */
function eventsUnder(events: readonly TestEvent[], filter: WideFilter): TestEvent[] {
  const { from = 1, to = 9, iteration, isPro, conditions } = filter;
  const within = events.filter(
    (event) =>
      event.day >= from &&
      event.day <= to &&
      (iteration === undefined || (event.iteration ?? 0) === iteration) &&
      (!isPro || event.person === "a"),
  );
  if (!conditions) return within;
  const isSent = ({ event }: TestEvent) => event === "survey sent";
  const chosen = within.filter(
    (event) => isSent(event) && conditions.every(({ holds }) => holds(event.answers ?? {})),
  );
  const people = new Set(chosen.map(({ person }) => person));
  return [...chosen, ...within.filter((event) => !isSent(event) && people.has(event.person))];
}

const queryOf = ({ from, to, iteration, isPro, conditions }: WideFilter) => ({
  ...(from !== undefined && { date_from: day(from) }),
  ...(to !== undefined && { date_to: day(to) }),
  ...(iteration !== undefined && { iteration: String(iteration) }),
  ...(isPro && { properties: PRO }),
  ...(conditions && { answers: JSON.stringify(conditions.map(({ condition }) => condition)) }),
});

/** A query's filters, as verbs take them apart. */
async function askedFor(id: string, raw: Record<string, string | undefined>): Promise<ResultsRequest> {
  const { json: survey } = await service.api("GET", `${ROOT}${id}/`);
  const query = resultsFilters.parse(raw);
  const questions = questionsOf(survey);
  const cohorts = await service.runtime.cohorts.project(1);
  const people = query.properties ? personConditions(query.properties, cohorts, Date.now()) : null;
  const { date_from, date_to, iteration, fields } = query;
  const answers = placeConditions(query.answers, questions, "answers");
  return {
    survey,
    scope: { project_id: 1, survey_id: id },
    questions,
    filter: { date_from, date_to, iteration, answers, fields },
    people,
    filtered: iteration !== null || people !== null || answers.length > 0,
  };
}

const isSome = ([, n]: [unknown, number]) => n !== 0;

/** All numbers of tables that are shown anywhere. */
const figuresOf = ({ events, people, edges, days, iterations, durations, question }: Tables) => ({
  events,
  people: { ...people, closed: 0, answering: 0 },
  questions: QUESTIONS.map((_, place) => {
    const { given, waiting, slots } = question(place);
    return { given, waiting, slots: [...slots].filter(isSome).sort() };
  }),
  edges: edges
    .map(({ from, to, n }): [string, number] => [`${from} ${to}`, n])
    .filter(isSome)
    .sort(),
  iterations: [...iterations]
    .filter(([number]) => number > 0)
    .filter(happened)
    .sort(),
  days: [...days].filter(happened).sort(),
  durations,
});

const happened = ([, did]: [unknown, object]) => Object.values(did).some((n) => n > 0);

/** Some of the people have a plan. */
const withPlans = (id: string) =>
  service.runtime.events.write(
    1,
    ["a", "b"].map((person, i) => {
      const json = JSON.stringify({ $set: { plan: i === 0 ? "pro" : "free" } });
      return {
        uuid: `00000000-0000-4000-8000-${String(Date.now() % 1e9).padStart(9, "0")}${i}${id.slice(0, 2)}`,
        event: "$set",
        distinct_id: `${id} ${person}`,
        at: Date.UTC(2026, 0, 1),
        properties: JSON.parse(json),
        json,
      };
    }),
  );

describe("figures", () => {
  it("open exactly the rows that they count, under every filter", async () => {
    await fc.assert(
      fc.asyncProperty(generatedEvents(), filters, async (events, query) => {
        const { id } = await surveyWith(events);
        await withPlans(id);
        const results = await get(id, "results", query);
        for (const { at, count, rows } of figuresIn(results)) {
          const opened = await get(id, "responses", { ...query, ...rows, limit: "100" });
          expect([at, opened.count, opened.results.length]).toEqual([at, count, count]);
        }
      }),
      { numRuns: 6 },
    );
  }, 120_000);

  it("are the same from the rollups and from the rows", async () => {
    const context = { db: service.db };
    await fc.assert(
      fc.asyncProperty(generatedEvents(), filters, async (events, { date_from, date_to }) => {
        const { id } = await surveyWith(events);
        const request = await askedFor(id, { date_from, date_to });
        const stored = await countFigures(context, request);
        const counted = await countTables(context, await resolvePersons(context, request));
        expect(figuresOf(stored.tables)).toEqual(figuresOf(counted));
      }),
      { numRuns: 40 },
    );
  }, 240_000);

  it("under a filter are the stored figures of a survey with only the events that it leaves", async () => {
    const context = { db: service.db };
    const figuresFor = async (id: string, query: Record<string, string>) =>
      figuresOf((await countFigures(context, await askedFor(id, query))).tables);
    await fc.assert(
      fc.asyncProperty(
        generatedEvents(),
        fc.array(wideFilters, { minLength: 2, maxLength: 3 }),
        async (generated, list) => {
          // A response of one state, of a person who stays the same.
          const events = generated
            .filter(({ event }) => event !== "$identify")
            .map((event) => ({ ...event, submission: "" }));
          const { id } = await surveyWith(events);
          await withPlans(id);
          for (const filter of list) {
            const { id: narrow } = await surveyWith(eventsUnder(events, filter));
            expect(await figuresFor(id, queryOf(filter))).toEqual(await figuresFor(narrow, {}));
          }
        },
      ),
      { numRuns: 15 },
    );
  }, 240_000);

  it("say what was shown, answered and completed, with intervals", async () => {
    const answers = [
      { nps: 10, what: ["Flags", "Surveys"], why: "fast" },
      { nps: 9, how: "Web" },
      { nps: 3, how: "By letter", what: ["Flags"], why: "slow" },
      { nps: 7, how: "App" },
    ];
    const survey = await surveyWith([
      ...["p0", "p1", "p2", "p3", "p4", "p5"].map((person) => ({
        event: "survey shown" as const,
        person,
        day: 1,
      })),
      { event: "survey dismissed", person: "p4", day: 1 },
      { event: "survey dismissed", person: "p5", day: 2, partially: true },
      ...answers.map((given, i) => ({
        event: "survey sent" as const,
        person: `p${i}`,
        day: i + 1,
        answers: given,
        completed: i !== 3,
      })),
    ]);
    const results = await get(survey.id, "results");
    expect(
      results.funnel.map((s: { step: string; count: number; people: number }) => [s.step, s.count, s.people]),
    ).toEqual([
      ["shown", 6, 6],
      ["dismissed", 1, 1],
      ["left", 1, 1],
      ["answered", 4, 4],
      ["completed", 3, 3],
    ]);
    const [nps, how, what, why] = results.questions;
    expect(nps.rating.nps).toMatchObject({ value: 25, text: "25.0" });
    expect(nps.rating.nps.lower).toBeLessThan(25);
    expect(nps.rating.nps.upper).toBeGreaterThan(25);
    expect(nps.rating.mean.value).toBe(7.25);
    expect(nps.rating.histogram[10]).toMatchObject({
      value: 10,
      bucket: "promoters",
      count: 1,
      of: 4,
      share: 0.25,
    });
    // Promoters jump over "how": one of them answered it all the same, so that its path is what was answered.
    expect(how).toMatchObject({
      reached: { count: 3 },
      answered: { count: 3, of: 3 },
      skipped: { count: 0 },
    });
    expect(how.choice.other).toMatchObject({
      count: 1,
      label: "Somewhere else",
      texts: [{ text: "By letter", count: 1 }],
    });
    expect(how.choice.shares_sum).toBeCloseTo(1);
    expect(what.choice).toMatchObject({ multiple: true, shares_sum: 1.5 });
    expect(why).toMatchObject({ rating: null, choice: null, answered: { count: 2 } });
    expect(what.left.count).toBe(1);
    const edges = results.edges.map((e: { from: unknown; to: unknown; count: number }) => [
      e.from,
      e.to,
      e.count,
    ]);
    expect(edges).toEqual([
      ["start", 0, 4],
      [0, 1, 3],
      [0, 2, 1],
      [1, 2, 2],
      [1, "end", 1],
      [2, 3, 2],
      [2, "left", 1],
      [3, "end", 2],
    ]);
    expect(results.over_time.map((d: { answered: { count: number } }) => d.answered.count)).toEqual([
      1, 1, 1, 1,
    ]);
    for (const event of ["shown", "answered", "completed"] as const) {
      const days = results.over_time
        .slice(1, 4)
        .map((d: Record<string, { count: number }>) => d[event]?.count);
      const { count } = await get(survey.id, "responses", { event, day: day(2), day_to: day(4) });
      expect([event, count]).toEqual([event, days.reduce((sum: number, n: number) => sum + n, 0)]);
    }
    expect(results).toMatchObject({
      source: "summaries",
      matched: 4,
      total: 4,
      first_day: day(1),
      last_day: day(4),
    });
  });

  it("give the exact time to answer, and open the responses that it rests on", async () => {
    // The second of two events of each, in milliseconds after the first.
    const took = [2_000, 16_649, 16_650, 16_749, 86_400, 600_000];
    const times = (person: number, ms: number, completed: boolean): TestEvent => ({
      event: "survey sent",
      person: `p${person}`,
      day: 1,
      minute: 600 + Math.floor(ms / 60_000),
      ms: ms % 60_000,
      submission: `s${person}`,
      completed,
      answers: { nps: person },
    });
    const { id } = await surveyWith([
      ...took.flatMap((ms, i) => [times(i, 0, false), times(i, ms, true)]),
      times(8, 0, true),
      times(9, 0, false),
      times(9, 1_000, false),
    ]);
    const { durations, definitions } = await get(id, "results");
    expect(durations.median_seconds).toBe(16.7);
    expect(durations.timed.count).toBe(6);
    expect(
      durations.percentiles.map((one: { percent: number; seconds: number; count: number }) => [
        one.percent,
        one.seconds,
        one.count,
      ]),
    ).toEqual([
      [10, 2, 1],
      [25, 16.6, 1],
      [50, 16.7, 2],
      [75, 86.4, 1],
      [90, 600, 1],
    ]);
    for (const { percent, rows } of durations.percentiles) {
      const { results } = await get(id, "responses", rows);
      const seconds = results.map((row: { seconds: number }) => row.seconds);
      expect([percent, seconds]).toEqual([
        percent,
        { 10: [2], 25: [16.6], 50: [16.7, 16.7], 75: [86.4], 90: [600] }[percent as number],
      ]);
      const csv = await service.api("GET", `${ROOT}${id}/export/?${new URLSearchParams(rows)}`);
      expect(csv.text.trim().split("\r\n")).toHaveLength(1 + seconds.length);
    }
    expect(definitions.map(({ figure }: { figure: string }) => figure)).toContain("time to answer");
    const answers = JSON.stringify([{ question_id: "nps", operator: "lte", value: 3 }]);
    expect((await get(id, "results", { answers })).durations.median_seconds).toBe(16.65);
    expect((await get(id, "results", { date_to: day(1) })).durations.median_seconds).toBe(16.7);
    expect((await get(id, "results", { date_from: day(2) })).durations).toMatchObject({
      median_seconds: null,
      percentiles: [],
      timed: { count: 0 },
    });
  });

  it("exclude archived responses until they are restored", async () => {
    const { id } = await surveyWith([
      { event: "survey sent", person: "a", day: 1, answers: { nps: 1 } },
      { event: "survey sent", person: "b", day: 1, answers: { nps: 10 } },
    ]);
    const [first] = (await get(id, "responses")).results;
    const call = (verb: string) => service.api("POST", `${ROOT}${id}/responses/${first.uuid}/${verb}/`);
    expect((await call("archive")).json).toMatchObject({ uuid: first.uuid, archived: true });
    expect((await call("archive")).status).toBe(200);
    const without = await get(id, "results");
    expect([without.matched, without.archived.count, without.funnel[3].people]).toEqual([1, 1, 1]);
    expect((await get(id, "responses", { archived: "only" })).results[0].uuid).toBe(first.uuid);
    expect((await get(id, "stats")).stats["survey sent"].total_count).toBe(1);
    // A limit of responses counts them all the same.
    expect(await selectResponseCount(service.db, { project_id: 1, id }, { since: null, most: 9 })).toBe(2);
    await call("unarchive");
    expect((await get(id, "results")).matched).toBe(2);
    const { json } = await service.api("GET", `${ROOT}${id}/activity/`);
    expect(
      json.results
        .slice(0, 2)
        .map((row: { detail: { changes: { field: string }[] } }) => row.detail.changes[0]?.field),
    ).toEqual(["archived_response", "archived_response"]);
  });
});

describe("cross-tabulation", () => {
  it("counts pairs of answers, opens each cell, and tests with correction", async () => {
    const { id } = await surveyWith([
      ...Array.from({ length: 20 }, (_, i) => ({
        event: "survey sent" as const,
        person: `p${i}`,
        day: 1,
        answers: { nps: i < 10 ? 2 : 8, how: i < 10 ? "Web" : "App" },
      })),
      { event: "survey sent", person: "q", day: 1, answers: { nps: 2 } },
    ]);
    const table = await get(id, "crosstab", { question_a: "nps", question_b: "how" });
    expect(table.total).toBe(20);
    expect(table.cells.map((row: { count: number }[]) => row.map((cell) => cell.count))).toEqual([
      [10, 0, 0],
      [0, 10, 0],
      [0, 0, 0],
    ]);
    expect(table.cells[0][0]).toMatchObject({ direction: "more", small: false, expected: 5, row_share: 1 });
    expect(table.cells[0][1]).toMatchObject({ direction: "fewer", small: true });
    expect(table.test.p_value).toBeLessThan(0.001);
    for (const { at, count, rows } of figuresIn(table))
      expect([at, (await get(id, "responses", rows)).count]).toEqual([at, count]);
    const several = await get(id, "crosstab", { question_a: "nps", question_b: "what", ratings: "values" });
    expect([several.test, several.total]).toEqual([null, 0]);
  });

  it.each([
    { question_a: "nps", question_b: "nps" },
    { question_a: "nps", question_b: "why" },
    { question_a: "nobody", question_b: "nps" },
    { question_a: "nps" },
  ])("refuses %o", async (query) => {
    const { id } = await surveyWith([]);
    const { status } = await service.api(
      "GET",
      `${ROOT}${id}/crosstab/?${new URLSearchParams(query as Record<string, string>)}`,
    );
    expect(status).toBe(400);
  });
});

describe("bad input", () => {
  it.each([
    ["results", "date_from=yesterday"],
    ["results", "date_from=2026-02-30"],
    ["results", "date_from=2026-02-03&date_to=2026-02-02"],
    ["results", "iteration=x"],
    ["results", "properties=nonsense"],
    ["results", "properties=%7B%7D"],
    ["results", "answers=nonsense"],
    ["results", "answers=[1]"],
    ["results", 'answers=[{"question_id":"nobody","value":"x"}]'],
    ["results", 'answers=[{"question_id":"nps"}]'],
    ["results", 'answers=[{"question_id":"nps","operator":"gte","value":"x"}]'],
    ["results", 'answers=[{"question_id":"nps","operator":"like","value":"x"}]'],
    ["responses", "event=other"],
    ["responses", "from=x&to=1"],
    ["responses", "seconds_from=x"],
    ["responses", "seconds_to=-1"],
    ["responses", "seconds_to=1.25"],
    ["responses", "seconds_to=9999999999999"],
    ["responses", "seconds_from=16.8&seconds_to=16.7"],
    ["responses", 'figure=[{"question_id":"nobody"}]'],
    ["export", "format=xml"],
    ["export", "event=shown"],
  ])("%s refuses %s", async (what, query) => {
    const { id } = await surveyWith([]);
    const { status, json } = await service.api("GET", `${ROOT}${id}/${what}/?${query}`);
    expect([status, json?.type]).toEqual([400, "validation_error"]);
  });

  it("never breaks the service, whatever the parameters", async () => {
    const { id } = await surveyWith([{ event: "survey sent", person: "a", day: 1, answers: { nps: 1 } }]);
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("0", "1", "-1", "[]", "{}", "null", "\u0000", "left"),
    );
    const names = [
      "date_from",
      "date_to",
      "iteration",
      "properties",
      "answers",
      "event",
      "unit",
      "day",
      "day_to",
      "from",
      "to",
    ];
    const more = [
      "seconds_from",
      "seconds_to",
      "figure",
      "search",
      "archived",
      "limit",
      "offset",
      "question_a",
      "question_b",
      "format",
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("results", "responses", "crosstab", "export"),
        fc.dictionary(fc.constantFrom(...names, ...more), text, { maxKeys: 5 }),
        async (what, query) => {
          const { status } = await service.api("GET", `${ROOT}${id}/${what}/?${new URLSearchParams(query)}`);
          expect(status).toBeLessThan(500);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("export", () => {
  it("holds exactly the filtered responses, safe for spreadsheets", async () => {
    const { id } = await surveyWith([
      {
        event: "survey sent",
        person: "a",
        day: 1,
        answers: { nps: 1, why: '=cmd|"/c calc"!A1', what: ["Flags", "Surveys"] },
      },
      {
        event: "survey sent",
        person: "b",
        day: 1,
        answers: { nps: 2, why: 'a "quoted", text\nin two lines' },
      },
      { event: "survey sent", person: "c", day: 1, answers: { nps: 9, why: "-1" } },
    ]);
    const query = { answers: JSON.stringify([{ question_id: "nps", operator: "lte", value: 2 }]) };
    const csv = await service.api("GET", `${ROOT}${id}/export/?${new URLSearchParams(query)}`);
    expect(csv.headers.get("content-type")).toContain("text/csv");
    expect(csv.headers.get("content-disposition")).toMatch(
      /^attachment; filename="survey-\d+-responses.csv"$/,
    );
    expect(csv.text).toContain('"\'=cmd|""/c calc""!A1"');
    expect(csv.text).toContain('"a ""quoted"", text\nin two lines"');
    expect(csv.text).toContain("Flags; Surveys");
    expect(csv.text).not.toContain(",-1");
    const { json } = await service.api(
      "GET",
      `${ROOT}${id}/export/?${new URLSearchParams({ ...query, format: "json" })}`,
    );
    const { results } = await get(id, "responses", query);
    expect(json).toEqual(results.map((row: object) => ({ ...row, fields: {} })));
    const none = await service.api("GET", `${ROOT}${id}/export/?format=json&date_to=2020-01-01`);
    expect(none.json).toEqual([]);
  });
});
