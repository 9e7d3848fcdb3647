import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clearOfMidnight } from "#testing/clock.ts";
import { type Service, startService } from "#testing/service.ts";
import { compareVersions } from "./callers.ts";

await clearOfMidnight();

let service: Service;
let id: number;
const root = "/api/projects/1/feature_flags";
const DAY_MS = 86_400_000;

type Sent = { response?: unknown; lib?: unknown; version?: unknown; daysAgo?: number; key?: string };

const called = (
  distinct_id: string,
  { response = true, lib, version, daysAgo = 0, key = "called" }: Sent = {},
) => ({
  event: "$feature_flag_called",
  distinct_id,
  timestamp: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
  properties: {
    $feature_flag: key,
    $feature_flag_response: response,
    ...(lib !== undefined && { $lib: lib }),
    ...(version !== undefined && { $lib_version: version }),
  },
});

beforeAll(async () => {
  service = await startService();
  id = (await service.api("POST", `${root}/`, { key: "called" })).json.id;
  const node = { lib: "posthog-node" };
  const batch = [
    {
      event: "$identify",
      distinct_id: "ada",
      properties: { $anon_distinct_id: "ada-before", $set: { name: "Ada" } },
    },
    called("ada", { ...node, version: "5.10.0" }),
    called("ada-before", { ...node, version: "5.9.1", daysAgo: 1 }),
    called("ada", { response: false, lib: "web", version: "1.2.0" }),
    called("ben", { lib: "web", version: "1.2.0" }),
    called("ben", { response: "blue", lib: "own-client", version: 7 }),
    called("cleo"),
    called("dora", { daysAgo: 40 }),
    called("eve", { key: "another" }),
  ];
  const body = JSON.stringify({ api_key: service.token, batch });
  const reply = await service.handle(new Request("http://localhost/batch/", { method: "POST", body }));
  expect(reply.status).toBe(200);
});
afterAll(() => service.close());

const read = async (path: string) => {
  const reply = await service.api("GET", `${root}/${id}/callers/${path}`);
  expect(reply.status, reply.text).toBe(200);
  return reply.json;
};

describe("who calls a flag", () => {
  it("is counted by value: a person once, whatever ids they call with", async () => {
    const { responses, calls, people, deleted_before } = await read("");
    expect({ calls, people, deleted_before }).toEqual({ calls: 6, people: 3, deleted_before: null });
    expect(responses).toMatchObject([
      { response: "true", calls: 4, people: 3 },
      { response: "blue", calls: 1, people: 1 },
      { response: "false", calls: 1, people: 1 },
    ]);
    expect(await read("?days=60")).toMatchObject({ calls: 7, people: 4 });
  });

  it("is counted by SDK and version, with what is old or not known", async () => {
    const { sdks } = await read("");
    const found = Object.fromEntries(
      sdks.map(({ lib, lib_version, state, calls, people }: Record<string, unknown>) => [
        `${lib} ${lib_version}`,
        [state, calls, people],
      ]),
    );
    expect(found).toEqual({
      "posthog-node 5.10.0": ["current", 1, 1],
      "posthog-node 5.9.1": ["older", 1, 1],
      "web 1.2.0": ["current", 2, 2],
      "own-client 7": ["unknown", 1, 1],
      " ": ["unknown", 1, 1],
    });
  });

  it("opens: as many people as were counted, whose calls add up to the calls", async () => {
    const { responses, sdks, calls, people } = await read("");
    const all = [
      { query: "", calls, people },
      ...responses.map((each: { response: string }) => ({ ...each, query: `response=${each.response}` })),
      ...sdks.map((each: { lib: string; lib_version: string }) => ({
        ...each,
        query: `lib=${each.lib}&lib_version=${each.lib_version}`,
      })),
    ];
    for (const figure of all) {
      const { count, results } = await read(`people/?${figure.query}`);
      expect([count, results.length]).toEqual([figure.people, figure.people]);
      const sum = results.reduce((total: number, each: { calls: number }) => total + each.calls, 0);
      expect(sum).toBe(figure.calls);
    }
    const { results } = await read("people/?response=true&limit=1");
    expect(results).toMatchObject([{ name: "Ada", calls: 2, distinct_id: "ada" }]);
  });

  it("pages, past the last of them too", async () => {
    const first = await read("people/?limit=2");
    expect(first.results).toHaveLength(2);
    expect(first.next).toContain("offset=2");
    const beyond = await read("people/?limit=2&offset=4");
    expect([beyond.count, beyond.results]).toEqual([3, []]);
  });

  it("counts ids that belong to nobody stored", async () => {
    const key = "unstored";
    const made = (await service.api("POST", `${root}/`, { key })).json;
    const event = called("nobody", { key });
    const anonymous = { ...event, properties: { ...event.properties, $process_person_profile: false } };
    const body = JSON.stringify({ api_key: service.token, batch: [anonymous] });
    await service.handle(new Request("http://localhost/batch/", { method: "POST", body }));
    const { json } = await service.api("GET", `${root}/${made.id}/callers/people/`);
    expect(json).toMatchObject({ count: 1, results: [{ distinct_id: "nobody", calls: 1 }] });
  });

  it.each(["0", "x", "367"])("refuses %s days", async (days) => {
    for (const path of ["", "people/"]) {
      const { status, json } = await service.api("GET", `${root}/${id}/callers/${path}?days=${days}`);
      expect([status, json.attr]).toEqual([400, "days"]);
    }
  });

  it("answers 404 for a flag that is not there", async () => {
    for (const path of ["", "people/"])
      expect((await service.api("GET", `${root}/999999/callers/${path}`)).status).toBe(404);
  });
});

it("versions are compared by their numbers", () => {
  const version = fc.array(fc.nat(30), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(version, version, (a, b) => {
      const place = [0, 1, 2].find((at) => (a[at] ?? 0) !== (b[at] ?? 0));
      const expected = place === undefined ? 0 : Math.sign((a[place] ?? 0) - (b[place] ?? 0));
      expect(Math.sign(compareVersions(a.join("."), b.join(".")))).toBe(expected);
    }),
  );
  expect(compareVersions("", "1.0")).toBeLessThan(0);
});
