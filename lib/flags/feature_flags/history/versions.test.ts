import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
const root = "/api/projects/1/feature_flags";
const share = (rollout_percentage: number) => ({ groups: [{ properties: [], rollout_percentage }] });

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function save(id: number, body: object) {
  const reply = await service.api("PATCH", `${root}/${id}/`, body);
  expect(reply.status, reply.text).toBe(200);
  return reply.json;
}

describe("versions of a flag", () => {
  it("are not made by test cases, which the activity log has all the same", async () => {
    const { json: made } = await service.api("POST", `${root}/`, { key: "tested", filters: share(10) });
    const cases = `${root}/${made.id}/test_cases/`;
    const one = await service.api("POST", cases, { name: "Ada", distinct_id: "ada", expected: true });
    expect(one.status, one.text).toBe(201);
    await save(made.id, { name: "Second" });
    await service.api("DELETE", `${cases}${one.json.id}/`);
    const { json } = await service.api("GET", `${root}/${made.id}/versions/?limit=1`);
    expect([json.count, json.results.length]).toEqual([2, 1]);
    const rest = (await service.api("GET", `${root}/${made.id}/versions/?limit=5&offset=1`)).json;
    expect(rest.results.map((each: { version: number }) => each.version)).toEqual([1]);
    expect((await service.api("GET", `${root}/${made.id}/activity/`)).json.total_count).toBe(4);
  });

  it("are what each save left, and one can be restored", async () => {
    const made = (await service.api("POST", `${root}/`, { key: "a", name: "First", filters: share(10) }))
      .json;
    const states = [made];
    for (const body of [{ filters: share(20) }, { name: "Second", tags: ["x"] }, { active: false }])
      states.push(await save(made.id, body));
    const { json } = await service.api("GET", `${root}/${made.id}/versions/`);
    expect(json.count).toBe(4);
    expect(json.results.map((each: { version: number }) => each.version)).toEqual([4, 3, 2, 1]);
    for (const [place, { flag }] of [...json.results].reverse().entries())
      expect(flag).toMatchObject({
        key: "a",
        name: states[place].name,
        filters: states[place].filters,
        active: states[place].active,
        tags: states[place].tags,
      });

    const first = json.results.at(-1).flag;
    const back = await save(made.id, first);
    expect(back).toMatchObject({ name: "First", filters: share(10), active: true, tags: [], version: 5 });
  });

  it("pages like other lists, with the same states", async () => {
    const { id } = (await service.api("POST", `${root}/`, { key: "b", filters: share(1) })).json;
    for (const percent of [2, 3, 4, 5]) await save(id, { filters: share(percent) });
    const all = (await service.api("GET", `${root}/${id}/versions/`)).json.results;
    const page = (await service.api("GET", `${root}/${id}/versions/?limit=2&offset=3`)).json;
    expect(page.results).toEqual(all.slice(3));
    expect(page.previous).toContain("limit=2");
  });

  it("are found by their numbers, wherever they are in the history", async () => {
    const { id } = (await service.api("POST", `${root}/`, { key: "chosen", filters: share(1) })).json;
    for (const percent of [2, 3, 4, 5]) await save(id, { filters: share(percent) });
    const { json } = await service.api("GET", `${root}/${id}/versions/?versions=2,4,99,2`);
    expect(json.count).toBe(2);
    expect(json.results.map((each: { version: number }) => each.version)).toEqual([4, 2]);
    expect(json.results[1].flag.filters).toEqual(share(2));
    const page = (await service.api("GET", `${root}/${id}/versions/?versions=2,4&limit=1&offset=1`)).json;
    expect(page.results).toEqual(json.results.slice(1));
  });

  it.each(["x", "1,", "1;2", "-1", "1.5", "9999999999", Array(21).fill(1).join(",")])(
    "refuses the numbers %s",
    async (versions) => {
      const { id } = (await service.api("GET", `${root}/`)).json.results[0];
      const { status, json } = await service.api("GET", `${root}/${id}/versions/?versions=${versions}`);
      expect([status, json.attr]).toEqual([400, "versions"]);
    },
  );

  it("never show encrypted payloads", async () => {
    const filters = { ...share(100), payloads: { true: '"secret-one"' } };
    const body = { key: "c", is_remote_configuration: true, has_encrypted_payloads: true, filters };
    const { id } = (await service.api("POST", `${root}/`, body)).json;
    await save(id, { filters: { ...filters, payloads: { true: '"secret-two"' } } });
    const { text } = await service.api("GET", `${root}/${id}/versions/`);
    expect(text).not.toContain("secret-");
  });

  it("answers 404 for a flag that is not there", async () => {
    expect((await service.api("GET", `${root}/999999/versions/`)).status).toBe(404);
  });
});
