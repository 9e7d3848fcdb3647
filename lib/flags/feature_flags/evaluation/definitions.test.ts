import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";
import { sendsCohorts } from "./definitions.ts";

let service: Service;
const project = "/api/projects/1";
const root = `${project}/feature_flags`;
const cohorts = { inner: 0, outer: 0, named: 0, unused: 0 };

const plan = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
const inCohort = (value: number) => ({ key: "id", type: "cohort", operator: "in", value });
const sets = (...properties: object[]) => ({ groups: [{ properties, rollout_percentage: 100 }] });

async function send(path: string, body: object) {
  const reply = await service.api("POST", `${project}/${path}/`, body);
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.json;
}
const cohort = async (name: string, ...values: object[]) =>
  (await send("cohorts", { name, filters: { properties: { type: "AND", values } } })).id;
let secret = "";

beforeAll(async () => {
  service = await startService();
  cohorts.inner = await cohort("Inner", plan);
  cohorts.outer = await cohort("Outer", inCohort(cohorts.inner));
  cohorts.unused = await cohort("Unused", plan);
  cohorts.named = (await send("cohorts", { name: "Named", is_static: true })).id;
  await send("feature_flags", { key: "plain", filters: sets(plan) });
  await send("feature_flags", { key: "by-inner", filters: sets(inCohort(cohorts.inner)) });
  await send("feature_flags", { key: "by-outer", filters: sets(inCohort(cohorts.outer)) });
  await send("feature_flags", { key: "by-list", filters: sets(inCohort(cohorts.named)) });
  await send("feature_flags", {
    key: "secret",
    has_encrypted_payloads: true,
    filters: { ...sets(plan), payloads: { true: '"s3cret"' } },
  });
  const { rows } = await service.db.execute(sql`select secret_api_token as s from projects where id = 1`);
  secret = String(rows[0]?.s);
});
afterAll(() => service.close());

const get = (query = "", key: string | null = service.key, headers: Record<string, string> = {}) =>
  service.api("GET", `${root}/local_evaluation/${query}`, undefined, { key, headers });
// biome-ignore lint/suspicious/noExplicitAny: a document as it came
const flagIn = ({ json }: { json: any }, key: string) =>
  json.flags.find((flag: { key: string }) => flag.key === key);

