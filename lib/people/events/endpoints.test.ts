import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addOrganization } from "#testing/accounts.ts";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";

const LIST = "/api/projects/1/events/";
const uuidOf = (n: number) => `0190a6d5-0000-7000-8000-${String(n).padStart(12, "0")}`;

let service: Service;
beforeAll(async () => {
  service = await startService();
  const sent = (n: number, day: number, event: string, id: string) => ({
    ...eventOf(event, id, { n }),
    uuid: uuidOf(n),
    at: Date.UTC(2026, 0, day, 12),
  });
  const { events } = service.runtime;
  await events.write(1, [
    { ...sent(1, 1, "$identify", "ann"), properties: { $anon_distinct_id: "anon" }, json: '{"n":1}' },
    sent(2, 2, "seen", "anon"),
    sent(3, 3, "seen", "ann"),
    // Three at the same moment, of whom the uuid decides.
    sent(5, 4, "bought", "ann"),
    sent(4, 4, "seen", "bob"),
    sent(6, 4, "seen", "anon"),
    sent(7, 5, "bought", "bob"),
  ]);
  const { project } = await addOrganization(service.db, "away");
  await events.write(project.id, [sent(8, 6, "seen", "ann")]);
});
afterAll(() => service.close());

const list = (query = "") => service.api("GET", `${LIST}?${query}`);
const numbers = (results: { properties: { n: number } }[]) => results.map(({ properties }) => properties.n);
const personOf = async (id: string) =>
  (await service.api("GET", `/api/projects/1/persons/?distinct_id=${id}`)).json.results[0];

describe("events", () => {
  it.each<[string, number[]]>([
    ["", [7, 6, 5, 4, 3, 2, 1]],
    ["limit=2", [7, 6]],
    ["limit=2000", [7, 6, 5, 4, 3, 2, 1]],
    ["event=seen", [6, 4, 3, 2]],
    ["event=nothing", []],
    ["distinct_id=ann", [5, 3, 1]],
    ["distinct_id=anon", [6, 2]],
    ["distinct_id=nobody", []],
    ["distinct_id=ann&event=bought", [5]],
    ["before=2026-01-04T12:00:00Z", [3, 2, 1]],
    ["before=2026-01-04T12:00:00.001Z", [6, 5, 4, 3, 2, 1]],
    ["before=2026-01-04T13:00:00%2B01:00", [3, 2, 1]],
    ["before=2026-01-03", [2, 1]],
    [`before=2026-01-04T12:00:00Z,${uuidOf(6)}`, [5, 4, 3, 2, 1]],
    [`before=2026-01-04T12:00:00Z,${uuidOf(6).toUpperCase()}`, [5, 4, 3, 2, 1]],
    [`before=2026-01-04T12:00:00Z,${uuidOf(4)}`, [3, 2, 1]],
    [`event=seen&before=2026-01-04T12:00:00Z,${uuidOf(5)}`, [4, 3, 2]],
    ["distinct_id=anon&before=2026-01-03T00:00:00Z", [2]],
    ["before=1970-01-01T00:00:00Z", []],
    ["before=", [7, 6, 5, 4, 3, 2, 1]],
  ])("for ?%s are %j", async (query, expected) => {
    const { status, json } = await list(query);
    expect(status).toBe(200);
    expect(numbers(json.results)).toEqual(expected);
  });

  it("of a person are those of all ids, or of one of them", async () => {
    const { id, uuid } = await personOf("ann");
    for (const person of [uuid, id]) {
      expect(numbers((await list(`person_id=${person}`)).json.results)).toEqual([6, 5, 3, 2, 1]);
      expect(numbers((await list(`person_id=${person}&distinct_id=anon`)).json.results)).toEqual([6, 2]);
      expect(numbers((await list(`person_id=${person}&distinct_id=bob`)).json.results)).toEqual([]);
      expect(numbers((await list(`person_id=${person}&event=seen`)).json.results)).toEqual([6, 3, 2]);
    }
  });

  it("of a flag are its calls", async () => {
    const { json: project } = await service.api("POST", "/api/projects/", { name: "Calls" });
    const call = (flag: string, id: string) =>
      eventOf("$feature_flag_called", id, { $feature_flag: flag, $feature_flag_response: true });
    await service.runtime.events.write(project.id, [
      ...[call("one", "ann"), call("two", "ann"), call("one", "bob")],
      eventOf("seen", "ann", { $feature_flag: "one" }),
    ]);
    const found = async (query: string) => {
      const { json } = await service.api("GET", `/api/projects/${project.id}/events/?${query}`);
      return json.results.map((e: { event: string; distinct_id: string }) => `${e.event} ${e.distinct_id}`);
    };
    expect((await found("feature_flag=one")).sort()).toEqual([
      "$feature_flag_called ann",
      "$feature_flag_called bob",
    ]);
    expect(await found("feature_flag=two&limit=1")).toEqual(["$feature_flag_called ann"]);
    expect(await found("feature_flag=one&distinct_id=bob")).toEqual(["$feature_flag_called bob"]);
    expect(await found("feature_flag=one&event=seen")).toEqual([]);
    expect(await found("feature_flag=three")).toEqual([]);
  });

  it("say what happened, when, and by whom", async () => {
    expect((await list("distinct_id=ann&event=bought")).json).toEqual({
      next: null,
      deleted_before: null,
      unreadable: null,
      results: [
        {
          id: uuidOf(5),
          event: "bought",
          distinct_id: "ann",
          timestamp: "2026-01-04T12:00:00.000000Z",
          properties: { n: 5 },
        },
      ],
    });
  });

  it.each([
    ["limit=2&", [[7, 6], [5, 4], [3, 2], [1]]],
    ["limit=7&", [[7, 6, 5, 4, 3, 2, 1]]],
    ["limit=6&", [[7, 6, 5, 4, 3, 2], [1]]],
    [
      "limit=2&event=seen&",
      [
        [6, 4],
        [3, 2],
      ],
    ],
    ["limit=1&distinct_id=ann&", [[5], [3], [1]]],
  ])("are on pages that lead on to each other: ?%s", async (query, pages) => {
    const found: number[][] = [];
    for (let path: string | null = `${LIST}?${query}`; path; ) {
      const { json } = await service.api("GET", path);
      found.push(numbers(json.results));
      path = json.next ? json.next.replace("http://switchyard.test", "") : null;
    }
    expect(found).toEqual(pages);
  });

  it("lead on from the last of a page, with the filters given", async () => {
    const { next } = (await list("limit=1&event=bought")).json;
    const url = new URL(next);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      limit: "1",
      event: "bought",
      before: `2026-01-05T12:00:00.000Z,${uuidOf(7)}`,
    });
  });

  it.each([
    ["before=yesterday", "ISO 8601"],
    ["before=1969-12-31T23:59:59Z", "ISO 8601"],
    ["before=%2B260000-01-01", "ISO 8601"],
    [`before=,${uuidOf(1)}`, "ISO 8601"],
    ["before=2026-01-01,", "next field"],
    ["before=2026-01-01,7", "next field"],
    [`before=2026-01-01,${uuidOf(1)}0`, "next field"],
    [`before=2026-01-01,0${uuidOf(1)}`, "next field"],
  ])("are refused for ?%s", async (query, detail) => {
    const { status, json } = await list(query);
    expect(status).toBe(400);
    expect(json).toMatchObject({ type: "validation_error", attr: "before" });
    expect(json.detail).toContain(detail);
  });
});

