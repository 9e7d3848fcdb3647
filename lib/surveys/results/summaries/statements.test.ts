import { afterAll, beforeAll, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { QUESTIONS, send, type TestEvent } from "#testing/survey-results.ts";
import { launchSurvey, ROOT } from "#testing/surveys.ts";

let service: Service;
let root: string;

const wishes = [
  "an export of rows",
  "exports to a sheet",
  "a faster page",
  "a faster export",
  "dark colours",
];

beforeAll(async () => {
  service = await startService();
  const survey = await launchSurvey(service, { questions: QUESTIONS });
  root = `${ROOT}${survey.id}/`;
  const events = wishes.map(
    (why, i): TestEvent => ({
      event: "survey sent",
      person: `p${i}`,
      day: 1 + i,
      submission: `s${i}`,
      completed: true,
      answers: { nps: String(5 + i), what: ["Flags"], why },
    }),
  );
  await send(service, survey.id, events);
});
afterAll(() => service.close());

const get = (what: string, query: Record<string, string>) =>
  service.api("GET", `${root}${what}/?${new URLSearchParams(query)}`);

it.each<{ name: string; filters: Record<string, string> }>([
  { name: "everything", filters: {} },
  { name: "some days", filters: { date_from: "2026-02-02", date_to: "2026-02-04" } },
  {
    name: "an answer",
    filters: { answers: JSON.stringify([{ question_id: "nps", operator: "lte", value: 8 }]) },
  },
])("statements open exactly the responses that they count, of $name", async ({ filters }) => {
  for (const question_id of ["why", "nps", "what"]) {
    const { json } = await get("statements", { ...filters, question_id });
    expect(json.statements.length).toBeGreaterThan(0);
    for (const { count, rows } of json.statements) {
      expect(count).toBeGreaterThan(0);
      expect((await get("responses", { ...filters, ...rows })).json.count).toBe(count);
    }
  }
});

it("statements are of the filtered answers alone", async () => {
  const all = await get("statements", { question_id: "why" });
  const some = await get("statements", { question_id: "why", date_from: "2026-02-04" });
  expect([all.json.answers, some.json.answers]).toEqual([5, 2]);
});

it("an export holds the responses of a statement", async () => {
  const { json } = await get("statements", { question_id: "why" });
  const last = json.statements.at(-1);
  const exported = await get("export", { ...last.rows, format: "json" });
  expect(exported.json).toHaveLength(last.count);
});

it.each([
  { query: { statement: "0123456789ab" }, attr: "statement_of" },
  { query: { statement_of: "why" }, attr: "statement" },
  { query: { statement_of: "why", statement: "0123456789ab" }, attr: "statement" },
  { query: { statement_of: "why", statement: "'; drop" }, attr: "statement" },
  { query: { statement_of: "nothing", statement: "0123456789ab" }, attr: "statement_of" },
])("$query is refused", async ({ query, attr }) => {
  const { status, json } = await get("responses", query as Record<string, string>);
  expect([status, json.attr]).toEqual([400, attr]);
});
