import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { person_distinct_ids, persons } from "#lib/platform/db/tables/events.ts";
import { type Service, startService } from "#testing/service.ts";
import { createSurvey, ROOT, type StoredEvent, storeEvents } from "#testing/surveys.ts";
import { gradeFigures, type StatisticsCase } from "#tools/oracle/grade-surveys.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Events named "u0001" get uuids that sort the same way and differ from case to case. */
const uuidOf = (caseId: string, name: string) => {
  const hex = createHash("sha1").update(caseId).digest("hex");
  return `${name.replace(/\D/g, "").padStart(8, "0")}-${hex.slice(0, 4)}-4${hex.slice(4, 7)}-8${hex.slice(7, 10)}-${hex.slice(10, 22)}`;
};

const storedEvents = (c: StatisticsCase, surveyId: string): StoredEvent[] =>
  c.events.map((event) => ({
    uuid: uuidOf(c.id, event.uuid),
    event: event.event,
    distinct_id: `${c.id} ${event.person}`,
    timestamp: event.timestamp,
    properties: {
      $survey_id: surveyId,
      ...(event.submission_id && { $survey_submission_id: event.submission_id }),
      ...(typeof event.partially_completed === "boolean" && {
        $survey_partially_completed: event.partially_completed,
      }),
    },
  }));

const statsOf = async (id: string, query: Record<string, string | null> = {}) => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
  const path = id ? `${ROOT}${id}/stats/` : `${ROOT}stats/`;
  return (await service.api("GET", `${path}?${new URLSearchParams(given)}`)).json;
};

const shown = (surveyId: string, more: Partial<StoredEvent> = {}): StoredEvent => ({
  event: "survey shown",
  ...more,
  properties: { $survey_id: surveyId, ...more.properties },
});
const sent = (surveyId: string, more: Partial<StoredEvent> = {}): StoredEvent => ({
  ...shown(surveyId, more),
  event: "survey sent",
});

const cases: StatisticsCase[] = JSON.parse(
  readFileSync(
    new URL("../../../../tools/oracle/fixtures/survey-stats-public.json", import.meta.url),
    "utf8",
  ),
).cases;

