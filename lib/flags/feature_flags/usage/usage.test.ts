import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clearOfMidnight } from "#testing/clock.ts";
import { type Service, startService } from "#testing/service.ts";

await clearOfMidnight();

let service: Service;
let id: number;
const root = "/api/projects/1/feature_flags";
const DAY_MS = 86_400_000;

const called = (distinct_id: string, response: unknown, daysAgo: number, key = "usage") => ({
  event: "$feature_flag_called",
  distinct_id,
  timestamp: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
  properties: { $feature_flag: key, $feature_flag_response: response },
});

beforeAll(async () => {
  service = await startService();
  id = (await service.api("POST", `${root}/`, { key: "usage" })).json.id;
  const batch = [
    called("a", true, 0),
    called("b", true, 0),
    called("c", false, 1),
    called("d", "blue", 2),
    called("e", true, 40),
    called("f", true, 0, "another"),
  ];
  const body = JSON.stringify({ api_key: service.token, batch });
  const request = new Request("http://localhost/batch/", { method: "POST", body });
  expect((await service.handle(request)).status).toBe(200);
});
afterAll(() => service.close());

describe("usage", () => {
  it("counts the calls of a flag by day and response", async () => {
    const { json } = await service.api("GET", `${root}/${id}/usage/?days=3`);
    expect(json.days).toHaveLength(3);
    expect(json.days[2]).toBe(new Date().toISOString().slice(0, 10));
    expect(json).toMatchObject({
      total: 4,
      responses: [
        { response: "true", calls: [0, 0, 2], total: 2 },
        { response: "blue", calls: [1, 0, 0], total: 1 },
        { response: "false", calls: [0, 1, 0], total: 1 },
      ],
    });
  });

  it("counts all flags by day", async () => {
    const { json } = await service.api("GET", `${root}/usage/`);
    expect(json.flags).toEqual({ usage: [0, 0, 0, 0, 1, 1, 2], another: [0, 0, 0, 0, 0, 0, 1] });
  });

  it("counts only the flags that are asked for", async () => {
    const { json } = await service.api("GET", `${root}/usage/?ids=${id},999999`);
    expect(json.flags).toEqual({ usage: [0, 0, 0, 0, 1, 1, 2] });
    expect((await service.api("GET", `${root}/usage/?ids=999999`)).json.flags).toEqual({});
  });

  it.each(["x", "1,", "1;2", "-1"])("refuses the ids %s", async (ids) => {
    const { status, json } = await service.api("GET", `${root}/usage/?ids=${ids}`);
    expect([status, json.attr]).toEqual([400, "ids"]);
  });

  it.each(["0", "-1", "x", "367", "1.5"])("refuses %s days", async (days) => {
    const { status, json } = await service.api("GET", `${root}/usage/?days=${days}`);
    expect([status, json.attr]).toEqual([400, "days"]);
  });

  it("answers 404 for a flag that is not there", async () => {
    expect((await service.api("GET", `${root}/999999/usage/`)).status).toBe(404);
  });
});
