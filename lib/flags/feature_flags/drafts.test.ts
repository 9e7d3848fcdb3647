import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { groups } from "#lib/platform/db/tables/events.ts";
import { everyone, person, type SdkService, startSdkService, when } from "#testing/sdk.ts";

let service: SdkService;
const project = "/api/projects/1";
const root = `${project}/feature_flags`;

beforeAll(async () => {
  service = await startSdkService();
  for (const [id, plan] of [
    ["ann", "pro"],
    ["bob", "free"],
    ["cleo", "pro"],
  ] as const)
    await service.storePerson([id], { plan });
  await service.db
    .insert(groups)
    .values({ project_id: 1, group_type_index: 0, group_key: "acme", properties: {} });
});
afterAll(() => service.close());

const TAKEN = [400, "unique", "key", "There is already a feature flag with this key."];
const on = (id: number) => ({ key: String(id), type: "flag", operator: "flag_evaluates_to", value: true });
const told = ({ status, json }: { status: number; json: Record<string, unknown> }) => [
  status,
  json.code,
  json.attr,
  json.detail,
];
const evaluate = (body: object) => service.api("POST", `${root}/evaluate/`, { distinct_id: "ann", ...body });
const changes = (body: object) => service.api("POST", `${root}/who_changes/`, body);

describe("a draft of a new flag", () => {
  it.each<[string, object, boolean, string]>([
    ["for everyone without filters, as when it is made so", { key: "drafted" }, true, "condition_match"],
    ["on unless it says otherwise", { filters: everyone }, true, "condition_match"],
    ["off where it says so", { filters: everyone, active: false }, false, "flag_disabled"],
    ["for whom it says", { filters: when(person("plan", ["free"])) }, false, "no_condition_match"],
  ])("is %s", async (_, draft, value, code) => {
    const { json, text } = await evaluate({ draft });
    expect(json, text).toMatchObject({ value, reason: { code }, is_draft: true });
  });

  it("changes as many without filters as when it is made so", async () => {
    const { json } = await changes({ key: "drafted" });
    expect(json).toMatchObject({ total: 3, changed: 3, reaches_everyone: true });
    const nobody = { groups: [{ rollout_percentage: 0 }] };
    expect((await changes({ key: "drafted", filters: nobody })).json).toMatchObject({
      changed: 0,
      reaches_everyone: false,
    });
  });

  it("has a key of its own, which a stored flag may have too, unless it names one", async () => {
    expect((await evaluate({ draft: { filters: everyone } })).json.key).toBe("new-flag");
    await service.createFlag("new-flag");
    expect((await evaluate({ draft: { filters: everyone } })).json).toMatchObject({
      key: "new-flag",
      value: true,
    });
    expect(told(await evaluate({ draft: { key: "new-flag", filters: everyone } }))).toEqual(TAKEN);
    await service.changeFlag("new-flag", { deleted: true });
    expect((await evaluate({ draft: { key: "new-flag", filters: everyone } })).status).toBe(200);
  });

  it("gives payloads as they would be stored", async () => {
    const draft = (more: object) => ({
      draft: { filters: { ...everyone, payloads: { true: { a: [1] } } }, ...more },
    });
    expect((await evaluate(draft({}))).json.payload).toEqual('{"a":[1]}');
    expect((await evaluate(draft({ has_encrypted_payloads: true }))).json.payload).toMatch(/\*{3}/);
  });
});

