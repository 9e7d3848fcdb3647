import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verify } from "#lib/app/rollups.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { settleMembers } from "#lib/surveys/results/ingest/across-surveys.ts";
import { selectCounts } from "#lib/surveys/results/statistics/figures-store.ts";
import { eventually } from "#testing/processes.ts";
import { type Service, startService } from "#testing/service.ts";
import { generatedEvents, QUESTIONS, send } from "#testing/survey-results.ts";
import { createSurvey, ROOT } from "#testing/surveys.ts";
import { readPeopleAcrossSurveys, readRollup, wholeDaysOf } from "./rollup.ts";
import { selectPeopleOf } from "./rollup-store.ts";
import { figuresOf } from "./statistics.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const start = (day: number) => new Date(Date.UTC(2026, 1, day));
const end = (day: number) => new Date(Date.UTC(2026, 1, day + 1) - 1);

const windows = fc.record({
  date_from: fc.constantFrom(null, start(1), start(2), start(3)),
  date_to: fc.constantFrom(null, end(2), end(3), end(4)),
});

const archiveSome = async (id: string) => {
  const { json } = await service.api("GET", `${ROOT}${id}/responses/?limit=1`);
  for (const { uuid } of json.results) await service.api("POST", `${ROOT}${id}/responses/${uuid}/archive/`);
};

describe("people across surveys", () => {
  const rounds = fc.array(
    fc.record({
      events: generatedEvents(),
      of: fc.nat(2),
      archived: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
      window: windows,
      settles: fc.boolean(),
    }),
    { minLength: 3, maxLength: 4 },
  );

  it("are those of the days of each, whatever arrives, whoever is merged and what is archived", async () => {
    const made = await Promise.all(
      [0, 1, 2].map(() =>
        createSurvey(service, { questions: QUESTIONS, start_date: start(0).toISOString() }),
      ),
    );
    const ids = made.map(({ id }) => id);
    const runner = await startRunner({ runtime: service.runtime, jobs: [settleMembers], pollMs: 20 });
    try {
      await fc.assert(
        fc.asyncProperty(rounds, async (list) => {
          for (const { events, of, archived, window, settles } of list) {
            await send(
              service,
              ids[0] ?? "",
              events.map((event) => ({ ...event, survey: ids[of] ?? "" })),
            );
            for (const [i, id] of ids.entries())
              await service.api("PATCH", `${ROOT}${id}/`, { archived: archived[i] });
            const live = ids.filter((_, i) => !archived[i]);
            const days = wholeDaysOf(window);
            const together = () => days && readPeopleAcrossSurveys(service.db, 1, live, days);
            const counted = days && (await selectPeopleOf(service.db, 1, live, days));
            if (settles)
              expect(await eventually(async () => (await together()) ?? undefined)).toEqual(counted);
            else expect([null, counted]).toContainEqual(await together());
            expect((await verify(service.db)).filter((finding) => finding.differences > 0)).toEqual([]);
          }
        }),
        { numRuns: 6 },
      );
    } finally {
      await runner.stop();
    }
    for (const id of ids) await service.api("DELETE", `${ROOT}${id}/`);
  }, 120_000);
});

describe("public counts from the rollups", () => {
  it("equal those of the events in every window of whole days, of one survey and across two", async () => {
    const of = (ids: string[], window: Parameters<typeof wholeDaysOf>[0]) => {
      const days = wholeDaysOf(window);
      expect(days).not.toBeNull();
      const scopes = ids.map((survey_id) => ({ project_id: 1, survey_id }));
      return days && readRollup(service.db, scopes, days);
    };
    await fc.assert(
      fc.asyncProperty(
        generatedEvents(),
        generatedEvents(),
        fc.boolean(),
        windows,
        async (events, others, archives, window) => {
          const ids: string[] = [];
          for (const list of [events, others]) {
            const { id } = await createSurvey(service, { questions: QUESTIONS });
            await send(
              service,
              ids[0] ?? id,
              list.map((event) => ({ ...event, survey: id })),
            );
            ids.push(id);
          }
          if (archives && ids[0]) await archiveSome(ids[0]);
          for (const several of [ids.slice(0, 1), ids]) {
            const kept = await of(several, window);
            const counted = await selectCounts(service.db, 1, several, window);
            if (kept)
              expect(figuresOf(kept.counts, kept.both)).toEqual(figuresOf(counted.counts, counted.both));
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);

  it.each([
    [start(1), end(2), { date_from: "2026-02-01", date_to: "2026-02-02" }],
    [null, null, { date_from: null, date_to: null }],
    [new Date(start(1).getTime() + 1), null, null],
    [null, start(2), null],
  ])("are asked for from %o to %o", (date_from, date_to, days) => {
    expect(wholeDaysOf({ date_from, date_to })).toEqual(days);
  });
});
