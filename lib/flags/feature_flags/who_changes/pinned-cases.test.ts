import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let id: number;
const root = "/api/projects/1/feature_flags";
const to = (plan: string) => ({
  groups: [
    {
      properties: [{ key: "plan", type: "person", operator: "exact", value: [plan] }],
      rollout_percentage: 100,
    },
  ],
});
type Entry = { activity: string; detail: { name: string; changes: object[] } };
const pro = { name: "Somebody on pro", distinct_id: "p", person_properties: { plan: "pro" }, expected: true };

beforeAll(async () => {
  service = await startService();
  id = (await service.api("POST", `${root}/`, { key: "reports", filters: to("pro") })).json.id;
});
afterAll(() => service.close());

const keep = (body: object, of = id) => service.api("POST", `${root}/${of}/test_cases/`, body);
const check = (body: object, of = id) => service.api("POST", `${root}/${of}/test_cases/check/`, body);

describe("test cases of a flag", () => {
  it("are stored, checked against what would be saved, logged and removed", async () => {
    const made = await keep(pro);
    expect(made.status, made.text).toBe(201);
    expect(made.json).toMatchObject({ ...pro, groups: {}, group_properties: {} });
    expect((await check({})).json).toMatchObject({ passed: 1, failed: 0 });
    const changed = (await check({ filters: to("free") })).json;
    expect(changed).toMatchObject({ passed: 0, failed: 1 });
    expect(changed.results).toEqual([
      {
        id: made.json.id,
        name: pro.name,
        expected: true,
        value: false,
        passed: false,
        reason: "no_condition_match",
      },
    ]);
    expect((await check({ active: false })).json.results[0]).toMatchObject({ passed: false, value: false });

    const log = (await service.api("GET", `${root}/${id}/activity/`)).json.results[0];
    expect(log.detail.changes).toMatchObject([{ field: "test_cases", before: null, after: pro.name }]);
    const gone = await service.api("DELETE", `${root}/${id}/test_cases/${made.json.id}/`);
    expect(gone.status).toBe(204);
    expect((await service.api("GET", `${root}/${id}/test_cases/`)).json.count).toBe(0);
    expect((await service.api("DELETE", `${root}/${id}/test_cases/${made.json.id}/`)).status).toBe(404);
  });

  it.each(["null", "true", "12", '"quoted"'])("expect the variant %j by its name", async (expected) => {
    const made = await keep({ ...pro, expected });
    expect(made.json, made.text).toMatchObject({ expected });
    const { results } = (await service.api("GET", `${root}/${id}/test_cases/`)).json;
    expect(results.find((one: { id: number }) => one.id === made.json.id)).toMatchObject({ expected });
  });

  it("look at other flags and groups as the service does", async () => {
    const row = { key: String(id), type: "flag", operator: "flag_evaluates_to", value: true };
    const body = { key: "more", filters: { groups: [{ properties: [row], rollout_percentage: 100 }] } };
    const other = (await service.api("POST", `${root}/`, body)).json.id;
    await keep(pro, other);
    expect((await check({}, other)).json).toMatchObject({ passed: 1, failed: 0 });
  });

  it("are at most a hundred a flag, also when many come at once", async () => {
    const flag = (await service.api("POST", `${root}/`, { key: "many" })).json.id;
    const many = (count: number) =>
      Promise.all(
        Array.from({ length: count }, async (_, n) => (await keep({ ...pro, name: `${n}` }, flag)).status),
      );
    // In parts that a busy server does not refuse.
    for (let kept = 0; kept < 90; kept += 30) expect(new Set(await many(30))).toEqual(new Set([201]));
    const statuses = await many(20);
    expect(statuses.toSorted()).toEqual([...Array(10).fill(201), ...Array(10).fill(400)]);
  });

  it.each([
    ["no name", { ...pro, name: " " }, "name"],
    ["no id", { ...pro, distinct_id: "" }, "distinct_id"],
    ["a number to expect", { ...pro, expected: 1 }, "expected"],
    ["properties that are no object", { ...pro, person_properties: [] }, "person_properties"],
  ])("refuses %s", async (_, body, attr) => {
    const { status, json } = await keep(body);
    expect([status, json.attr]).toEqual([400, attr]);
  });

  it("are logged as updates of the flag, with the case that came or went", async () => {
    const flag = (await service.api("POST", `${root}/`, { key: "logged" })).json.id;
    const made = (await keep(pro, flag)).json;
    await service.api("DELETE", `${root}/${flag}/test_cases/${made.id}/`);
    const log = (await service.api("GET", `${root}/${flag}/activity/`)).json.results;
    const entry = { type: "FeatureFlag", field: "test_cases" };
    expect(log.map(({ activity, detail }: Entry) => [activity, detail.name, detail.changes])).toEqual([
      ["updated", "logged", [{ ...entry, action: "deleted", before: pro.name, after: null }]],
      ["updated", "logged", [{ ...entry, action: "created", before: null, after: pro.name }]],
      ["created", "logged", []],
    ]);
  });

  it("are listed with their pages, the oldest first, and belong to one flag", async () => {
    const flag = (await service.api("POST", `${root}/`, { key: "paged" })).json.id;
    for (const name of ["a", "b", "c"]) await keep({ ...pro, name }, flag);
    const names = async (query: string) => {
      const { json } = await service.api("GET", `${root}/${flag}/test_cases/${query}`);
      return [json.count, json.results.map(({ name }: { name: string }) => name), json.next !== null];
    };
    expect(await names("")).toEqual([3, ["a", "b", "c"], false]);
    expect(await names("?limit=2")).toEqual([3, ["a", "b"], true]);
    expect(await names("?limit=2&offset=1")).toEqual([3, ["b", "c"], false]);
    const [first] = (await service.api("GET", `${root}/${flag}/test_cases/`)).json.results;
    expect(first.created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    for (const unseen of ["flag_id", "created_by_id"]) expect(first).not.toHaveProperty(unseen);
    expect((await service.api("DELETE", `${root}/${id}/test_cases/${first.id}/`)).status).toBe(404);
    expect((await names(""))[0]).toBe(3);
  });

  it("are checked by the key that the flag would have, and while it is off or deleted", async () => {
    const made = { key: "checked", filters: to("pro") };
    const flag = (await service.api("POST", `${root}/`, made)).json.id;
    await keep(pro, flag);
    await keep({ ...pro, name: "Not on pro", person_properties: { plan: "free" }, expected: false }, flag);
    expect((await check({ key: "checked-2" }, flag)).json).toMatchObject({ passed: 2, failed: 0 });
    const off = (await check({ active: false }, flag)).json;
    expect(off).toMatchObject({ passed: 1, failed: 1 });
    expect(off.results[0].reason).toBe("disabled");
    await service.api("PATCH", `${root}/${flag}/`, { deleted: true });
    expect((await check({}, flag)).json.results).toMatchObject([
      { value: false, reason: "disabled", passed: false },
      { value: false, reason: "disabled", passed: true },
    ]);
  });

  it("say when there are too many", async () => {
    const { id: full } = (await service.api("GET", `${root}/?search=many`)).json.results[0];
    const { status, json } = await keep(pro, full);
    expect([status, json.attr, json.detail]).toEqual([400, null, "A flag can have at most 100 test cases."]);
  });

  it("answers 404 for a flag that is not there", async () => {
    expect((await keep(pro, 999_999)).status).toBe(404);
    expect((await check({}, 999_999)).status).toBe(404);
  });
});