describe("a draft of a stored flag", () => {
  it("stays as it is stored in what it does not say", async () => {
    const { id } = await service.createFlag("kept", {
      active: false,
      filters: when(person("plan", ["pro"])),
    });
    expect((await evaluate({ id, draft: {} })).json).toMatchObject({
      key: "kept",
      value: false,
      reason: { code: "flag_disabled" },
      if_on: { value: true },
    });
    expect((await evaluate({ id, draft: { active: true } })).json).toMatchObject({
      value: true,
      if_on: null,
    });
    expect((await evaluate({ id, draft: { filters: everyone } })).json.value).toBe(false);
    expect((await evaluate({ id })).json.is_draft).toBe(false);
  });

  it("can have a new key, or its own, and none of another flag", async () => {
    const { id } = await service.createFlag("own");
    await service.createFlag("others");
    expect((await evaluate({ id, draft: { key: "own" } })).json.key).toBe("own");
    expect((await evaluate({ id, draft: { key: "fresh" } })).json.key).toBe("fresh");
    expect(told(await evaluate({ id, draft: { key: "others" } }))).toEqual(TAKEN);
    expect(told(await changes({ id, key: "others" }))).toEqual(TAKEN);
  });

  it("is refused where a save would be, with the place", async () => {
    const base = await service.createFlag("base");
    await service.createFlag("above", { filters: when(on(base.id)) });
    const { id } = await service.createFlag("top", { filters: when(on(service.ids.above ?? 0)) });
    const circle = await changes({ id: base.id, filters: when(on(id)) });
    expect(told(circle)).toEqual([
      400,
      "invalid_input",
      "filters",
      "Circular dependency: base → top → above → base.",
    ]);
    expect(circle.json.extra).toEqual({ path: ["groups"] });
    const asNew = await changes({ filters: when(on(id)) });
    expect(asNew.status).toBe(200);
    const unknown = await changes({ filters: when({ key: "id", type: "cohort", value: 404 }) });
    expect(told(unknown)).toEqual([
      400,
      "cohort_does_not_exist",
      "filters",
      "Cohort with id 404 does not exist.",
    ]);
  });

  it("reads a marker as the payload that is stored", async () => {
    const filters = { ...everyone, payloads: { true: '"s3cret"' } };
    const { id } = await service.createFlag("secret", { has_encrypted_payloads: true, filters });
    const marker = (await evaluate({ id })).json.payload;
    const draft = { filters: { ...everyone, payloads: { true: `"${"*".repeat(9)} (encrypted)"` } } };
    expect((await evaluate({ id, draft: { ...draft, has_encrypted_payloads: false } })).json.payload).toBe(
      '"s3cret"',
    );
    expect((await evaluate({ id, draft })).json.payload).toEqual(marker);
  });
});

