import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { settled } from "#lib/app/runtime.ts";
import { readJobState } from "#lib/platform/jobs/queue.ts";
import { startRunner } from "#lib/platform/jobs/runner.ts";
import { addDays } from "#lib/surveys/surveys/dates.ts";
import { jobContext } from "#testing/jobs.ts";
import { eventually } from "#testing/processes.ts";
import { type Service, startService } from "#testing/service.ts";
import { createFlag, createSurvey, ROOT } from "#testing/surveys.ts";
import { surveyDue, surveySweep } from "./schedule.ts";

const PRO = { key: "plan", type: "person", value: ["pro"], operator: "exact" };
const TARGETING = { groups: [{ properties: [PRO], rollout_percentage: 50 }] };
const HOUR_MS = 3_600_000;

let service: Service;
let runner: { stop: () => Promise<void> } | undefined;
beforeAll(async () => {
  service = await startService();
});
afterEach(async () => {
  await runner?.stop();
  runner = undefined;
});
afterAll(() => service.close());

const now = new Date();
const text = (date: Date) => date.toISOString();
const read = async (id: string) => (await service.api("GET", `${ROOT}${id}/`)).json;
const patch = (id: string, body: unknown) => service.api("PATCH", `${ROOT}${id}/`, body);

/** Does what is in line for a survey as if it were that moment; SDKs see it once it has been read. */
async function at(id: string, moment: Date): Promise<void> {
  const payload = { project_id: 1, survey_id: id };
  await surveyDue.run(jobContext(service.runtime, { now: moment, payload }));
  await settled(service.runtime, null);
}

/** Answers a survey through the capture endpoint, as posthog-js does. */
async function answer(id: string, submission: string = randomUUID()) {
  const properties = {
    $survey_id: id,
    $survey_submission_id: submission,
    $survey_completed: true,
    distinct_id: submission,
  };
  const body = { api_key: service.token, event: "survey sent", properties };
  const { status } = await service.api("POST", "/i/v0/e/", body, { key: null });
  expect(status).toBe(200);
}

async function feed(id: string) {
  const { json } = await service.api("GET", `/api/surveys/?token=${service.token}`, undefined, { key: null });
  return json.surveys.find((survey: { id: string }) => survey.id === id);
}

const samplingFlag = async (id: string) => {
  const { feature_flag_keys } = await read(id);
  const key = feature_flag_keys[3].value;
  const { byId } = await service.runtime.flags.project(1);
  return [...byId.values()].find((flag) => flag.key === key);
};
const rollout = async (id: string) => {
  const groups = (await samplingFlag(id))?.filters.groups;
  return Array.isArray(groups) ? groups[0].rollout_percentage : undefined;
};
const lastActivity = async (id: string) =>
  (await service.api("GET", `${ROOT}${id}/activity/`)).json.results[0];

describe("a survey with dates ahead", () => {
  it("starts and stops at them, and in the feed for SDKs", async () => {
    const [start, end] = [new Date(now.getTime() + HOUR_MS), new Date(now.getTime() + 2 * HOUR_MS)];
    const made = await createSurvey(service, {
      start_date: text(start),
      end_date: text(end),
      targeting_flag_filters: TARGETING,
    });
    expect(made.internal_targeting_flag.active).toBe(false);
    expect(await feed(made.id)).toMatchObject({ start_date: null, end_date: null });
    expect((await readJobState(service.db, "surveys.due", made.id))?.run_at).toEqual(start);

    await at(made.id, new Date(start.getTime() - 1));
    expect((await read(made.id)).internal_targeting_flag.active).toBe(false);
    await at(made.id, start);
    expect(await read(made.id)).toMatchObject({
      internal_targeting_flag: { active: true },
      targeting_flag: { active: true },
    });
    expect((await readJobState(service.db, "surveys.due", made.id))?.run_at).toEqual(end);
    await at(made.id, end);
    expect(await read(made.id)).toMatchObject({
      internal_targeting_flag: { active: false },
      targeting_flag: { active: false },
      start_date: text(start).replace(".000Z", "Z"),
      // Nobody's edit is outdated by the clock alone.
      version: 1,
    });
  });

  it("is running until a future end", async () => {
    const made = await createSurvey(service, {
      start_date: text(addDays(now, -1)),
      end_date: text(addDays(now, 1)),
    });
    expect(made.internal_targeting_flag.active).toBe(true);
    expect(await feed(made.id)).toMatchObject({ start_date: made.start_date, end_date: null });
  });

  it("leaves its targeting flag on where nothing has turned", async () => {
    const made = await createSurvey(service, {
      start_date: text(addDays(now, -1)),
      targeting_flag_filters: TARGETING,
    });
    await at(made.id, new Date(Date.now() + 1));
    expect((await read(made.id)).targeting_flag.active).toBe(true);
  });

  it("is found by the sweep when nothing is in line for it", async () => {
    const start = new Date(now.getTime() + HOUR_MS);
    const made = await createSurvey(service, { start_date: text(start) });
    await surveySweep.run(jobContext(service.runtime, { now: new Date(start.getTime() + 1) }));
    expect((await read(made.id)).internal_targeting_flag.active).toBe(true);
    await surveySweep.run(jobContext(service.runtime, { now: new Date(start.getTime() + 2) }));
    expect((await read(made.id)).internal_targeting_flag.version).toBe(2);
  });
});

