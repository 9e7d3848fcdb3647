import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { connectionTo, createTestDatabase } from "#testing/database.ts";
import type { Database } from "./connect.ts";
import { migrate, readMigrations } from "./migrate.ts";

const TAG = "experiment_record";
let root: Database;
let opened: Database;
const name = `older_${randomUUID().replaceAll("-", "")}`;

const filters = (control: number, test: number) => ({
  groups: [{ rollout_percentage: 100 }],
  multivariate: {
    variants: [
      { key: "control", rollout_percentage: control },
      { key: "test", rollout_percentage: test },
    ],
  },
});
const change = (field: string, before: unknown, after: unknown) => ({
  field,
  action: "changed",
  before,
  after,
});

/** A database of the version before, empty. */
beforeAll(async () => {
  root = await createTestDatabase();
  await root.pool.query(`create database ${name}`);
  opened = connectionTo(inject("server"), name);
  const folder = mkdtempSync(join(tmpdir(), "migrations-"));
  cpSync(join(import.meta.dirname, "migrations"), folder, { recursive: true });
  const all = readMigrations(folder);
  const earlier = all.slice(
    0,
    all.findIndex(({ tag }) => tag.endsWith(TAG)),
  );
  const entries = earlier.map(({ idx, tag }) => ({ idx, tag }));
  writeFileSync(join(folder, "meta", "_journal.json"), JSON.stringify({ entries }));
  await migrate(opened, folder);
  rmSync(folder, { recursive: true });
});
afterAll(async () => {
  await opened.close();
  await root.pool.query(`drop database ${name} with (force)`);
  await root.close();
});

it("derives the record of experiments of an earlier version from the log", async () => {
  const run = (text: string, values: unknown[] = []) => opened.pool.query(text, values);
  const log = (scope: string, item: number, at: string, changes: unknown[], activity = "updated") =>
    run(
      `insert into activity_log (project_id, user_id, scope, item_id, activity, detail, created_at)
        values (1, 1, $1, $2, $3, $4, $5)`,
      [scope, String(item), activity, JSON.stringify({ changes, name: "x" }), at],
    );
  await run(`insert into organizations (id, name, slug) values (gen_random_uuid(), 'O', 'o')`);
  await run(
    `insert into users (id, uuid, email, distinct_id, first_name) values (1, gen_random_uuid(), 'a@b.c', 'd', 'A')`,
  );
  await run(
    `insert into projects (id, organization_id, name, api_token, secret_api_token) select 1, id, 'P', 'phc_x', 'phs_x' from organizations`,
  );
  const flag = (id: number, stored: unknown) =>
    run(`insert into feature_flags (id, project_id, key, name, filters) values ($1, 1, $2, '', $3)`, [
      id,
      `flag-${id}`,
      JSON.stringify(stored),
    ]);
  const experiment = (id: number, fields: Record<string, unknown>) => {
    const all = {
      id,
      project_id: 1,
      name: `E ${id}`,
      feature_flag_id: id,
      filters: "{}",
      metrics: "[]",
      metrics_secondary: "[]",
      created_by_id: 1,
      ...fields,
    };
    const places = Object.keys(all).map((_, i) => `$${i + 1}`);
    return run(
      `insert into experiments (${Object.keys(all).join(", ")}) values (${places.join(", ")})`,
      Object.values(all),
    );
  };
  // Shipped: the split of its parameters was overwritten.
  await flag(1, filters(0, 100));
  const parameters = { feature_flag_variants: filters(0, 100).multivariate.variants, note: 1 };
  await experiment(1, {
    start_date: "2026-01-01T00:00:00Z",
    end_date: "2026-01-10T00:00:00Z",
    conclusion: "won",
    parameters: JSON.stringify(parameters),
    description: "Bent",
    metrics: JSON.stringify([{ uuid: "m", fingerprint: "f" }]),
    stats_config: JSON.stringify({ method: "bayesian" }),
  });
  await log("FeatureFlag", 1, "2026-01-05T00:00:00Z", [change("filters", filters(50, 50), filters(80, 20))]);
  await log("FeatureFlag", 1, "2026-01-10T00:00:01Z", [change("filters", filters(80, 20), filters(0, 100))]);
  await log("Experiment", 1, "2026-01-01T00:00:02Z", [change("start_date", null, "2026-01-01T00:00:00Z")]);
  await log("Experiment", 1, "2026-01-03T00:00:00Z", [change("description", "First", "Bent")]);
  await log("Experiment", 1, "2026-01-10T00:00:00Z", [change("conclusion", null, "won")]);
  // Running, never changed; and a draft.
  await flag(2, filters(60, 40));
  await experiment(2, { start_date: "2026-01-01T00:00:00.250Z", stats_config: "null" });
  await flag(3, filters(60, 40));
  await experiment(3, { description: null });

  expect((await migrate(opened))[0]).toMatch(TAG);

  const { rows: phases } = await run(
    "select experiment_id, started_at, flag_key, variants from experiment_phases order by 1, 2",
  );
  const phase = (experiment_id: number, at: string, split: ReturnType<typeof filters>) => ({
    experiment_id,
    started_at: new Date(at),
    flag_key: `flag-${experiment_id}`,
    variants: split.multivariate.variants,
  });
  expect(phases).toEqual([
    phase(1, "2026-01-01T00:00:00Z", filters(50, 50)),
    phase(1, "2026-01-05T00:00:00Z", filters(80, 20)),
    phase(1, "2026-01-10T00:00:01Z", filters(0, 100)),
    phase(2, "2026-01-01T00:00:00.250Z", filters(60, 40)),
  ]);
  const { rows } = await run("select * from experiments order by id");
  const [shipped, running, draft] = rows;
  expect(shipped).toMatchObject({
    shipped_variant: "test",
    parameters: { feature_flag_variants: filters(80, 20).multivariate.variants, note: 1 },
    concluded_by_id: 1,
    concluded_at: new Date("2026-01-10T00:00:00Z"),
    last_modified_by_id: 1,
    version: 1,
    launch_plan: {
      start_date: "2026-01-01T00:00:00Z",
      launched_at: "2026-01-01T00:00:02Z",
      launched_by_id: 1,
      description: "First",
      metrics: [{ uuid: "m" }],
      stats_config: { method: "bayesian" },
      changes: { description: { at: "2026-01-03T00:00:00Z", by_id: 1 } },
    },
  });
  expect(running).toMatchObject({
    shipped_variant: null,
    launch_plan: { start_date: "2026-01-01T00:00:00.250Z", description: "", metrics: [], changes: {} },
  });
  expect(draft).toMatchObject({ shipped_variant: null, launch_plan: null, concluded_at: null });
});
