import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { environments, projects } from "#lib/platform/db/tables/accounts.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let organization: string;
let ids: number[];
let root: string;

beforeAll(async () => {
  service = await startService();
  organization = (await service.api("GET", "/api/organizations/@current/")).json.id;
  root = `/api/organizations/${organization}/environments/`;
  ids = [1];
  for (const name of ["Staging", "Production", "Other"])
    ids.push((await service.api("POST", "/api/projects/", { name })).json.id);
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.db.delete(environments);
});

const listed = (...pairs: [number, string][]) =>
  pairs.map(([place, name]) => ({ project_id: ids[place], name }));
const three = () => listed([0, "Dev"], [1, "Staging"], [2, "Production"]);

async function linked(list: object[] = three()) {
  const { status, json, text } = await service.api("POST", root, { environments: list });
  expect(status, text).toBe(201);
  return json;
}

const names = (group: { environments: { name: string }[] }) => group.environments.map(({ name }) => name);

it("links projects in an order, renames, reorders and unlinks them, with an entry in the log of each", async () => {
  const group = await linked();
  expect(group.environments).toEqual([
    { project_id: 1, name: "Dev", project_name: expect.any(String) },
    { project_id: ids[1], name: "Staging", project_name: "Staging" },
    { project_id: ids[2], name: "Production", project_name: "Production" },
  ]);
  const changed = await service.api("PATCH", `${root}${group.id}/`, {
    environments: listed([2, " Live "], [0, "Dev"]),
    original_environments: three(),
  });
  expect(names(changed.json)).toEqual(["Live", "Dev"]);
  const { results } = (await service.api("GET", root)).json;
  expect(results).toEqual([changed.json]);
  expect((await service.api("DELETE", `${root}${group.id}/`)).status).toBe(204);
  expect((await service.api("GET", root)).json.count).toBe(0);
  const log = async (place: number) =>
    (
      await service.api("GET", `/api/projects/${ids[place]}/activity_log/?scope=EnvironmentGroup`)
    ).json.results.map(({ activity, detail }: { activity: string; detail: { name: string } }) => [
      activity,
      detail.name,
    ]);
  expect(await log(0)).toEqual([
    ["deleted", "Live → Dev"],
    ["updated", "Live → Dev"],
    ["created", "Dev → Staging → Production"],
  ]);
  expect((await log(1)).map(([activity]: string[]) => activity)).toEqual(["updated", "created"]);
});

it("has a project in one group at most, also when two are made at once", async () => {
  const pairs = [listed([0, "A"], [1, "B"]), listed([1, "A"], [2, "B"])];
  const replies = await Promise.all(pairs.map((list) => service.api("POST", root, { environments: list })));
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 400]);
  expect(replies.find(({ status }) => status === 400)?.json).toMatchObject({ code: "unique" });
});

it("does not overwrite what somebody else has changed since", async () => {
  const { id } = await linked();
  const change = (name: string) =>
    service.api("PATCH", `${root}${id}/`, {
      environments: listed([0, name], [1, "Staging"]),
      original_environments: three(),
    });
  const both = await Promise.all([change("First"), change("Second")]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
});

it("loses a project that is deleted", async () => {
  const doomed = (await service.api("POST", "/api/projects/", { name: "Doomed" })).json.id;
  await linked([...three(), { project_id: doomed, name: "Doomed" }]);
  await service.db.delete(projects).where(eq(projects.id, doomed));
  service.runtime.directory.drop();
  expect(names((await service.api("GET", root)).json.results[0])).toEqual(["Dev", "Staging", "Production"]);
});

it.each<[string, () => unknown, string]>([
  ["no list", () => undefined, "environments"],
  ["something else than a list", () => "staging", "environments"],
  ["one environment", () => listed([0, "Dev"]), "environments"],
  [
    "too many",
    () => Array.from({ length: 9 }, (_, i) => ({ project_id: i + 1, name: `${i}` })),
    "environments",
  ],
  ["a project twice", () => listed([0, "A"], [0, "B"]), "environments__1__project_id"],
  ["a name twice", () => listed([0, "Dev"], [1, "dev"]), "environments__1__name"],
  ["an empty name", () => listed([0, " "], [1, "B"]), "environments__0__name"],
  ["a long name", () => listed([0, "x".repeat(61)], [1, "B"]), "environments__0__name"],
  [
    "an unknown project",
    () => [...listed([0, "A"]), { project_id: 999_999_999, name: "B" }],
    "environments__1__project_id",
  ],
  [
    "a huge project id",
    () => [...listed([0, "A"]), { project_id: 1e300, name: "B" }],
    "environments__1__project_id",
  ],
])("refuses %s", async (_, list, attr) => {
  const { status, json } = await service.api("POST", root, { environments: list() });
  expect([status, json.attr]).toEqual([400, attr]);
});

it("belongs to its organization and its administrators", async () => {
  const elsewhere = await addOrganization(service.db, "Elsewhere");
  const owner = await addPerson(service.db, "owner@example.com", { [elsewhere.organization.id]: 15 });
  const member = await addPerson(service.db, "member@example.com", { [organization]: 1 });
  const stranger = (await addKey(service.db, owner.id)).value;
  const own = (await addKey(service.db, member.id)).value;
  service.runtime.directory.drop();
  const foreign = await service.api("POST", root, {
    environments: [...listed([0, "A"]), { project_id: elsewhere.project.id, name: "B" }],
  });
  expect([foreign.status, foreign.json.code]).toEqual([400, "does_not_exist"]);
  const { id } = await linked();
  const theirs = `/api/organizations/${elsewhere.organization.id}/environments/`;
  expect((await service.api("GET", theirs, undefined, { key: stranger })).json.count).toBe(0);
  for (const path of [root, theirs])
    expect((await service.api("DELETE", `${path}${id}/`, undefined, { key: stranger })).status).toBe(404);
  expect((await service.api("GET", root, undefined, { key: own })).json.count).toBe(1);
  for (const [method, path, body] of [
    ["POST", root, { environments: three() }],
    ["PATCH", `${root}${id}/`, { environments: three() }],
    ["DELETE", `${root}${id}/`, undefined],
  ] as const)
    expect((await service.api(method, path, body, { key: own })).status).toBe(403);
  expect((await service.api("GET", root)).json.count).toBe(1);
});
