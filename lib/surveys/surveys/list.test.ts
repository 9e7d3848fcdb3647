import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { createSurvey, ROOT } from "#testing/surveys.ts";

const DAY = 86_400_000;
const daysAhead = (days: number) => new Date(Date.now() + days * DAY).toISOString();

let service: Service;
beforeAll(async () => {
  service = await startService();
  await createSurvey(service, { name: "c draft", type: "widget" });
  await createSurvey(service, { name: "a running", start_date: daysAhead(-9) });
  await createSurvey(service, { name: "e ends later", start_date: daysAhead(-3), end_date: daysAhead(3) });
  await createSurvey(service, { name: "b scheduled", start_date: daysAhead(5) });
  await createSurvey(service, { name: "d complete", start_date: daysAhead(-7), end_date: daysAhead(-1) });
  const put = await createSurvey(service, { name: "f archived", start_date: daysAhead(-1) });
  await service.api("PATCH", `${ROOT}${put.id}/`, { archived: true });
});
afterAll(() => service.close());

const names = async (query: string): Promise<string> => {
  const { json } = await service.api("GET", `${ROOT}?${query}`);
  return json.results.map(({ name }: { name: string }) => name[0]).join("");
};

describe("a list of surveys", () => {
  it.each([
    { query: "status=draft", expected: "c" },
    { query: "status=running&order=name", expected: "ae" },
    { query: "status=scheduled", expected: "b" },
    { query: "status=complete", expected: "d" },
    { query: "status=archived", expected: "f" },
    { query: "archived=false&order=name", expected: "abcde" },
    { query: "archived=true", expected: "f" },
    { query: "type=widget", expected: "c" },
    { query: "status=running&search=later", expected: "e" },
    { query: "order=-name", expected: "fedcba" },
    { query: "order=created_at", expected: "caebdf" },
    { query: "order=start_date", expected: "adefbc" },
    { query: "order=-end_date&archived=false&limit=2", expected: "ed" },
  ])("by $query is $expected", async ({ query, expected }) => {
    expect(await names(query)).toBe(expected);
  });

  it.each(["status=asleep", "type=paper", "archived=maybe", "order=color", "order=-", "ids=1,2"])(
    "refuses %s",
    async (query) => {
      const { status, json } = await service.api("GET", `${ROOT}?${query}`);
      expect([status, json.attr]).toEqual([400, query.split("=")[0]]);
    },
  );

  it("by ids is just those", async () => {
    const { json } = await service.api("GET", `${ROOT}?order=name`);
    const [first, , third] = json.results.map(({ id }: { id: string }) => id);
    expect(await names(`order=name&ids=${first},%20${third},0199aa10-7c01-7000-9d3e-2b1f00c0ffee`)).toBe(
      "ac",
    );
    expect(await names("order=name&ids=")).toBe("abcdef");
  });

  it("counts what fits, not what is shown", async () => {
    const { json } = await service.api("GET", `${ROOT}?status=running&limit=1`);
    expect([json.count, json.results.length]).toEqual([2, 1]);
    expect(json.next).toContain("status=running");
  });
});
