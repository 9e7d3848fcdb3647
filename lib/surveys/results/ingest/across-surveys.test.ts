import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verify } from "#lib/app/rollups.ts";
import { readJobState } from "#lib/platform/jobs/queue.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { readPeopleAcrossSurveys, readRollup } from "#lib/surveys/results/count/rollup.ts";
import { selectPeopleOf } from "#lib/surveys/results/count/rollup-store.ts";
import { eventually } from "#testing/processes.ts";
import { type Service, startService } from "#testing/service.ts";
import { QUESTIONS, send, type TestEvent } from "#testing/survey-results.ts";
import { launchSurvey, ROOT } from "#testing/surveys.ts";
import { settleMembers } from "./across-surveys.ts";

let service: Service;
let ids: string[];
beforeAll(async () => {
  service = await startService();
  ids = [];
  for (let i = 0; i < 3; i++) ids.push((await launchSurvey(service, { questions: QUESTIONS })).id);
});
afterAll(() => service.close());

const ALL = { date_from: null, date_to: null };
const FIRST = { date_from: null, date_to: "2026-02-01" };
const peopleOf = (of: readonly string[], days: { date_from: null; date_to: string | null } = ALL) =>
  readPeopleAcrossSurveys(service.db, 1, of, days);
/** Lets the background settle who is counted, and waits until it has. */
async function settled(of: readonly string[], days = ALL) {
  const runner = await startRunner({ runtime: service.runtime, jobs: [settleMembers], pollMs: 10 });
  try {
    return await eventually(async () => (await peopleOf(of, days)) ?? undefined);
  } finally {
    await runner.stop();
  }
}
const archive = async (id: string, archived: boolean) => {
  expect((await service.api("PATCH", `${ROOT}${id}/`, { archived })).status).toBe(200);
};
const sendTo = (survey: string, ...events: Omit<TestEvent, "survey">[]) =>
  // Everybody is somebody else's respondent too.
  send(
    service,
    ids[0] ?? "",
    events.map((event) => ({ ...event, survey })),
  );
const membersOf = async () => {
  const { rows } = await service.db.execute<{ survey_id: string; leaving: boolean }>(
    sql`select survey_id, leaving from survey_people_members order by survey_id`,
  );
  return rows;
};

describe("people of several surveys", () => {
  it("are counted once, as the surveys come, go and come back", async () => {
    const [a = "", b = "", c = ""] = ids;
    await sendTo(
      a,
      { event: "survey shown", person: "ann", day: 1 },
      { event: "survey shown", person: "bob", day: 2 },
      { event: "survey dismissed", person: "cy", day: 1 },
      { event: "survey dismissed", person: "dee", day: 1 },
    );
    await sendTo(
      b,
      { event: "survey shown", person: "bob", day: 1 },
      { event: "survey shown", person: "eve", day: 1 },
      { event: "survey sent", person: "ann", day: 2 },
      { event: "survey sent", person: "cy", day: 2 },
      { event: "survey sent", person: "eve", day: 1 },
    );
    const both = { shown: 3, dismissed: 2, answered: 3, both: 1 };
    // Surveys of which nothing was counted before are counted from their first event on.
    expect(await peopleOf([a, b])).toEqual(both);
    expect(await peopleOf([b, a, c])).toEqual(both);
    expect(await peopleOf([a, b], FIRST)).toEqual({ shown: 3, dismissed: 2, answered: 1, both: 0 });
    // One of them is left out.
    expect(await peopleOf([a])).toBeNull();
    expect((await readJobState(service.db, "surveys.people", "1"))?.state).toBeUndefined();

    await archive(b, true);
    expect(await peopleOf([a])).toBeNull();
    const alone = { shown: 2, dismissed: 2, answered: 0, both: 0 };
    expect(await settled([a])).toEqual(alone);
    expect(await membersOf()).toEqual([{ survey_id: a, leaving: false }]);
    // What happens to an archived survey counts for nothing.
    await sendTo(b, { event: "survey shown", person: "fay", day: 3 });
    expect(await peopleOf([a])).toEqual(alone);

    await archive(b, false);
    expect(await peopleOf([a, b])).toBeNull();
    expect(await settled([a, b])).toEqual({ ...both, shown: 4 });
    expect(await peopleOf([a, b])).toEqual(await selectPeopleOf(service.db, 1, [a, b], ALL));
    await sendTo(
      c,
      { event: "survey dismissed", person: "ann", day: 4 },
      { event: "survey shown", person: "bob", day: 4 },
    );
    expect(await peopleOf([a, b, c])).toEqual({ shown: 4, dismissed: 3, answered: 3, both: 2 });
    expect(await peopleOf([a, b])).toBeNull();
    const rollup = await readRollup(
      service.db,
      [a, b, c].map((survey_id) => ({ project_id: 1, survey_id })),
      ALL,
    );
    expect(rollup).toMatchObject({
      both: 2,
      counts: {
        "survey shown": {
          total: 6,
          persons: 4,
          first: Date.UTC(2026, 1, 1, 10),
          last: Date.UTC(2026, 1, 4, 10),
        },
        "survey dismissed": {
          total: 3,
          persons: 3,
          first: Date.UTC(2026, 1, 1, 10),
          last: Date.UTC(2026, 1, 4, 10),
        },
        "survey sent": {
          total: 3,
          persons: 3,
          first: Date.UTC(2026, 1, 1, 10),
          last: Date.UTC(2026, 1, 2, 10),
        },
      },
    });
    expect((await verify(service.db)).filter(({ differences }) => differences > 0)).toEqual([]);
  });

  it("come and go some at a time where they are many", async () => {
    const [a = "", b = "", c = ""] = ids;
    const before = await peopleOf([a, b, c]);
    expect(before).not.toBeNull();
    const { id } = await launchSurvey(service, { questions: QUESTIONS });
    const count = 1_002;
    await sendTo(
      id,
      ...Array.from({ length: count }, (_, i) => ({
        event: "survey shown" as const,
        person: `p${i}`,
        day: 1,
      })),
    );
    const after = { ...before, shown: (before?.shown ?? 0) + count };
    expect(await peopleOf([a, b, c, id])).toEqual(after);
    await archive(id, true);
    expect(await settled([a, b, c])).toEqual(before);
    await archive(id, false);
    expect(await settled([a, b, c, id])).toEqual(after);
    expect((await verify(service.db)).filter(({ differences }) => differences > 0)).toEqual([]);
  });
});