describe("iterations", () => {
  it("move on at their start, and the survey ends after the last", async () => {
    const start = addDays(now, -1);
    const made = await createSurvey(service, {
      start_date: text(start),
      iteration_count: 3,
      iteration_frequency_days: 7,
    });
    expect((await readJobState(service.db, "surveys.due", made.id))?.run_at).toEqual(addDays(start, 7));
    await at(made.id, new Date(addDays(start, 7).getTime() - 1));
    expect((await read(made.id)).current_iteration).toBe(1);
    await at(made.id, addDays(start, 7));
    const second = await read(made.id);
    expect(second).toMatchObject({
      current_iteration: 2,
      current_iteration_start_date: made.iteration_start_dates[1],
      end_date: null,
      version: 2,
    });
    const [group] = second.internal_targeting_flag.filters.groups;
    expect(group.properties.map(({ key }: { key: string }) => key)).toEqual([
      `$survey_dismissed/${made.id}/2`,
      `$survey_responded/${made.id}/2`,
    ]);
    expect(await lastActivity(made.id)).toMatchObject({
      activity: "updated",
      user: { first_name: "System" },
      detail: { changes: [{ field: "current_iteration", before: 1, after: 2 }, {}] },
    });
    const end = addDays(start, 21);
    await at(made.id, end);
    expect(await read(made.id)).toMatchObject({
      current_iteration: 2,
      end_date: text(end),
      internal_targeting_flag: { active: false },
    });
  });

  it("that are over keep a survey from being resumed, not from being made", async () => {
    const over = {
      start_date: text(addDays(now, -30)),
      iteration_count: 2,
      iteration_frequency_days: 7,
    };
    const made = await createSurvey(service, over);
    expect(made).toMatchObject({ current_iteration: 1, end_date: null });
    await at(made.id, now);
    expect((await read(made.id)).end_date).toBe(text(now));
    const resumed = await patch(made.id, { end_date: null });
    expect(resumed).toMatchObject({ status: 400, json: { attr: "iteration_count" } });
    const longer = { end_date: null, iteration_count: 9, iteration_frequency_days: 7 };
    expect((await patch(made.id, longer)).status).toBe(200);
  });

  it("never go back from where somebody moved them", async () => {
    const made = await createSurvey(service, {
      start_date: text(addDays(now, -1)),
      iteration_count: 5,
      iteration_frequency_days: 7,
      current_iteration: 3,
    });
    await at(made.id, addDays(now, 7));
    expect((await read(made.id)).current_iteration).toBe(3);
  });
});

describe("a limit of responses", () => {
  it("stops the survey at the response that reaches it, and stays", async () => {
    const made = await createSurvey(service, { start_date: text(now), responses_limit: 2 });
    runner = await startRunner({ runtime: service.runtime, jobs: [surveyDue], pollMs: 20 });
    const first = randomUUID();
    await answer(made.id, first);
    await answer(made.id, first);
    await eventually(async () => {
      const state = await readJobState(service.db, "surveys.due", made.id);
      return state?.state === "done" || undefined;
    });
    expect((await read(made.id)).end_date).toBeNull();
    await answer(made.id);
    const stopped = await eventually(async () => {
      const survey = await read(made.id);
      return survey.end_date ? survey : undefined;
    });
    expect(stopped).toMatchObject({ responses_limit: 2, internal_targeting_flag: { active: false } });
    // The job tells the caches after it has committed.
    await eventually(async () => (await feed(made.id)).end_date === stopped.end_date || undefined);
    expect(await lastActivity(made.id)).toMatchObject({
      user: { first_name: "System", is_system: true },
      detail: { changes: [{ field: "end_date", before: null, after: stopped.end_date }] },
    });

    const resumed = await patch(made.id, { end_date: null });
    expect(resumed).toMatchObject({ status: 400, json: { attr: "responses_limit", code: "invalid_input" } });
    expect((await patch(made.id, { end_date: null, responses_limit: 3 })).status).toBe(200);
  });

  it("that is lowered below what is there stops it too", async () => {
    const made = await createSurvey(service, { start_date: text(now) });
    await answer(made.id);
    await patch(made.id, { responses_limit: 1 });
    runner = await startRunner({ runtime: service.runtime, jobs: [surveyDue], pollMs: 20 });
    await eventually(async () => (await read(made.id)).end_date ?? undefined);
  });
});