describe("answers to sent events", () => {
  const send = (path: string, body: unknown) => service.api("POST", path, body, { key: null });
  const event = (fields: Record<string, unknown> = {}) => ({ event: "sent", distinct_id: "z", ...fields });

  it("name a hundred refused events at most, in their order", async () => {
    const large = Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`p${n}`, "x".repeat(100_000)]));
    const batch = [
      event(),
      event({ event: "" }),
      // Stored, though the change to its person is not.
      event({ $set: large }),
      ...Array.from({ length: 120 }, () => event({ distinct_id: "" })),
    ];
    const { status, json } = await send("/batch/", { api_key: service.token, batch });
    expect(status).toBe(200);
    expect(json.rejected).toHaveLength(100);
    expect(json.rejected.map(({ index }: { index: number }) => index)).toEqual(
      Array.from({ length: 100 }, (_, n) => n + 1),
    );
    expect(json.rejected.slice(0, 3)).toEqual([
      { index: 1, reason: "The event has no name." },
      { index: 2, reason: expect.stringContaining("large") },
      { index: 3, reason: "The event has no distinct_id." },
    ]);
    expect((await list("event=sent")).json.results).toHaveLength(2);
  });

  it("say why an event is refused unread", async () => {
    const batch = [event(), event({ properties: { text: "x".repeat(1_100_000) } })];
    const { json } = await send("/batch/", { api_key: service.token, batch });
    expect(json.rejected).toEqual([{ index: 1, reason: "The event is larger than 1048576 bytes." }]);
  });

  it.each<[string, unknown[], string]>([
    ["the reason of an only event", [event({ event: "" })], "The event has no name."],
    [
      "the first reason of several",
      [event({ event: "" }), event({ distinct_id: "" })],
      "No event could be stored. The first: The event has no name.",
    ],
    [
      "that a token is foreign",
      [event({ token: "phc_other" })],
      "The event carries the token of another project.",
    ],
  ])("say %s", async (_, batch, detail) => {
    const { status, json } = await send("/batch/", { api_key: service.token, batch });
    expect([status, json.detail]).toEqual([400, detail]);
  });

  it.each([["/engage/"], ["/engage"]])("%s takes what has no name for a profile", async (path) => {
    const { json } = await send(path, [event({ event: undefined, token: service.token, distinct_id: path })]);
    expect(json).toEqual({ status: "Ok" });
    const { results } = (await list(`distinct_id=${encodeURIComponent(path)}`)).json;
    expect(results.map((each: { event: string }) => each.event)).toEqual(["$identify"]);
  });

  it.each([["/batch/"], ["/capture/"], ["/e/"], ["/i/v0/e/"], ["/track/"]])(
    "%s takes nothing without a name",
    async (path) => {
      const { status } = await send(path, [event({ event: undefined, token: service.token })]);
      expect(status).toBe(400);
    },
  );

  it.each<[string, number]>([
    ["beacon=1", 204],
    ["beacon=0", 200],
    ["", 200],
  ])("to ?%s have status %i", async (query, status) => {
    expect((await send(`/e/?${query}`, event({ token: service.token }))).status).toBe(status);
  });

  it("to an empty batch are Ok", async () => {
    expect((await send("/batch/", { api_key: service.token, batch: [] })).json).toEqual({ status: "Ok" });
  });
});
