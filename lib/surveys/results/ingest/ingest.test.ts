import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { repair, verify } from "#lib/app/rollups.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { recodeAnswers, recodeSurvey } from "#lib/surveys/results/count/recode.ts";
import { eventually } from "#testing/processes.ts";
import { type Service, startService } from "#testing/service.ts";
import { generatedEvents, QUESTIONS, send } from "#testing/survey-results.ts";
import { launchSurvey, ROOT } from "#testing/surveys.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const wrong = async () => (await verify(service.db)).filter((finding) => finding.differences > 0);

const dump = async () => {
  const tables = ["survey_responses", "survey_person_days", "survey_counts", "survey_durations"];
  return Promise.all(
    tables.map(async (table) => {
      const { rows } = await service.db.execute(sql`select * from ${sql.raw(table)} t order by t::text`);
      return rows;
    }),
  );
};

describe("stored answers", () => {
  it("equals the raw events, in whatever order and batches they arrive and whoever is merged", async () => {
    await fc.assert(
      fc.asyncProperty(generatedEvents(), fc.integer({ min: 1, max: 15 }), async (events, size) => {
        const { id } = await launchSurvey(service, { questions: QUESTIONS });
        for (let at = 0; at < events.length; at += size) await send(service, id, events.slice(at, at + size));
        expect(await wrong()).toEqual([]);
      }),
      { numRuns: 25 },
    );
    const kept = await dump();
    await repair(service.db, new Date(), []);
    expect(await dump()).toEqual(kept);
  }, 120_000);

  it("is found wrong and rebuilt from the events", async () => {
    const { id } = await launchSurvey(service, { questions: QUESTIONS });
    await send(service, id, [
      { event: "survey sent", person: "damaged", day: 1, submission: "x", answers: { nps: 9 } },
      {
        event: "survey sent",
        person: "damaged",
        day: 1,
        ms: 16_700,
        submission: "x",
        answers: { nps: 9, how: "Web" },
      },
    ]);
    const here = sql`where survey_id = ${id}`;
    const kept = await dump();
    for (const damage of [
      sql`update survey_counts set n = n + 1 ${here}`,
      sql`update survey_durations set n = n + 1 ${here} and width = 1`,
      sql`update survey_durations set tenths = tenths + 10 ${here} and width = 10`,
      sql`delete from survey_durations ${here} and width = 150`,
      sql`delete from survey_person_days ${here}`,
      sql`update survey_responses set codes = array['3'] ${here}`,
      sql`update survey_responses set completed = not completed ${here}`,
    ]) {
      await service.db.execute(damage);
      expect((await wrong()).length).toBeGreaterThan(0);
      expect((await repair(service.db, new Date(), [])).filter((f) => f.differences > 0)).toEqual([]);
      expect(await dump()).toEqual(kept);
    }
  });

  it("is recoded by a job if it is large and the questions changed; nothing is shown meanwhile", async () => {
    const { id } = await launchSurvey(service, { questions: QUESTIONS });
    await send(service, id, [
      { event: "survey sent", person: "a", day: 1, submission: "x", answers: { nps: 9, how: "Web" } },
      { event: "survey sent", person: "a", day: 2, submission: "x", answers: { nps: 8, how: "Web" } },
      { event: "survey sent", person: "b", day: 1, answers: { nps: 2, how: "By letter" } },
    ]);
    const scope = { project_id: 1, survey_id: id };
    const read = (what: string) => service.api("GET", `${ROOT}${id}/${what}/`);
    await service.db.transaction(async (tx) => {
      await tx.execute(
        sql`update surveys set questions = (questions::jsonb - 0)::json where id = ${id}::uuid`,
      );
      await recodeSurvey(tx, scope, 1);
    });
    for (const what of ["results", "responses", "export", "statements", "crosstab"]) {
      const { status, json } = await service.api(
        "GET",
        `${ROOT}${id}/${what}/?question_id=how&question_a=how&question_b=what`,
      );
      expect([what, status, json.code]).toEqual([what, 503, "recomputing"]);
    }
    expect((await read("stats")).status).toBe(200);
    const runner = await startRunner({ runtime: service.runtime, jobs: [recodeAnswers], pollMs: 20 });
    try {
      const results = await eventually(async () => {
        const { status, json } = await read("results");
        return status === 200 ? json : undefined;
      });
      expect(results.questions[0]).toMatchObject({ question_id: "how", answered: { count: 2 } });
    } finally {
      await runner.stop();
    }
    expect(await wrong()).toEqual([]);
  });

  it("follows a survey whose questions change", async () => {
    const { id } = await launchSurvey(service, { questions: QUESTIONS });
    await send(service, id, [
      { event: "survey sent", person: "a", day: 1, answers: { nps: 9, how: "Web" } },
      { event: "survey sent", person: "b", day: 1, answers: { nps: 2, how: "By letter" } },
    ]);
    const questions = [QUESTIONS[1], { ...QUESTIONS[0], branching: { type: "end" } }];
    expect((await service.api("PATCH", `${ROOT}${id}/`, { questions })).status).toBe(200);
    expect(await wrong()).toEqual([]);
    const { rows } = await service.db.execute(
      sql`select codes, path from survey_responses where survey_id = ${id} order by distinct_id`,
    );
    expect(rows).toEqual([
      { codes: ["0", "9"], path: [0, 1] },
      { codes: ["o", "2"], path: [0, 1] },
    ]);
    expect((await service.api("DELETE", `${ROOT}${id}/`)).status).toBe(204);
    expect(await wrong()).toEqual([]);
  });
});