describe("who changes by a draft", () => {
  const cells = async (body: object) => {
    const { json } = await changes(body);
    return [json.total, json.changed, json.cells];
  };

  it("of a new flag: nobody had a value before, which code takes as off", async () => {
    expect(await cells({ filters: when(person("plan", ["pro"])) })).toEqual([
      3,
      2,
      [
        { before: null, after: true, count: 2 },
        { before: null, after: false, count: 1 },
      ],
    ]);
  });

  it("that brings a deleted flag back, or leaves it deleted", async () => {
    const { id } = await service.createFlag("back", { filters: when(person("plan", ["pro"])) });
    await service.changeFlag("back", { deleted: true });
    const [, changed] = await cells({ id, deleted: false });
    expect(changed).toBe(2);
    const left = (await changes({ id, name: "x" })).json;
    expect(left).toMatchObject({ changed: 0, refusal: null, unit_changed: false, reaches_everyone: false });
    expect((await changes({ id, deleted: false, filters: everyone })).json.reaches_everyone).toBe(true);
  });

  it("reaches everyone only where the flag is on and did not before", async () => {
    const { id } = await service.createFlag("some", { filters: when(person("plan", ["pro"])) });
    const reaches = async (body: object) => (await changes({ id, ...body })).json.reaches_everyone;
    expect(await reaches({ filters: everyone })).toBe(true);
    expect(await reaches({ filters: everyone, active: false })).toBe(false);
    expect(await reaches({ active: true })).toBe(false);
    expect(await reaches({ deleted: true })).toBe(false);
    await service.changeFlag("some", { filters: everyone });
    expect(await reaches({ filters: everyone })).toBe(false);
  });

  it("names no people of a flag for groups", async () => {
    const byGroup = {
      aggregation_group_type_index: 0,
      groups: [{ properties: [], rollout_percentage: 100 }],
    };
    const { id } = await service.createFlag("companies", { filters: byGroup });
    const counted = (await changes({ id, active: false })).json;
    expect(counted).toMatchObject({ group_type_index: 0, total: 1, changed: 1, dependents: [], next: null });
    const later = (await changes({ id, active: false, after_person: 1 })).json;
    expect(later).toMatchObject({ total: 0, cells: [] });
    const back = (await changes({ id, filters: everyone })).json;
    expect(back).toMatchObject({ unit_changed: true, group_type_index: null, total: 3, changed: 3 });
    expect(back.cells).toEqual([{ before: null, after: true, count: 3 }]);
    const people = await service.api("POST", `${root}/who_changes/people/`, {
      id,
      active: false,
      before: true,
      after: false,
    });
    expect(told(people)).toEqual([
      400,
      "invalid_input",
      "filters",
      "This flag is decided per group: there are no people to list.",
    ]);
  });

  it("of several flags: those that change themselves are no dependents", async () => {
    const base = await service.createFlag("lower", { filters: when(person("plan", ["pro"])) });
    const upper = await service.createFlag("upper", { filters: when(on(base.id)) });
    const highest = await service.createFlag("highest", { filters: when(on(upper.id)) });
    await service.createFlag("aside", { filters: when(person("plan", ["pro"])) });
    const bulk = async (list: object[]) =>
      (await service.api("POST", `${root}/who_changes/bulk/`, { changes: list })).json;
    const keys = (list: { key: string }[]) => list.map(({ key }) => key).toSorted();
    const one = await bulk([{ id: base.id, active: false }]);
    expect(keys(one.dependents)).toEqual(["highest", "upper"]);
    const two = await bulk([
      { id: base.id, active: false },
      { id: upper.id, active: false },
    ]);
    expect(keys(two.dependents)).toEqual(["highest"]);
    expect(two.people).toEqual({ total: 3, changed: 2 });
    // Flags that depend on others come first, so that each can be deleted in turn.
    const all = await bulk([base, upper, highest].map(({ id }) => ({ id, deleted: true })));
    expect(all.flags.map(({ key }: { key: string }) => key)).toEqual(["highest", "upper", "lower"]);
    const twice = await service.api("POST", `${root}/who_changes/bulk/`, {
      changes: [{ id: base.id }, { id: base.id }],
    });
    expect(told(twice)).toEqual([400, "invalid_input", "changes", "Each flag can be named once."]);
  });

  it("what stays undecided: a flag cannot go while one that is on depends on it", async () => {
    const base = await service.createFlag("stays", { filters: everyone });
    const leaning = await service.createFlag("leaning", { filters: when(on(base.id)) });
    const refusal = `Cannot delete this feature flag because other active flags depend on it: leaning (ID: ${leaning.id}).`;
    expect((await changes({ id: base.id, deleted: true })).json.refusal).toBe(refusal);
    const bulk = async (change: object) =>
      (
        await service.api("POST", `${root}/who_changes/bulk/`, {
          changes: [
            { id: base.id, deleted: true },
            { id: leaning.id, ...change },
          ],
        })
      ).json.flags.map((each: { key: string; refusal: string | null }) => [each.key, each.refusal]);
    expect(await bulk({ active: false })).toEqual([
      ["leaning", null],
      ["stays", null],
    ]);
    expect(await bulk({ deleted: true })).toEqual([
      ["leaning", null],
      ["stays", null],
    ]);
    expect(await bulk({ active: true })).toEqual([
      ["leaning", null],
      ["stays", refusal],
    ]);
  });
});

describe("those that rely on a flag", () => {
  const started = "2026-01-01T00:00:00Z";
  const questions = [{ type: "open", question: "Why?" }];
  const survey = async (name: string, body: object) => {
    const reply = await service.api("POST", `${project}/surveys/`, {
      name,
      type: "popover",
      questions,
      start_date: started,
      ...body,
    });
    expect(reply.status, reply.text).toBe(201);
    return reply.json;
  };
  const users = async (body: object) =>
    (await changes(body)).json.consequences
      .map(({ user }: { user: { name: string; variant: string | null } }) => [user.name, user.variant])
      .toSorted();

  it("are surveys that run where it decides, once each, with their variant", async () => {
    const variants = ["control", "test"].map((key) => ({ key, rollout_percentage: 50 }));
    const { id } = await service.createFlag("asked", {
      filters: { ...everyone, multivariate: { variants } },
    });
    const linked = { linked_flag_id: id };
    await survey("Any", { ...linked, conditions: { linkedFlagVariant: "any" } });
    await survey("Plain", linked);
    await survey("Test", { ...linked, conditions: { linkedFlagVariant: "test" } });
    await survey("Over", { ...linked, end_date: "2026-01-02T00:00:00Z" });
    await survey("Later", { ...linked, start_date: "2999-01-01T00:00:00Z" });
    await survey("Elsewhere", {});
    expect(await users({ id, active: false })).toEqual([
      ["Any", null],
      ["Plain", null],
      ["Test", "test"],
    ]);
    expect(await users({ id })).toEqual([]);
    expect(await users({ filters: everyone })).toEqual([]);
  });
});