describe("the definitions of a project", () => {
  it("come with the cohorts that they refer to, through others too, and no lists", async () => {
    const { json } = await get("?send_cohorts");
    const tree = (value: object) => ({ type: "AND", values: [expect.objectContaining(value)] });
    expect(Object.keys(json.cohorts).map(Number).toSorted()).toEqual(
      [cohorts.inner, cohorts.outer].toSorted(),
    );
    expect(json.cohorts[cohorts.inner]).toMatchObject(tree({ key: "plan" }));
    expect(flagIn({ json }, "by-inner").filters).toEqual(sets(inCohort(cohorts.inner)));
    expect(json.property_matching_version).toBe(2);
  });

  it("come without them where they are not asked for: simple ones are written out", async () => {
    const reply = await get();
    expect(reply.json.cohorts).toEqual({});
    expect(flagIn(reply, "by-inner").filters.groups).toMatchObject([{ properties: [{ key: "plan" }] }]);
    expect(flagIn(reply, "by-outer").filters).toEqual(sets(inCohort(cohorts.outer)));
    expect(flagIn(reply, "by-list").filters).toEqual(sets(inCohort(cohorts.named)));
    expect(flagIn(reply, "plain").filters).toEqual(sets(plan));
  });

  it("show encrypted payloads to members, and not to a secret key", async () => {
    const payloads = async (key: string) => flagIn(await get("", key), "secret").filters.payloads.true;
    expect(await payloads(service.key)).toBe('"s3cret"');
    expect(await payloads(secret)).toMatch(/\*{3}/);
    expect(await payloads(service.key)).toBe('"s3cret"');
  });

  it("say what they are, and that they may be asked for again", async () => {
    const first = await get();
    const etag = first.headers.get("etag") ?? "";
    expect(first.headers.get("content-type")).toContain("application/json");
    expect(first.headers.get("cache-control")).toBe("private, must-revalidate");
    const same = await get("", service.key, { "if-none-match": etag });
    expect([same.status, same.headers.get("cache-control")]).toEqual([304, "private, must-revalidate"]);
    expect((await get("?send_cohorts", service.key, { "if-none-match": etag })).status).toBe(200);
    expect((await get("", service.key, { "if-none-match": '"other"' })).status).toBe(200);
  });

  it("change with what they refer to: a cohort, a flag they depend on, a group type", async () => {
    const base = await send("feature_flags", { key: "base", filters: sets(plan) });
    const on = { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true };
    await send("feature_flags", { key: "above", filters: sets(on) });
    const dependency = async () => flagIn(await get(), "above").filters.groups[0].properties[0];
    expect(await dependency()).toMatchObject({ key: "base", dependency_chain: ["base"] });
    await service.api("PATCH", `${root}/${base.id}/`, { key: "renamed" });
    expect(await dependency()).toMatchObject({ key: "renamed", dependency_chain: ["renamed"] });

    const values = [{ ...plan, value: ["team"] }];
    await service.api("PATCH", `${project}/cohorts/${cohorts.inner}/`, {
      filters: { properties: { type: "AND", values } },
    });
    expect(flagIn(await get(), "by-inner").filters.groups[0].properties).toMatchObject([{ value: ["team"] }]);

    const before = (await get()).json.group_type_mapping;
    expect(before).not.toHaveProperty("4");
    await service.db.execute(
      sql`insert into group_types (project_id, group_type, group_type_index) values (1, 'harbour', 4)`,
    );
    expect((await get()).json.group_type_mapping).toEqual(before);
    service.runtime.definitions.changed(1);
    expect((await get()).json.group_type_mapping).toEqual({ ...before, 4: "harbour" });
    await service.db.execute(sql`update group_types set group_type = 'port' where group_type_index = 4`);
    service.runtime.definitions.drop();
    expect((await get()).json.group_type_mapping).toEqual({ ...before, 4: "port" });
  });

  it("are made again only when something changes", async () => {
    const { definitions } = service.runtime;
    const [first, second] = [await definitions.project(1), await definitions.project(1)];
    expect(second).toBe(first);
    const view = { cohorts: false, redacted: false, remote_configurations: false };
    expect(first.document(view)).toBe(first.document({ ...view }));
    for (const other of [{ cohorts: true }, { redacted: true }, { remote_configurations: true }])
      expect(first.document({ ...view, ...other })).not.toBe(first.document(view));
    await send("feature_flags", { key: "further" });
    const third = await definitions.project(1);
    expect(third.revision).toBeGreaterThan(first.revision);
    expect([first.compiled.by_key.has("further"), third.compiled.by_key.has("further")]).toEqual([
      false,
      true,
    ]);
  });

  it("compile only what has changed since they were last compiled", async () => {
    const { definitions } = service.runtime;
    const { id } = await send("feature_flags", { key: "edited" });
    const compiled = async () => (await definitions.project(1)).compiled.by_key;
    const before = await compiled();
    for (const active of [true, false]) {
      const reply = await service.api("PATCH", `${root}/${id}/`, { active });
      expect(reply.status, reply.text).toBe(200);
      await definitions.project(1);
    }
    const after = await compiled();
    expect(after.get("edited")).not.toBe(before.get("edited"));
    expect(after.get("plain")).toBe(before.get("plain"));
  });

  it("hold remote configurations where they are asked for", async () => {
    await send("feature_flags", { key: "remote", is_remote_configuration: true });
    const { document } = await service.runtime.definitions.project(1);
    const keys = (remote_configurations: boolean) =>
      JSON.parse(
        document({ cohorts: false, redacted: false, remote_configurations }).body.toString(),
      ).flags.map((flag: { key: string }) => flag.key);
    expect(keys(true)).toEqual(["remote", ...keys(false)]);
  });
});

it.each([
  ["", false],
  ["send_cohorts", true],
  ["send_cohorts=", true],
  ["send_cohorts=true", true],
  ["send_cohorts=1", true],
  ["send_cohorts=false", false],
  ["send_cohorts=False", false],
  ["send_cohorts=0", false],
])("the query %j asks for cohorts: %s", (query, asks) => {
  expect(sendsCohorts(new URLSearchParams(query))).toBe(asks);
});
