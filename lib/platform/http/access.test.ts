import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

const FLAGS = (project: number | string) => `/api/projects/${project}/feature_flags/`;

let service: Service;
let home: { id: number; secret_api_token: string };
/** A second project of the same organization, which the first key opens too. */
let second: { id: number; api_token: string; secret_api_token: string };
/** A project of an organization that the first key's owner does not belong to. */
let foreign: { id: number; api_token: string };
let strangerKey: string;

beforeAll(async () => {
  service = await startService();
  home = (await service.api("GET", "/api/projects/1/")).json;
  second = (await service.api("POST", "/api/projects/", { name: "Second" })).json;
  const { organization, project } = await addOrganization(service.db, "foreign");
  foreign = project;
  const stranger = await addPerson(service.db, "stranger@foreign.test", { [organization.id]: 15 });
  strangerKey = (await addKey(service.db, stranger.id)).value;
  service.runtime.directory.drop();
});
afterAll(() => service.close());

const keysOf = async (project: number): Promise<string[]> =>
  (await service.api("GET", FLAGS(project))).json.results.map((flag: { key: string }) => flag.key);

describe("a project's secret key", () => {
  const definitions = (project: number | string) => `${FLAGS(project)}local_evaluation/`;
  const get = (path: string, key: string) => service.api("GET", path, undefined, { key });

  it("opens its own project, by id and as the current one", async () => {
    expect((await get(definitions(home.id), home.secret_api_token)).status).toBe(200);
    await service.api("POST", FLAGS(second.id), { key: "only-in-second" });
    const current = await get(definitions("@current"), second.secret_api_token);
    expect(current.json.flags.map((flag: { key: string }) => flag.key)).toEqual(["only-in-second"]);
  });

  it("opens no other project, of the same organization or another one", async () => {
    for (const id of [second.id, foreign.id]) {
      const reply = await get(definitions(id), home.secret_api_token);
      expect([reply.status, reply.json.code]).toEqual([403, "permission_denied"]);
      const flag = await get(`${FLAGS(id)}any/remote_config/`, home.secret_api_token);
      expect(flag.status).toBe(403);
    }
    const byToken = `${definitions(home.id)}?token=${second.api_token}`;
    expect((await get(byToken, home.secret_api_token)).status).toBe(403);
  });

  it("opens nothing that asks for a person", async () => {
    expect((await get(FLAGS(home.id), home.secret_api_token)).status).toBe(401);
    expect((await get(definitions(home.id), "phs_unknown")).status).toBe(401);
  });
});

describe("a key for certain projects", () => {
  it("opens these, and no other project of its owner", async () => {
    const label = { label: "second only", scopes: ["*"], scoped_teams: [second.id] };
    const { value } = (await service.api("POST", "/api/personal_api_keys/", label)).json;
    const get = (project: number | string) => service.api("GET", FLAGS(project), undefined, { key: value });
    expect((await get(second.id)).status).toBe(200);
    expect((await get("@current")).status).toBe(200);
    const reply = await get(home.id);
    expect([reply.status, reply.json.code, reply.json.detail]).toEqual([
      403,
      "permission_denied",
      "This API key does not have access to the requested project.",
    ]);
  });
});

describe("a project token in the query", () => {
  it("chooses the project of a read", async () => {
    await service.api("POST", FLAGS(second.id), { key: "second-read" });
    for (const name of ["token", "api_key"]) {
      const { json } = await service.api("GET", `${FLAGS(home.id)}?${name}=${second.api_token}`);
      expect(json.results.map((flag: { key: string }) => flag.key)).toContain("second-read");
    }
  });

  it("does not change the project of a write", async () => {
    const made = await service.api("POST", `${FLAGS(home.id)}?token=${second.api_token}`, { key: "written" });
    expect(made.status).toBe(201);
    expect(await keysOf(home.id)).toContain("written");
    expect(await keysOf(second.id)).not.toContain("written");
    const path = `${FLAGS(home.id)}${made.json.id}/?token=${second.api_token}`;
    const changed = await service.api("PATCH", path, { name: "By its path" });
    expect(changed.json).toMatchObject({ id: made.json.id, name: "By its path" });
  });

  it("opens no project that the key does not", async () => {
    const reply = await service.api("GET", `${FLAGS(home.id)}?token=${foreign.api_token}`);
    expect([reply.status, reply.json.code]).toEqual([403, "permission_denied"]);
  });

  it("is refused when it is nobody's, and ignored when it is no token", async () => {
    expect((await service.api("GET", `${FLAGS(home.id)}?token=phc_nobody`)).status).toBe(401);
    expect((await service.api("GET", `${FLAGS(home.id)}?token=nonsense`)).status).toBe(200);
  });
});

describe("a person's key", () => {
  it("opens no project of an organization that the person does not belong to", async () => {
    const before = await keysOf(home.id);
    for (const [method, body] of [
      ["GET", undefined],
      ["POST", { key: "by-a-stranger" }],
    ] as const) {
      const reply = await service.api(method, FLAGS(home.id), body, { key: strangerKey });
      expect([reply.status, reply.json.code]).toEqual([403, "permission_denied"]);
      expect((await service.api(method, FLAGS(foreign.id), body, { key: strangerKey })).status).toBeLessThan(
        300,
      );
    }
    expect(await keysOf(home.id)).toEqual(before);
  });
});

describe("the largest body", () => {
  const LIMIT = 2 * 1024 * 1024;
  /** A JSON body of exactly so many bytes. */
  const bodyOf = (size: number) => {
    const frame = JSON.stringify({ key: "", name: "large" });
    return `${frame.slice(0, -1)}${" ".repeat(size - frame.length)}}`;
  };
  const send = (body: string, headers: Record<string, string> = {}) =>
    service.api("POST", FLAGS(home.id), body, {
      headers: { "content-type": "application/json", ...headers },
    });

  it.each([
    ["announced", (size: number) => ({ "content-length": String(size) })],
    ["not announced", () => ({})],
  ])("is read at the limit and refused a byte above it; length %s", async (_, headers) => {
    const largest = await send(bodyOf(LIMIT), headers(LIMIT));
    expect([largest.status, largest.json.attr]).toEqual([400, "key"]);
    const tooLarge = await send(bodyOf(LIMIT + 1), headers(LIMIT + 1));
    expect([tooLarge.status, tooLarge.json.code]).toEqual([413, "request_too_large"]);
  });
});