describe("statistics of one survey", () => {
  it.each(cases)("are those of case $id", async (c) => {
    const { id } = await createSurvey(service);
    await storeEvents(service.db, storedEvents(c, id));
    for (const name of c.archived_response_uuids)
      await service.api("POST", `${ROOT}${id}/responses/${uuidOf(c.id, name)}/archive/`);
    const got = await statsOf(id, { date_from: c.date_from, date_to: c.date_to });
    expect(gradeFigures(got, c.expected)).toBeNull();
  });

  it("count people, not the ids that they go by", async () => {
    const { id } = await createSurvey(service);
    const [person] = await service.db.insert(persons).values({ project_id: 1 }).returning();
    const ids = ["laptop", "phone"].map((distinct_id) => ({
      project_id: 1,
      distinct_id,
      person_id: person?.id ?? 0,
    }));
    await service.db.insert(person_distinct_ids).values(ids);
    const by = ["laptop", "phone", "stranger"];
    await storeEvents(
      service.db,
      by.map((distinct_id) => shown(id, { distinct_id })),
    );
    const { stats } = await statsOf(id);
    expect(stats["survey shown"]).toMatchObject({ total_count: 3, unique_persons: 2 });
  });

  it("keep surveys, events and projects apart", async () => {
    const [{ id }, other] = [await createSurvey(service), await createSurvey(service)];
    await storeEvents(service.db, [
      shown(id),
      shown(other.id),
      shown(`${id} and more`),
      { event: "$pageview", properties: { $survey_id: id } },
    ]);
    expect((await statsOf(id)).stats["survey shown"].total_count).toBe(1);
  });

  it("say whose they are, in which dates", async () => {
    const dates = { start_date: "2026-01-01T00:00:00Z", end_date: "2026-03-01T00:00:00Z" };
    const { id } = await createSurvey(service, dates);
    expect(await statsOf(id)).toMatchObject({ survey_id: id, ...dates });
  });

  it.each([
    { query: "date_from=2026-02-01T10:00:00Z", count: 4 },
    { query: "date_from=2026-02-01T10:00:00.001Z", count: 3 },
    { query: "date_from=2026-02-01T10:00:00.001Z&date_to=2026-02-01", count: 1 },
    { query: "date_to=2026-02-01T10:00:00", count: 1 },
    { query: "date_to=2026-02-01", count: 2 },
    { query: "date_to=%202026-02-01%20", count: 2 },
    { query: "date_to=2026-02-01T00:00:00Z", count: 0 },
    { query: "date_to=2026-02-01T23:59:59.998Z", count: 1 },
    { query: "date_to=2026-02-01T23:59:59.999Z", count: 2 },
    { query: "date_to=2026-02-02T01:59:59.999%2B02:00", count: 2 },
    { query: "date_to=2026-02-02T00:00:00Z", count: 3 },
    { query: "date_to=2026-02-02T00:00:00%2B02:00", count: 1 },
    { query: "date_to=2026-02-02T00:00:00-02:00", count: 3 },
    { query: "date_from=2026-02-02&date_to=2026-02-02", count: 2 },
    { query: "date_from=2026-02-02T00:00:00Z&date_to=2026-02-02T00:00:00Z", count: 1 },
    { query: "date_from=&date_to=%20", count: 4 },
    { query: "date_from=2026-02-01T12:00:00%2B02:00&date_to=2026-02-01T12:00:00%2B02:00", count: 1 },
    { query: "survey_id=whatever", count: 4 },
  ])("within $query", async ({ query, count }) => {
    const own = await createSurvey(service);
    const times = ["01T10:00:00Z", "01T23:59:59.999Z", "02T00:00:00Z", "02T23:59:59.999Z"];
    await storeEvents(
      service.db,
      times.map((time) => shown(own.id, { timestamp: `2026-02-${time}` })),
    );
    expect(
      (await statsOf(own.id, Object.fromEntries(new URLSearchParams(query)))).stats["survey shown"]
        .total_count,
    ).toBe(count);
  });

  it.each([
    "date_from=yesterday",
    "date_to=2026-02-30",
    "date_to=2026-02-01Z",
    "date_from=2026-02-02T00:00:00Z&date_to=2026-02-01",
    "date_from=2026-02-01T12:00:00+02:00",
    "date_from=2026-02-02&date_to=2026-02-01",
  ])("refuse %s", async (query) => {
    const { id } = await createSurvey(service);
    for (const path of [`${ROOT}${id}/stats/`, `${ROOT}stats/`])
      expect((await service.api("GET", `${path}?${query}`)).status).toBe(400);
  });

  it("read the index of survey events", async () => {
    const { id } = await createSurvey(service);
    const rows = await inTransaction(service.db, async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      const plan = await tx.execute<{ "QUERY PLAN": string }>(sql`
        explain select 1 from events e where e.project_id = 1
          and e.event in ('survey shown', 'survey dismissed', 'survey sent')
          and left(e.properties ->> '$survey_id', 36) = any(${sql.param([id])}::text[])`);
      return plan.rows;
    });
    expect(rows.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(/Index Scan .*project_id_left_timestamp/);
  });
});

describe("statistics of all surveys", () => {
  it("are empty without surveys, and leave archived ones out", async () => {
    const own = await startService();
    try {
      const all = async () => (await own.api("GET", `${ROOT}stats/`)).json;
      const rates = {
        response_rate: 0,
        dismissal_rate: 0,
        unique_users_response_rate: 0,
        unique_users_dismissal_rate: 0,
      };
      expect(await all()).toEqual({ stats: {}, rates });
      const [a, b] = [await createSurvey(own), await createSurvey(own)];
      await storeEvents(own.db, [shown(a.id), shown(b.id), sent(b.id), shown(randomUUID())]);
      expect((await all()).stats["survey shown"].total_count).toBe(2);
      expect((await all()).rates.response_rate).toBe(50);
      await own.api("PATCH", `${ROOT}${b.id}/`, { archived: true });
      expect((await all()).stats["survey shown"].total_count).toBe(1);
      await own.api("PATCH", `${ROOT}${a.id}/`, { archived: true });
      expect(await all()).toEqual({ stats: {}, rates });
    } finally {
      await own.close();
    }
  });
});

describe("responses_count", () => {
  it("counts responses since the first launch, leaving out surveys without any", async () => {
    const own = await startService();
    try {
      const count = async () => (await own.api("GET", `${ROOT}responses_count/`)).json;
      const [a, b] = [await createSurvey(own), await createSurvey(own)];
      const gone = randomUUID();
      const partial = { properties: { $survey_submission_id: "s1" } };
      await storeEvents(own.db, [
        sent(a.id, partial),
        sent(a.id, partial),
        sent(a.id),
        sent(a.id, { timestamp: "2025-12-31T00:00:00Z" }),
        sent(gone, partial),
        shown(b.id),
        { event: "survey sent", properties: {} },
      ]);
      expect(await count()).toEqual({});
      await own.api("PATCH", `${ROOT}${b.id}/`, { start_date: "2026-01-01T00:00:00Z" });
      expect(await count()).toEqual({ [a.id]: 2, [gone]: 1 });
    } finally {
      await own.close();
    }
  });
});

