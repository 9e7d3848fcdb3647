import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cohorts } from "#lib/platform/db/tables/feature_flags.ts";
import { eventOf } from "#testing/events.ts";
import { createExperiment, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";
import { calculated } from "./calculation.ts";
import { type CohortRow, insertCohort, selectCohort } from "./store.ts";

const COHORTS = "/api/projects/1/cohorts/";

let service: Service;
let api: Service["api"];

const NAMES = ["ann", "bob", "cat", "dan"];
const row = (given: object = {}) => ({
  key: "plan",
  type: "person",
  operator: "exact",
  value: ["pro"],
  ...given,
});
const tree = (...values: unknown[]) => ({ properties: { type: "AND", values } });
const performed = (key: string | null, given: object = {}) => ({
  type: "behavioral",
  key,
  value: "performed_event",
  event_type: "events",
  ...given,
});
const having = (...event_filters: object[]) => ({ event_filters });
const eq10 = { key: "price", type: "event", operator: "exact", value: 10 };

const stored = (filters: Record<string, unknown>): Promise<CohortRow> =>
  insertCohort(service.db, { project_id: 1, name: "behavioral", filters, created_by_id: null });

type Member = { distinct_ids: string[] };
const idsIn = (results: Member[]) => results.map(({ distinct_ids }) => distinct_ids[0]);
const membersOf = async (id: number): Promise<(string | undefined)[]> =>
  idsIn((await api("GET", `${COHORTS}${id}/persons/`)).json.results);
const activitiesOf = async (id: number): Promise<{ activity: string; detail: { changes: object[] } }[]> =>
  (await api("GET", `/api/projects/1/activity_log/?scope=Cohort&item_id=${id}`)).json.results;
const uuidOf = async (distinctId: string): Promise<string> =>
  (await api("GET", `/api/projects/1/persons/?distinct_id=${distinctId}`)).json.results[0].id;

beforeAll(async () => {
  service = await startService();
  ({ api } = service);
  const { events } = service.runtime;
  const at = (event: ReturnType<typeof eventOf>, day: string) => ({ ...event, at: Date.parse(day) });
  await events.write(
    1,
    NAMES.map((name) => eventOf("joined", name, { $set: { plan: name === "ann" ? "pro" : "free" } })),
  );
  await events.write(1, [
    at(eventOf("paid", "ann", { price: 10, currency: "EUR" }), "2026-03-01T12:00:00Z"),
    at(eventOf("paid", "ann", { price: 20, currency: "USD" }), "2026-03-05T12:00:00Z"),
    at(eventOf("paid", "bob", { price: 10, currency: "usd" }), "2026-03-03T12:00:00Z"),
    at(eventOf("left", "cat", { price: "10" }), "2026-03-03T12:00:00Z"),
  ]);
});
afterAll(() => service.close());

describe("a cohort of people by what they did", () => {
  it.each<[string, object[], string[]]>([
    ["performed an event", [performed("paid")], ["ann", "bob"]],
    ["performed any event", [performed(null)], NAMES],
    ["performed an event that nobody did", [performed("refunded")], []],
    [
      "performed it since a moment",
      [performed("paid", { explicit_datetime: "2026-03-03T12:00:00Z" })],
      ["ann", "bob"],
    ],
    [
      "performed it since the moment after",
      [performed("paid", { explicit_datetime: "2026-03-03T12:00:01Z" })],
      ["ann"],
    ],
    ["performed it with a number", [performed("paid", having({ ...eq10, value: 20 }))], ["ann"]],
    ["performed any with a number or a text of it", [performed(null, having(eq10))], ["ann", "bob", "cat"]],
    [
      "performed it with a text in any case",
      [performed("paid", having({ ...eq10, key: "currency", value: ["UsD"] }))],
      ["ann", "bob"],
    ],
    [
      "performed it with both properties on one event",
      [performed("paid", having(eq10, { ...eq10, key: "currency", value: "usd" }))],
      ["bob"],
    ],
    ["performed it with a property above", [performed("paid", having({ ...eq10, operator: "gt" }))], ["ann"]],
    [
      "performed it with another value",
      [performed("paid", having({ ...eq10, operator: "is_not" }))],
      ["ann"],
    ],
    [
      "performed it with a property",
      [performed(null, having({ ...eq10, key: "currency", operator: "is_set" }))],
      ["ann", "bob"],
    ],
    [
      "performed it with equality by default",
      [performed("paid", having({ key: "price", value: 20 }))],
      ["ann"],
    ],
    ["have a property too", [performed("paid"), row({ value: "free" })], ["bob"]],
    [
      "performed one and not the other",
      [performed("joined"), performed("paid", { negation: true })],
      ["cat", "dan"],
    ],
    ["performed both of two", [performed("joined"), performed("left")], ["cat"]],
    ["do what nobody can be asked", [performed("paid", { value: "stopped_performing" })], []],
  ])("holds those who %s", async (_, conditions, members) => {
    const { id } = await stored(tree(...conditions));
    expect((await api("POST", `${COHORTS}${id}/calculate/`)).json).toMatchObject({
      count: members.length,
      is_calculating: false,
    });
    expect(await membersOf(id)).toEqual(members);
  });

  it("can be deleted and restored, but not be edited into another", async () => {
    const { id } = await stored(tree(performed("paid")));
    await api("PATCH", `${COHORTS}${id}/`, { deleted: true });
    expect((await api("PATCH", `${COHORTS}${id}/`, { deleted: false })).json).toMatchObject({
      deleted: false,
    });
    const edited = await api("PATCH", `${COHORTS}${id}/`, { filters: tree(performed("left")) });
    expect(edited.json).toMatchObject({ attr: "filters", code: "behavioral_cohort_found" });
  });
});

describe("counting", () => {
  const now = new Date("2026-03-10T00:00:00Z");

  it("stores the number, the moment and that it is over", async () => {
    const made = await stored(tree(row()));
    await service.db
      .update(cohorts)
      .set({ is_calculating: true, errors_calculating: 2 })
      .where(eq(cohorts.id, made.id));
    const counted = { count: 1, last_calculation: now, is_calculating: false, errors_calculating: 0 };
    expect(await calculated(service.db, made, now)).toMatchObject(counted);
    expect(await selectCohort(service.db, 1, made.id)).toMatchObject(counted);
  });

  it("leaves a cohort alone whose filters have changed meanwhile", async () => {
    const made = await stored(tree(row()));
    const changed = tree(row({ value: "free" }));
    await service.db
      .update(cohorts)
      .set({ filters: changed, is_calculating: true })
      .where(eq(cohorts.id, made.id));
    expect(await calculated(service.db, made, now)).toMatchObject({
      filters: changed,
      count: null,
      is_calculating: true,
    });
  });

  it("answers with the cohort as it was where it is gone", async () => {
    const made = await stored(tree(row()));
    await service.db.delete(cohorts).where(eq(cohorts.id, made.id));
    expect(await calculated(service.db, made, now)).toEqual(made);
  });

  it("counts each time that it fails", async () => {
    // A year that the database cannot read.
    const made = await stored(tree(performed("paid", { explicit_datetime: "+275000-01-01T00:00:00Z" })));
    expect(await calculated(service.db, made, now)).toMatchObject({ errors_calculating: 1, count: null });
    expect(await calculated(service.db, made, now)).toMatchObject({
      errors_calculating: 2,
      is_calculating: false,
    });
  });
});

describe("members page by page", () => {
  const pagesOf = async (id: number, limit: number) => {
    const pages: (string | undefined)[][] = [];
    for (let next: string | null = `${COHORTS}${id}/persons/?limit=${limit}`; next; ) {
      const { json } = await api("GET", next.replace("http://switchyard.test", ""));
      pages.push(idsIn(json.results));
      next = json.next;
    }
    return pages;
  };

  it.each([
    [1, [["ann"], ["bob"], ["cat"], ["dan"]]],
    [3, [["ann", "bob", "cat"], ["dan"]]],
    [4, [NAMES]],
    [5, [NAMES]],
  ])("come %i at a time, and the last page names no other", async (limit, pages) => {
    const fixed = await api("POST", COHORTS, { name: "s", is_static: true, distinct_ids: [...NAMES, "ann"] });
    const moving = await api("POST", COHORTS, { name: "m", filters: tree(row({ operator: "is_set" })) });
    for (const { json } of [fixed, moving]) {
      expect(json.count).toBe(4);
      expect(await pagesOf(json.id, limit)).toEqual(pages);
    }
  });

  it("follow the distinct id where the filters ask for it", async () => {
    const filters = tree(row({ key: "distinct_id", value: ["bob", "dan"] }));
    const { json } = await api("POST", COHORTS, { name: "d", filters });
    expect(json.count).toBe(2);
    expect(await membersOf(json.id)).toEqual(["bob", "dan"]);
  });
});

describe("what is written down of a cohort", () => {
  it("is each change of what it is, and nothing where nothing changes", async () => {
    const { id } = (await api("POST", COHORTS, { name: "one", filters: tree(row()) })).json;
    for (const body of [
      { name: "two" },
      { name: "two" },
      {},
      { description: "why" },
      { filters: tree(row()) },
    ])
      expect((await api("PATCH", `${COHORTS}${id}/`, body)).status).toBe(200);
    const entries = await activitiesOf(id);
    expect(entries.map(({ activity }) => activity)).toEqual(["updated", "updated", "created"]);
    expect(entries[0]?.detail.changes).toMatchObject([
      { type: "Cohort", field: "description", after: "why" },
    ]);
    expect(entries[1]?.detail.changes).toMatchObject([{ field: "name", before: "one", after: "two" }]);
  });

  it("is who came and went by hand, with the number before and after", async () => {
    const { id } = (await api("POST", COHORTS, { name: "s", is_static: true, distinct_ids: ["ann"] })).json;
    const add = (body: object) => api("POST", `${COHORTS}${id}/add_persons_to_static_cohort/`, body);
    expect((await add({ distinct_ids: ["ann", "ghost"] })).json).toEqual({
      success: true,
      added: 0,
      not_found: 1,
      count: 1,
    });
    expect((await add({ person_ids: [await uuidOf("bob")] })).json).toMatchObject({ added: 1, not_found: 0 });
    await api("POST", `${COHORTS}${id}/remove_person_from_static_cohort/`, {
      person_id: await uuidOf("ann"),
    });
    const entries = await activitiesOf(id);
    expect(entries.map(({ activity }) => activity)).toEqual([
      "person_removed_manually",
      "persons_added_manually",
      "created",
    ]);
    expect(entries[0]?.detail.changes).toMatchObject([
      { type: "Cohort", field: "count", before: 2, after: 1 },
    ]);
    expect(entries[1]?.detail.changes).toMatchObject([{ field: "count", before: 1, after: 2 }]);
    expect(await membersOf(id)).toEqual(["bob"]);
  });

  it("begins with its creation, also where it is made of an experiment's people", async () => {
    const experiment = await createExperiment(service, { start_date: "2026-01-05T00:00:00Z" });
    const reply = await api("POST", `${ROOT}${experiment.id}/create_exposure_cohort_for_experiment/`, {});
    const { id } = reply.json.cohort;
    expect((await activitiesOf(id)).map(({ activity }) => activity)).toEqual(["created"]);
    expect((await api("GET", `${COHORTS}${id}/`)).json).toMatchObject({
      is_static: false,
      created_by: { id: 1 },
      experiment_set: [experiment.id],
    });
  });

  it("is not the filters of a static cohort, which has none", async () => {
    const made = (await api("POST", COHORTS, { name: "s", is_static: true, filters: tree(row()) })).json;
    const after = await api("PATCH", `${COHORTS}${made.id}/`, { filters: tree(row()), name: "t" });
    expect(after.json).toMatchObject({ name: "t", filters: {}, is_static: true, count: 0 });
  });
});

describe("a cohort in use", () => {
  const users = async (id: number, count: number) => {
    for (let n = 1; n <= count; n += 1) {
      const filters = tree(row({ key: "id", type: "cohort", operator: "in", value: id }));
      await api("POST", COHORTS, { name: `user ${n}`, filters });
    }
  };
  const refusal = async (count: number) => {
    const { id } = (await api("POST", COHORTS, { name: "used", is_static: true })).json;
    await users(id, count);
    const reply = await api("PATCH", `${COHORTS}${id}/`, { deleted: true });
    expect((await api("GET", `${COHORTS}${id}/`)).json.deleted).toBe(count === 0);
    return reply.json.detail;
  };
  const five = "cohort user 1, cohort user 2, cohort user 3, cohort user 4, cohort user 5";

  it.each([
    [0, undefined],
    [1, "This cohort cannot be deleted while it is used by cohort user 1."],
    [5, `This cohort cannot be deleted while it is used by ${five}.`],
    [7, `This cohort cannot be deleted while it is used by ${five} and 2 more.`],
  ])("by %i others is kept where there are any, and says by whom", async (count, detail) => {
    expect(await refusal(count)).toBe(detail);
  });
});

describe("a deleted cohort", () => {
  it("can be renamed though what it refers to is deleted as well, but not restored", async () => {
    const inner = (await api("POST", COHORTS, { name: "inner", is_static: true })).json;
    const filters = tree(row({ key: "id", type: "cohort", operator: "in", value: inner.id }));
    const outer = (await api("POST", COHORTS, { name: "outer", filters })).json;
    for (const { id } of [outer, inner])
      expect((await api("PATCH", `${COHORTS}${id}/`, { deleted: true })).json.deleted).toBe(true);
    const renamed = await api("PATCH", `${COHORTS}${outer.id}/`, { name: "gone" });
    expect(renamed.json).toMatchObject({ name: "gone", deleted: true });
    const restored = await api("PATCH", `${COHORTS}${outer.id}/`, { deleted: false });
    expect(restored.json).toMatchObject({ attr: "filters", code: "cohort_does_not_exist" });
    expect((await activitiesOf(outer.id)).map(({ activity }) => activity)).toEqual([
      "updated",
      "deleted",
      "created",
    ]);
  });
});

describe("the list of cohorts", () => {
  it("is newest first, found by part of the name in any case, a page at a time, without deleted ones", async () => {
    const ids: number[] = [];
    for (const name of ["Hunt one", "hunt TWO", "the hunt", "hunt gone", "other"])
      ids.push((await api("POST", COHORTS, { name, is_static: true })).json.id);
    await api("PATCH", `${COHORTS}${ids[3]}/`, { deleted: true });
    const namesBy = async (query: string) => {
      const { json } = await api("GET", `${COHORTS}?${query}`);
      return [json.count, json.results.map(({ name }: { name: string }) => name), json.next !== null];
    };
    expect(await namesBy("search=HUNT")).toEqual([3, ["the hunt", "hunt TWO", "Hunt one"], false]);
    expect(await namesBy("search=hunt&limit=2")).toEqual([3, ["the hunt", "hunt TWO"], true]);
    expect(await namesBy("search=hunt&limit=2&offset=2")).toEqual([3, ["Hunt one"], false]);
    expect(await namesBy("search=%25")).toEqual([0, [], false]);
  });
});
