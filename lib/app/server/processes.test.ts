import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { withDatabase } from "#lib/platform/db/connection-string.ts";
import { createTestDatabase } from "#testing/database.ts";
import { eventually, PROJECT_TOKEN, type Process, startProcess } from "#testing/processes.ts";

const FLAGS = "/api/projects/1/feature_flags/";
const folder = mkdtempSync(join(tmpdir(), "processes-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };

type Entry = { activity: string; detail: { changes: { field: string; before: unknown; after: unknown }[] } };

async function historyOf(on: Process, flag: number): Promise<Entry[]> {
  const { json } = await on.call("GET", `${FLAGS}${flag}/activity/?limit=100`);
  return json.results;
}

describe.each(["one embedded server", "DATABASE_URL"])("two processes on %s", (where) => {
  let one: Process;
  let other: Process;
  let drop = async () => {};

  beforeAll(async () => {
    const env: Record<string, string> = { DATA_DIR: join(folder, "two") };
    if (where === "DATABASE_URL") {
      const { url, address } = inject("server");
      const database = await createTestDatabase();
      drop = database.close;
      const server =
        url ?? `postgres://${address.user}@localhost/x?host=${address.host}&port=${address.port}`;
      env.DATABASE_URL = withDatabase(server, database.description);
    }
    // Both at once, on nothing: only one may make the first key and project.
    [one, other] = await Promise.all([startProcess(env), startProcess(env)]);
  });
  afterAll(async () => {
    await Promise.all([one.end("SIGTERM"), other.end("SIGTERM")]);
    await drop();
  });

  async function createFlagOn(process: Process, key: string) {
    const fields = { key, name: "nobody's", active: true, filters: everyone };
    // While the database server changes hands, writes are refused and can be sent again.
    const made = await eventually(async () => {
      const answer = await process.call("POST", FLAGS, fields);
      return answer.status === 503 ? undefined : answer;
    }, process.output);
    expect(made.status, made.text).toBe(201);
    return made.json;
  }

  const createFlag = (key: string) => createFlagOn(one, key);

  /** How long it takes until a process says so, in ms. */
  async function timeUntil(what: () => Promise<boolean>): Promise<number> {
    const began = performance.now();
    await eventually(async () => (await what()) || undefined, other.output);
    return performance.now() - began;
  }

  /** A change is known to others within a second: by most measurements, as the machine may pause once. */
  function expectASecondAtMost(measured: number[]): void {
    const sorted = measured.toSorted((a, b) => a - b);
    expect(sorted[sorted.length >> 1]).toBeLessThan(1_000);
  }

  const stored = async (on: Process, id: number) => (await on.call("GET", `${FLAGS}${id}/`)).json;

  const served = async (key: string) =>
    (await other.call("POST", "/flags/?v=2", { token: PROJECT_TOKEN, distinct_id: "u" }, {})).json.flags[key]
      ?.enabled;

  it("serve the same flags a second after a change", async () => {
    const flag = await createFlag("shared");
    const took = [await timeUntil(async () => (await served("shared")) === true)];
    for (const active of [false, true, false]) {
      const before = await other.call("GET", "/flags/definitions");
      expect((await one.call("PATCH", `${FLAGS}${flag.id}/`, { active })).status).toBe(200);
      const began = performance.now();
      await timeUntil(async () => {
        const { json } = await other.call("GET", `${FLAGS}?search=shared`);
        return json.results.length === 1 && json.results[0].active === active;
      });
      await timeUntil(async () => (await served("shared")) === active);
      await timeUntil(async () => {
        const after = await other.call("GET", "/flags/definitions");
        const [definition] = after.json.flags.filter(({ key }: { key: string }) => key === "shared");
        return definition.active === active && after.headers.get("etag") !== before.headers.get("etag");
      });
      took.push(performance.now() - began);
    }
    await one.call("PATCH", `${FLAGS}${flag.id}/`, { deleted: true });
    took.push(await timeUntil(async () => (await served("shared")) === undefined));
    expectASecondAtMost(took);
  });

  it("refuse a key a second after it was revoked", async () => {
    const took: number[] = [];
    for (let round = 0; round < 3; round++) {
      const fields = { label: "short-lived", scopes: ["feature_flag:read"] };
      const { json: key } = await one.call("POST", "/api/personal_api_keys/", fields);
      const statusWithIt = async () =>
        (await other.call("GET", FLAGS, undefined, { authorization: `Bearer ${key.value}` })).status;
      await timeUntil(async () => (await statusWithIt()) === 200);
      expect((await one.call("DELETE", `/api/personal_api_keys/${key.id}/`)).status).toBe(204);
      took.push(await timeUntil(async () => (await statusWithIt()) === 401));
    }
    expectASecondAtMost(took);
  });

  it("let one of two editors through, and tell the other", async () => {
    const { id } = await createFlag("edited-twice");
    for (let round = 0; round < 5; round++) {
      const original = await stored(one, id);
      const edit = (on: Process, name: string) =>
        on.call("PATCH", `${FLAGS}${id}/`, { name, version: original.version, original_flag: original });
      const answers = await Promise.all([edit(one, `one's ${round}`), edit(other, `other's ${round}`)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      const through = answers.find(({ status }) => status === 200)?.json.name;
      const refused = answers.find(({ status }) => status === 409)?.json;
      expect(refused).toMatchObject({ code: "conflict" });
      // Whoever did not make the change hears of it a little later.
      for (const process of [one, other])
        await timeUntil(async () => (await stored(process, id)).version > original.version);
      expect(await stored(other, id)).toMatchObject({ name: through, version: original.version + 1 });
    }
  });

  it("lose none of twenty changes at once", async () => {
    const { id } = await createFlag("much-edited");
    const patches = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? one : other).call("PATCH", `${FLAGS}${id}/`, { name: `name ${i}` }),
    );
    const statuses = (await Promise.all(patches)).map(({ status }) => status);
    expect(statuses).toEqual(Array(20).fill(200));
    await timeUntil(async () => (await stored(one, id)).version === 21);
    const history = await historyOf(other, id);
    expect(history).toHaveLength(21);
    // Each change was made to what the one before it had left.
    const names = history
      .filter(({ activity }) => activity === "updated")
      .flatMap(({ detail }) => detail.changes.filter(({ field }) => field === "name"));
    expect(names).toHaveLength(20);
    const next = new Map(names.map(({ before, after }) => [before, after]));
    const chain = new Set<unknown>();
    for (let name: unknown = "nobody's"; name !== undefined && !chain.has(name); name = next.get(name))
      chain.add(name);
    expect(chain.size).toBe(21);
    expect([...chain].at(-1)).toBe((await stored(one, id)).name);
  });

  it("go on when one of them stops, whoever started the database", async () => {
    expect(await one.end("SIGTERM")).toBe(0);
    await timeUntil(async () => (await other.call("GET", FLAGS)).status === 200);
    await createFlagOn(other, "alone");
    expect(await other.end("SIGTERM")).toBe(0);
  });
});
