import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { done, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
const DAY = 86_400_000;
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();
const event = (name: string, properties: Record<string, unknown>, timestamp = ago(60_000)) => ({
  event: name,
  distinct_id: "somebody",
  timestamp,
  properties,
});
const carrying = { "$feature/checkout": "test" };

beforeAll(async () => {
  service = await startService();
  const batch = [
    event("carries", carrying, ago(3_600_000)),
    event("carries not", { plan: "pro" }),
    event("six days ago", carrying, ago(6 * DAY)),
    event("eight days ago", carrying, ago(8 * DAY)),
    event("was changed", carrying, ago(2 * DAY)),
    ...Array.from({ length: 20 }, () => event("was changed", {})),
    event("is rolled out", carrying, ago(2 * DAY)),
    ...Array.from({ length: 19 }, () => event("is rolled out", {})),
    event("bought", { half: 1, mostly: 1, plan: "pro" }),
    event("bought", { half: "x", mostly: 2, plan: "pro" }),
    event("bought", { mostly: "x", plan: "free", nothing: null }),
  ];
  await done(service.api("POST", "/batch/", { api_key: service.token, batch }, { key: null }));
});
afterAll(() => service.close());

describe("whether flags still have to be sent with events", () => {
  const ask = async (events: unknown) => {
    const query = `?events=${encodeURIComponent(JSON.stringify(events))}`;
    return (await done(service.api("GET", `${ROOT}requires_flag_implementation/${query}`))).result;
  };

  it.each([
    ["an event that carries one", [{ id: "carries" }], false],
    ["one of several", [{ id: "carries not" }, { id: "carries" }], false],
    ["an event that carries none", [{ id: "carries not" }], true],
    ["an event that never was", [{ id: "never" }], true],
    ["every event: of all the newest 20 count", [{ id: null }], true],
    ["an event of six days ago", [{ id: "six days ago" }], false],
    ["an event of more than a week ago", [{ id: "eight days ago" }], true],
    ["an event of which the newest 20 carry none", [{ id: "was changed" }], true],
    ["an event of which one of the newest 20 carries one", [{ id: "is rolled out" }], false],
    ["actions, which are named by numbers", [{ id: 3 }, {}], true],
    ["entries that are no objects", ["carries", 5, null], true],
    ["many names: the first 50 are looked at", [...names(49), { id: "carries" }], false],
    ["many names: no more than 50", [...names(50), { id: "carries" }], true],
    ["one name many times: it is looked at once", [...names(1), ...repeated(60), { id: "carries" }], false],
  ])("%s", async (_, events, result) => {
    expect(await ask(events)).toBe(result);
  });

  it.each(["", "?events="])("asked about nothing (%s) they have to", async (query) => {
    expect((await done(service.api("GET", `${ROOT}requires_flag_implementation/${query}`))).result).toBe(
      true,
    );
  });

  it.each(["{}", "null", "[", '"carries"'])("refuses %s", async (events) => {
    const query = `?events=${encodeURIComponent(events)}`;
    const { status, json } = await service.api("GET", `${ROOT}requires_flag_implementation/${query}`);
    expect([status, json.code, json.attr]).toEqual([400, "invalid_input", "events"]);
    expect(json.detail).toContain("JSON list");
  });
});

function names(count: number) {
  return Array.from({ length: count }, (_, i) => ({ id: `unknown ${i}` }));
}

function repeated(count: number) {
  return Array.from({ length: count }, () => ({ id: "unknown 0" }));
}

describe("the properties that events carry", () => {
  const ask = (query: string) => done(service.api("GET", `${ROOT}event_properties/${query}`));

  it("are numeric where more than half of the values are numbers", async () => {
    const { sampled, results } = await ask("?event=bought");
    expect(sampled).toBe(3);
    const types = Object.fromEntries(
      results.map(
        ({ name, property_type, count }: { name: string; property_type: string; count: number }) => [
          name,
          [property_type, count],
        ],
      ),
    );
    expect(types).toMatchObject({ half: ["String", 2], mostly: ["Numeric", 3], plan: ["String", 3] });
    expect(types).not.toHaveProperty("nothing");
    expect(results[0]).not.toHaveProperty("numeric");
  });

  it("are those of every event where none is named", async () => {
    const { sampled, results } = await ask("");
    expect(sampled).toBe(48);
    expect(results.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["plan", "half", "$feature/checkout"]),
    );
  });

  it("are none of an event that never was", async () => {
    expect(await ask("?event=never")).toEqual({ sampled: 0, results: [] });
  });
});