describe("summarize_responses", () => {
  const summarize = (id: string, query: string) =>
    service.api("POST", `${ROOT}${id}/summarize_responses/${query}`);

  it("counts what it says, and names the responses", async () => {
    const questions = [
      { id: "nps", type: "rating", question: "How likely?", scale: 10 },
      { id: "why", type: "open", question: "Why?" },
      {
        id: "how",
        type: "multiple_choice",
        question: "How?",
        choices: ["Web", "App", "Else"],
        hasOpenChoice: true,
      },
    ];
    const { id } = await createSurvey(service, { questions });
    const answers = [
      {
        $survey_response_nps: 10,
        $survey_response_why: "Great prices",
        $survey_response_how: ["Web", "App"],
      },
      { $survey_response: "3", $survey_response_1: "the price is wrong", $survey_response_2: ["By letter"] },
      { $survey_response_nps: null, $survey_response_why: "", $survey_response_how: [] },
      { $survey_response_nps: 8, $survey_response_why: "slow support" },
    ];
    const uuids = answers.map(() => randomUUID());
    await storeEvents(
      service.db,
      answers.map((properties, i) => sent(id, { uuid: uuids[i] ?? "", properties })),
    );

    const nps = (await summarize(id, "?question_index=0")).json;
    expect(nps.response_count).toBe(3);
    expect(nps.statements[0].text).toContain("average 7.00");
    expect(nps.statements[0].text).toContain("net promoter score is 0.0");
    const promoters = nps.statements.find((s: { text: string }) => s.text.includes("promoters"));
    expect(promoters).toMatchObject({ count: 1, response_ids: [uuids[0]] });

    const why = (await summarize(id, "?question_id=why&question_index=0")).json;
    const price = why.statements.find((s: { text: string }) => s.text.includes("“price”"));
    expect(price.count).toBe(2);
    expect([...price.response_ids].sort()).toEqual([uuids[0], uuids[1]].sort());
    expect(why.content).toContain("2 of 3 answers (66.7%) mention “price”");

    const how = (await summarize(id, "?question_id=how")).json;
    expect(how.statements.map((s: { text: string; count: number }) => [s.text, s.count])).toEqual([
      ["1 of 2 (50.0%) chose “Web”.", 1],
      ["1 of 2 (50.0%) chose “App”.", 1],
      ["1 of 2 (50.0%) wrote their own answer.", 1],
    ]);
    for (const { statements } of [nps, why, how])
      for (const s of statements)
        expect([s.count, new Set(s.response_ids).size]).toEqual([s.response_ids.length, s.count]);
  });

  it("reads the latest state of a response that grew", async () => {
    const { id } = await createSurvey(service, { questions: [{ id: "q", type: "open", question: "Why?" }] });
    const state = (text: string, timestamp: string) =>
      sent(id, { timestamp, properties: { $survey_submission_id: "s", $survey_response_q: text } });
    await storeEvents(service.db, [
      state("new", "2026-02-01T00:01:00Z"),
      state("old", "2026-02-01T00:00:00Z"),
    ]);
    expect((await summarize(id, "?question_id=q")).json.response_count).toBe(1);
  });

  it("is cached for a while, one for each question", async () => {
    const questions = ["A", "B"].map((question) => ({ type: "open", question }));
    const { id } = await createSurvey(service, { questions });
    const first = (await summarize(id, "?question_index=0")).json;
    const other = (await summarize(id, "?question_index=1")).json;
    const again = (await summarize(id, "?question_index=0")).json;
    expect([first.cached, other.cached, again.cached]).toEqual([false, false, true]);
    expect(again).toEqual({ ...first, cached: true });
    await service.api("PATCH", `${ROOT}${id}/`, { description: "changed" });
    expect((await summarize(id, "?question_index=0")).json.cached).toBe(false);
  });

  it.each([
    "",
    "?question_index=",
    "?question_index=x",
    "?question_index=9",
    "?question_id=nobody",
    "?question_id=%00",
  ])("refuses %o", async (query) => {
    const { id } = await createSurvey(service, { questions: [{ type: "open", question: "Why?" }] });
    const { status, json } = await summarize(id, query);
    expect([status, json.code]).toEqual([400, "invalid_input"]);
  });
});