describe("a sampling plan", () => {
  const start = new Date(now.getTime() + HOUR_MS);
  const plan = {
    start_date: text(now),
    response_sampling_start_date: text(start),
    response_sampling_interval_type: "day",
    response_sampling_interval: 4,
    response_sampling_limit: 4,
  };

  it("invites each day's share of people, pauses at its number and begins again", async () => {
    const made = await createSurvey(service, plan);
    expect(await rollout(made.id)).toBe(0);
    await at(made.id, start);
    expect(await rollout(made.id)).toBe(25);
    expect((await readJobState(service.db, "surveys.due", made.id))?.run_at).toEqual(addDays(start, 1));
    await at(made.id, addDays(start, 2));
    expect(await rollout(made.id)).toBe(75);
    await at(made.id, addDays(start, 3));
    expect(await rollout(made.id)).toBe(100);
    await at(made.id, addDays(start, 4));
    expect(await rollout(made.id)).toBe(25);
    const again = await read(made.id);
    expect(again.response_sampling_start_date).toBe(text(addDays(start, 4)));
    expect(JSON.parse(again.response_sampling_daily_limits)[0]).toMatchObject({
      date: text(addDays(start, 4)),
      daily_response_limit: 1,
      rollout_percentage: 25,
    });
  });

  it("counts the responses of its present round", async () => {
    const made = await createSurvey(service, { ...plan, response_sampling_start_date: text(now) });
    expect(await rollout(made.id)).toBe(25);
    await answer(made.id);
    await at(made.id, new Date());
    expect(await rollout(made.id)).toBe(0);
    await at(made.id, addDays(now, 1));
    expect(await rollout(made.id)).toBe(50);
    await at(made.id, addDays(now, 4));
    expect(await rollout(made.id)).toBe(25);
  });

  /** How many of a hundred people the flags let an SDK ask. */
  async function invited(key: string): Promise<number> {
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        service.api(
          "POST",
          "/flags/?v=2",
          { token: service.token, distinct_id: `person ${n}` },
          { key: null },
        ),
      ),
    );
    return answers.filter(({ json }) => json.flags[key]?.enabled).length;
  }

  it("holds for whom SDKs ask, and never takes an invitation back", async () => {
    const made = await createSurvey(service, plan);
    const key = (await feed(made.id)).targeting_flag_key;
    const counts = [await invited(key)];
    for (const day of [0, 1, 2, 3]) {
      await at(made.id, addDays(start, day));
      counts.push(await invited(key));
    }
    expect(counts[0]).toBe(0);
    expect(counts[4]).toBe(100);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts[1]).toBeGreaterThan(10);
    expect(counts[1]).toBeLessThan(45);
  });

  it("is a flag that SDKs check", async () => {
    const made = await createSurvey(service, plan);
    const key = (await samplingFlag(made.id))?.key;
    expect((await feed(made.id)).targeting_flag_key).toBe(key);
    const targeted = await createSurvey(service, { ...plan, targeting_flag_filters: TARGETING });
    expect((await feed(targeted.id)).linked_flag_key).toBe((await samplingFlag(targeted.id))?.key);
    const linked_flag_id = await createFlag(service, "sampling-linked", TARGETING);
    const both = await createSurvey(service, { ...plan, linked_flag_id, targeting_flag_filters: TARGETING });
    expect(both.internal_targeting_flag.filters.groups[0].rollout_percentage).toBe(0);
    await at(both.id, start);
    const after = await read(both.id);
    expect(after.internal_targeting_flag.filters.groups[0].rollout_percentage).toBe(25);
  });
});

describe("flags that a survey makes", () => {
  const history = async (id: number) => {
    const { json } = await service.api("GET", `/api/projects/1/feature_flags/${id}/activity/`);
    return json.results.map((entry: { activity: string; user: { first_name: string } }) => [
      entry.activity,
      entry.user.first_name === "System",
    ]);
  };

  it("have their history: who made them, changed them, and what the system did", async () => {
    const start = new Date(now.getTime() + HOUR_MS);
    const made = await createSurvey(service, { start_date: text(start), targeting_flag_filters: TARGETING });
    const flag = made.internal_targeting_flag.id;
    await at(made.id, start);
    await patch(made.id, { archived: true });
    expect(await history(flag)).toEqual([
      ["updated", false],
      ["updated", true],
      ["created", false],
    ]);
    await service.api("DELETE", `${ROOT}${made.id}/`);
    const { json } = await service.api(
      "GET",
      "/api/projects/1/activity_log/?scope=FeatureFlag&activity=deleted",
    );
    const gone = json.results.map((entry: { item_id: string }) => entry.item_id);
    expect(gone).toEqual(expect.arrayContaining([String(flag), String(made.targeting_flag.id)]));
  });
});
