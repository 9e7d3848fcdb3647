import { afterAll, beforeAll, expect, it } from "vitest";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";
import { SAVED_VIEWS_MAX } from "./contract.ts";

const ROOT = "/api/projects/1/saved_views/";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const save = (body: object) => service.api("POST", ROOT, body);
const change = (id: number, body: object) => service.api("PATCH", `${ROOT}${id}/`, body);

async function saved(name: string, query = "status=stale") {
  const { status, json, text } = await save({ name, query });
  expect(status, text).toBe(201);
  return json;
}

it("saves a list under a name, without its page, and with what the list does not know", async () => {
  const view = await saved(" Stale ", "?status=stale&tag=a&tag=b%20c&offset=50&colour=red");
  expect(view).toEqual({
    id: expect.any(Number),
    name: "Stale",
    query: "status=stale&tag=a&tag=b+c&colour=red",
    created_by: expect.objectContaining({ id: 1 }),
    created_at: expect.any(String),
    updated_at: view.created_at,
  });
  expect((await service.api("GET", `${ROOT}${view.id}/`)).json).toEqual(view);
});

it("lists views by name, in pages", async () => {
  for (const name of ["zebra", "Apple", "mango"]) await saved(name);
  const names = (page: { results: { name: string }[] }) => page.results.map((view) => view.name);
  const all = (await service.api("GET", ROOT)).json;
  expect(names(all)).toEqual(names(all).toSorted((a, b) => a.localeCompare(b)));
  const page = (await service.api("GET", `${ROOT}?limit=1&offset=1`)).json;
  expect([page.count, names(page)]).toEqual([all.count, names(all).slice(1, 2)]);
});

it("is renamed, overwritten and deleted, and stays its owner's", async () => {
  const { results } = (await service.api("GET", "/api/organizations/")).json;
  const [organization] = results;
  const person = await addPerson(service.db, "colleague@example.com", {
    [organization.id]: 1,
  });
  const key = (await addKey(service.db, person.id)).value;
  service.runtime.directory.drop();
  const view = await saved("Mine");
  const renamed = await service.api("PATCH", `${ROOT}${view.id}/`, { name: "Ours" }, { key });
  expect(renamed.json).toMatchObject({ name: "Ours", query: "status=stale", created_by: { id: 1 } });
  expect((await change(view.id, { query: "search=x" })).json).toMatchObject({
    name: "Ours",
    query: "search=x",
  });
  expect((await change(view.id, { name: "OURS" })).json.name).toBe("OURS");
  for (const status of [204, 404])
    expect((await service.api("DELETE", `${ROOT}${view.id}/`)).status).toBe(status);
  expect((await change(view.id, { name: "x" })).status).toBe(404);
});

it("has names of its own, also when two are saved at once", async () => {
  const both = await Promise.all([save({ name: "Twice", query: "" }), save({ name: "twice", query: "" })]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 400]);
  const other = await saved("Once");
  for (const refused of [await save({ name: "TWICE", query: "" }), await change(other.id, { name: "twice" })])
    expect([refused.status, refused.json.code, refused.json.attr]).toEqual([400, "unique", "name"]);
  expect((await service.api("GET", `${ROOT}${other.id}/`)).json.name).toBe("Once");
});

it.each([
  ["no name", { query: "" }, "name"],
  ["an empty name", { name: "  ", query: "" }, "name"],
  ["a long name", { name: "x".repeat(101), query: "" }, "name"],
  ["a name that cannot be stored", { name: "a\u0000b", query: "" }, "name"],
  ["no query", { name: "x" }, "query"],
  ["a query that is no text", { name: "x", query: { status: "on" } }, "query"],
  ["a long query", { name: "x", query: "a".repeat(4001) }, "query"],
  ["a query that becomes long", { name: "x", query: "ä".repeat(1000) }, "query"],
])("refuses %s", async (_, body, attr) => {
  const { status, json } = await save(body);
  expect([status, json.attr]).toEqual([400, attr]);
});

it("belongs to one project", async () => {
  const { organization, project } = await addOrganization(service.db, "Elsewhere");
  const person = await addPerson(service.db, "elsewhere@example.com", { [organization.id]: 15 });
  const key = (await addKey(service.db, person.id)).value;
  service.runtime.directory.drop();
  const { id } = await saved("Not yours");
  const root = `/api/projects/${project.id}/saved_views/`;
  expect((await service.api("GET", root, undefined, { key })).json.count).toBe(0);
  for (const [method, body] of [["GET"], ["PATCH", { name: "x" }], ["DELETE"]] as const)
    expect((await service.api(method, `${root}${id}/`, body, { key })).status).toBe(404);
  expect(
    (await service.api("POST", root, { name: "Not yours", query: "" }, { key })).status,
    "names are a project's own",
  ).toBe(201);
});

it("has a limit for each project", async () => {
  const { count } = (await service.api("GET", ROOT)).json;
  for (let more = count; more < SAVED_VIEWS_MAX; more += 1) await saved(`view ${more}`);
  const { status, json } = await save({ name: "one more", query: "" });
  expect([status, json.detail]).toEqual([400, `A project can have at most ${SAVED_VIEWS_MAX} saved views.`]);
});
