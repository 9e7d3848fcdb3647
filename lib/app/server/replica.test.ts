import {
  chmodSync,
  cpSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { contracts } from "#lib/app/contracts.ts";
import { type Database, openDatabase } from "#lib/platform/db/connect.ts";
import { migrate } from "#lib/platform/db/migrate.ts";
import { openReplica, type Replica } from "#lib/platform/db/replica.ts";
import type { Contract, Endpoint } from "#lib/platform/http/contract.ts";
import { type FilledProject, fillProject, pathWith } from "#testing/every-resource.ts";
import { eventually } from "#testing/processes.ts";
import { type Reply, type Service, startService } from "#testing/service.ts";

const folder = mkdtempSync(join(tmpdir(), "replica-"));
// The servers' own user must get through to what lies below.
chmodSync(folder, 0o755);
const { runtimeDir } = inject("server");

// What a crash would lose is not needed.
const QUICK = { fsync: "off", full_page_writes: "off" };

let primary: Database;
let standby: Database;
let replica: Replica;
let service: Service;
let project: FilledProject;

/** A copy of a running server's files, with which another one can follow it. */
async function copyServer(from: Database, source: string, target: string): Promise<void> {
  const client = await from.connect();
  await client.query("select pg_backup_start('replica', true)");
  const [home, data] = [join(target, "postgres"), join(target, "postgres", "18")];
  mkdirSync(home, { recursive: true });
  cpSync(join(source, "postgres", "18"), data, {
    recursive: true,
    filter: (path) => !path.endsWith("postmaster.pid"),
  });
  const { rows } = await client.query("select labelfile from pg_backup_stop()");
  await client.end();
  writeFileSync(join(data, "backup_label"), rows[0].labelfile);
  writeFileSync(join(data, "standby.signal"), "");
  const { uid, gid } = statSync(join(source, "postgres", "18"));
  for (const name of ["", ...readdirSync(data, { recursive: true, encoding: "utf8" })])
    lchownSync(join(data, name), uid, gid);
  chmodSync(data, 0o700);
}

const METRICS_TOKEN = "the-token-of-whoever-monitors";

/** Whether it is used, and how far it is behind, as `/metrics` has it. */
async function lag(): Promise<{ state: string | undefined; seconds: number }> {
  const { text } = await service.api("GET", "/metrics", undefined, { key: METRICS_TOKEN });
  const [, state, seconds] = /^switchyard_replica_lag_seconds\{state="(\w+)"\} (\S+)$/m.exec(text) ?? [];
  return { state, seconds: Number(seconds) };
}

const openStandby = () =>
  openDatabase({
    dataDir: join(folder, "standby"),
    runtimeDir,
    settings: {
      ...QUICK,
      primary_conninfo: `host=${primary.pool.options.host} port=${primary.pool.options.port} user=postgres`,
      wal_retrieve_retry_interval: "100ms",
    },
  });

const urlOf = ({ pool: { options } }: Database) =>
  `postgres://${options.user}@localhost/${options.database}?host=${options.host}&port=${options.port}`;

const isUsed = () =>
  eventually(
    async () => replica.forReads(1) ?? undefined,
    () => String(replica.status.problem),
  );

beforeAll(async () => {
  const home = join(folder, "primary");
  primary = await openDatabase({ dataDir: home, runtimeDir, settings: QUICK });
  await migrate(primary);
  await copyServer(primary, home, join(folder, "standby"));
  standby = await openStandby();
  replica = openReplica(urlOf(standby), primary.pool);
  service = await startService({ database: primary, replica, metricsToken: METRICS_TOKEN });
  project = await fillProject(service.api, 1, "ours");
});
afterAll(async () => {
  await replica.close();
  await service.close();
  await standby.close();
  rmSync(folder, { recursive: true, force: true });
});

const READS = Object.entries(contracts).flatMap(([resource, contract]) =>
  Object.entries(contract as Contract)
    .filter(([, declared]) => declared.from_replica)
    .map(([name, declared]) => [`${resource}.${name}`, declared] as const),
);

const call = (name: string, declared: Endpoint) => {
  const [resource = ""] = name.split(".");
  const query = new URLSearchParams(
    Object.entries(project.queries[name] ?? {}).map(([key, value]) => [key, String(value)]),
  );
  const path = pathWith(declared, 1, (id) => project.ids[id === "id" ? resource : id]);
  return service.api(declared.method, `${path}?${query}`, project.bodies[name]);
};

const asOf = ({ headers }: Reply) => headers.get("switchyard-as-of");
const events = () => service.api("GET", "/api/projects/1/events/");
const rename = (name: string) =>
  service.api("PATCH", `/api/projects/1/cohorts/${project.ids.cohorts}/`, { name });

it("answers every large read as the database itself does", async () => {
  const timeless = ({ status, text }: Reply) => [status, text.replace(/"as_of":"[^"]*"/, "")];
  const expected = new Map<string, unknown>();
  for (const [name, declared] of READS) {
    replica.changed(1);
    const itself = await call(name, declared);
    expect([name, itself.status, asOf(itself)]).toEqual([name, 200, null]);
    expected.set(name, timeless(itself));
  }
  const { as_of } = await isUsed();
  for (const [name, declared] of READS) {
    const copied = await call(name, declared);
    expect([name, timeless(copied)]).toEqual([name, expected.get(name)]);
    expect(Date.parse(asOf(copied) ?? ""), name).toBeGreaterThanOrEqual(as_of.getTime());
    if (copied.json?.as_of) expect(Date.parse(copied.json.as_of)).toBe(Date.parse(asOf(copied) ?? ""));
  }
});

it("does not answer before it has the project's last change", async () => {
  await isUsed();
  await standby.pool.query("select pg_wal_replay_pause()");
  expect((await rename("while it waits")).status).toBe(200);
  const waiting = replica.status.as_of;
  expect(asOf(await events())).toBeNull();
  expect(replica.forReads(2)).not.toBeNull();
  await standby.pool.query("select pg_wal_replay_resume()");
  const { as_of } = await isUsed();
  expect(as_of.getTime()).toBeGreaterThan(waiting?.getTime() ?? Number.NaN);
  expect(asOf(await events())).not.toBeNull();
});

it("does not answer for a project to which a call on the organization has copied something", async () => {
  const { id } = (await service.api("POST", "/api/projects/", { name: "Target" })).json;
  await service.api("POST", "/api/projects/1/feature_flags/", { key: "to-copy" });
  await isUsed();
  await standby.pool.query("select pg_wal_replay_pause()");
  expect(replica.forReads(id)).not.toBeNull();
  const { json } = await service.api("POST", "/api/organizations/@current/feature_flags/copy_flags/", {
    feature_flag_key: "to-copy",
    from_project: 1,
    target_project_ids: [id],
  });
  expect(json.success).toMatchObject([{ team_id: id }]);
  expect(replica.forReads(id)).toBeNull();
  await standby.pool.query("select pg_wal_replay_resume()");
});

it("is not missed while it is away, and is used again afterwards", async () => {
  await isUsed();
  await standby.close();
  const answer = await events();
  expect([answer.status, asOf(answer)]).toEqual([200, null]);
  await eventually(
    async () => replica.status.problem === "it cannot be reached" || undefined,
    () => String(replica.status.problem),
  );
  expect((await lag()).state).toBe("unused");
  const status = await service.api("GET", "/api/instance_status/");
  expect(status.json.database.replica.problem).toBe("it cannot be reached");
  expect((await rename("while it is away")).status).toBe(200);
  standby = await openStandby();
  await isUsed();
  expect(asOf(await events())).not.toBeNull();
  expect(await lag()).toEqual({ state: "used", seconds: expect.any(Number) });
  expect((await lag()).seconds).toBeLessThan(30);
});

it("has to follow a database", async () => {
  const none = openReplica(urlOf(primary), primary.pool);
  await eventually(
    async () => none.status.problem === "it does not follow any database" || undefined,
    () => String(none.status.problem),
  );
  expect(none.forReads(1)).toBeNull();
  await none.close();
});
