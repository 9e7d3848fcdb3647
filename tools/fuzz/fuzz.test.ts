import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { withDatabase } from "#lib/platform/db/connection-string.ts";
import { createTestDatabase } from "#testing/database.ts";
import { fillProject } from "#testing/every-resource.ts";
import { type Service, startService } from "#testing/service.ts";
import { contents, differing, findStrayRows } from "./database.ts";
import { fuzz } from "./fuzz.ts";

const REQUESTS = 5_000;
/** Half a minute where nothing else runs; a deadline is for what hangs. */
const DEADLINE_MS = 300_000;

describe("a process", () => {
  const folder = mkdtempSync(join(tmpdir(), "fuzz-"));
  let database: Database;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it(
    "answers generated requests as its OpenAPI document says, and keeps what it stores in order",
    async () => {
      const { url, address } = inject("server");
      const server =
        url ?? `postgres://${address.user}@localhost/x?host=${address.host}&port=${address.port}`;
      const env = { DATA_DIR: folder, DATABASE_URL: withDatabase(server, database.description) };
      const seed = Number(process.env.FUZZING_SEED ?? 20_261_123);
      const { problems, statuses, operations, unreached } = await fuzz({
        database,
        env,
        requests: REQUESTS,
        seed,
      });
      expect(problems, `seed ${seed}`).toEqual([]);
      // What is mostly refused tests little.
      expect((statuses[200] ?? 0) / REQUESTS).toBeGreaterThan(0.35);
      // About a tenth of the operations has not succeeded by then; which ones also depends on what is answered first.
      expect(unreached.length / operations, unreached.join(", ")).toBeLessThan(0.13);
    },
    DEADLINE_MS,
  );
});

describe("the checks of the database", () => {
  let service: Service;
  let other: number;
  beforeAll(async () => {
    service = await startService();
    other = (await service.api("POST", "/api/projects/", { name: "Other" })).json.id;
    await fillProject(service.api, 1, "ours");
    await fillProject(service.api, other, "theirs");
  });
  afterAll(() => service.close());

  const ofOurs = sql`(select id from cohorts where project_id = 1 limit 1)`;
  const ofTheirs = () => sql`(select id from cohorts where project_id = ${other} limit 1)`;
  const conditionOn = (cohort: ReturnType<typeof ofTheirs>) =>
    sql`json_build_object('groups', json_build_array(json_build_object('properties', json_build_array(
      json_build_object('type', 'cohort', 'key', 'id', 'value', ${cohort})))))`;

  it.each([
    ["nothing, as things are", () => sql`select 1`, null],
    [
      "a flag that names our cohort",
      () => sql`update feature_flags set filters = ${conditionOn(ofOurs)} where key = 'ours-flag'`,
      null,
    ],
    [
      "a flag that names a cohort of another project",
      () => sql`update feature_flags set filters = ${conditionOn(ofTheirs())} where key = 'ours-flag'`,
      /feature_flags \d+: its filters name cohorts \d+/,
    ],
    [
      "a survey that names no flag",
      () => sql`update surveys set linked_flag_id = 4711 where name = 'ours'`,
      /1 rows of surveys: linked_flag_id names no row of feature_flags/,
    ],
    [
      "an experiment with a holdout of another project",
      () => sql`update experiments set holdout_id =
        (select id from experiment_holdouts where project_id = ${other}) where name = 'ours'`,
      /1 rows of experiments: holdout_id names no row of experiment_holdouts/,
    ],
  ])("find %s", async (_, change, expected) => {
    const found = await service.db
      .transaction(async (tx) => {
        const before = await contents(tx, other);
        await tx.execute(change());
        expect(differing(before, await contents(tx, other))).toEqual([]);
        throw { stray: await findStrayRows(tx) };
      })
      .catch((thrown: { stray?: string[] }) => thrown.stray);
    if (expected === null) expect(found).toEqual([]);
    else expect(found?.join()).toMatch(expected);
  });
});
