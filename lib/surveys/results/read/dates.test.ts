import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { generatedEvents, QUESTIONS, send, type TestEvent } from "#testing/survey-results.ts";
import { createSurvey, ROOT } from "#testing/surveys.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const get = async (path: string, query: Record<string, string>) => {
  const { status, json, text } = await service.api("GET", `${ROOT}${path}/?${new URLSearchParams(query)}`);
  expect(status, text).toBe(200);
  return json;
};

type Totals = { shown: number; dismissed: number; answered: number };
type Figures = Record<"count" | "people", Totals>;

const FIGURES = ["shown", "dismissed", "answered"] as const;
const STATS_NAMES = {
  shown: "survey shown",
  dismissed: "survey dismissed",
  answered: "survey sent",
} as const;

const totals = (of: (name: (typeof FIGURES)[number]) => number): Totals => ({
  shown: of("shown"),
  dismissed: of("dismissed"),
  answered: of("answered"),
});

/** The totals of `stats/`, of one survey or (without an id) of all. */
async function fromStats(id: string | null, query: Record<string, string>): Promise<Figures> {
  const { stats } = await get(id ? `${id}/stats` : "stats", query);
  return {
    count: totals((name) => stats[STATS_NAMES[name]].total_count),
    people: totals((name) => stats[STATS_NAMES[name]].unique_persons),
  };
}

async function fromResults(id: string, query: Record<string, string>): Promise<Figures> {
  const { funnel } = await get(`${id}/results`, query);
  const step = (name: string) => funnel.find((one: { step: string }) => one.step === name);
  return { count: totals((name) => step(name).count), people: totals((name) => step(name).people) };
}

async function fromRows(id: string, query: Record<string, string>): Promise<Figures> {
  const counted = async (unit: string): Promise<Totals> => {
    const [shown, dismissed, answered] = await Promise.all(
      FIGURES.map(async (event) => (await get(`${id}/responses`, { ...query, event, unit })).count),
    );
    return { shown, dismissed, answered };
  };
  return { count: await counted("rows"), people: await counted("people") };
}

const day = fc.constantFrom(
  "2026-01-31",
  "2026-02-01",
  "2026-02-02",
  "2026-02-03",
  "2026-02-04",
  "2026-02-05",
);

const ranges = fc
  .tuple(fc.option(day), fc.option(day))
  .filter(([from, to]) => from === null || to === null || from <= to)
  .map(([from, to]) => ({ ...(from && { date_from: from }), ...(to && { date_to: to }) }));

/** A survey that has run since before its events, with some of its responses archived. */
async function surveyWith(events: readonly TestEvent[], archived: number): Promise<string> {
  const { id } = await createSurvey(service, { questions: QUESTIONS, start_date: "2026-01-01T00:00:00Z" });
  await send(service, id, events);
  for (const { uuid } of (await get(`${id}/responses`, { limit: String(archived) })).results.slice(
    0,
    archived,
  ))
    await service.api("POST", `${ROOT}${id}/responses/${uuid}/archive/`);
  return id;
}

/** That every endpoint gives one survey's figures of a range of days. @returns the figures */
async function expectSame(id: string, range: Record<string, string>): Promise<Figures> {
  const stats = await fromStats(id, range);
  expect([range, await fromResults(id, range)]).toEqual([range, stats]);
  expect([range, await fromRows(id, range)]).toEqual([range, stats]);
  expect(await get(`${id}/export`, { ...range, format: "json" })).toHaveLength(stats.count.answered);
  if (range.date_to) {
    const toTheLastMillisecond = { ...range, date_to: `${range.date_to}T23:59:59.999Z` };
    expect(await fromStats(id, toTheLastMillisecond)).toEqual(stats);
  }
  return stats;
}

describe("the same dates", () => {
  it("give the same figures at every endpoint", async () => {
    await fc.assert(
      fc.asyncProperty(
        generatedEvents(),
        generatedEvents(),
        fc.nat(1),
        fc.array(ranges, { minLength: 2, maxLength: 4 }),
        async (events, others, archived, list) => {
          const ids = [await surveyWith(events, archived), await surveyWith(others, 0)];
          try {
            for (const range of list) {
              const each = await Promise.all(ids.map((id) => expectSame(id, range)));
              const all = await fromStats(null, range);
              const sum = (name: (typeof FIGURES)[number]) =>
                each.reduce((total, { count }) => total + count[name], 0);
              expect([range, all.count]).toEqual([range, totals(sum)]);
            }
            const counts = await get("responses_count", {});
            for (const id of ids) expect(counts[id] ?? 0).toBe((await get(`${id}/results`, {})).matched);
          } finally {
            // The figures of all surveys are those of these two alone.
            for (const id of ids) await service.api("DELETE", `${ROOT}${id}/`);
          }
        },
      ),
      { numRuns: 8 },
    );
  }, 120_000);
});
