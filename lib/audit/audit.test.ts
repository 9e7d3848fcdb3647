import { execFile } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { record } from "#lib/activity/service.ts";
import { inTransaction } from "#lib/platform/db/connect.ts";
import { addKey, addPerson } from "#testing/accounts.ts";
import { jobContext } from "#testing/jobs.ts";
import { listenOnLoopback } from "#testing/loopback.ts";
import { type Service, startService } from "#testing/service.ts";
import { readCopies, verifyAuditLog } from "./job.ts";
import { keysOf } from "./keys.ts";
import { note } from "./notes.ts";
import { seal } from "./seal.ts";
import { startSealer } from "./sealer.ts";
import { sendCheckpoints } from "./send.ts";
import { verifyAudit } from "./verify.ts";

const LOG = "/api/projects/1/audit_log/";

const folder = mkdtempSync(join(tmpdir(), "audit-"));
let service: Service;
const keys = keysOf({ encryption_key: Buffer.alloc(32, 7) });

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const act = (name: string, at?: Date) =>
  record(service.db, {
    project_id: 1,
    user_id: 1,
    scope: "Cohort",
    item_id: "7",
    activity: "updated",
    name,
    ...(at && { at }),
  });

/** Runs the independent script. */
async function check(text: string, ...options: string[]): Promise<{ code: number; output: string }> {
  const file = join(folder, "export.jsonl");
  writeFileSync(file, text);
  const script = new URL("../../tools/check-audit-log.mjs", import.meta.url).pathname;
  return promisify(execFile)(process.execPath, [script, file, ...options]).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

it("seals what was there before first, and then what is new, in an export that the script accepts", async () => {
  await act("before");
  await seal(service.db, keys);
  await act("after");
  await note(service.db, {
    project_id: null,
    user_id: 1,
    scope: "Session",
    item_id: "x",
    activity: "signed_in",
  });
  await seal(service.db, keys);
  const { json } = await service.api("GET", LOG);
  const of = json.results.map((e: Record<string, unknown>) => [e.scope, e.activity, e.is_from_before]);
  expect(of.slice(0, 2)).toEqual([
    ["Session", "signed_in", false],
    ["Cohort", "updated", false],
  ]);
  expect(of.at(-1)).toEqual(["AuditLog", "started", false]);
  expect(of).toContainEqual(["Cohort", "updated", true]);
  expect(await verifyAudit(service.db, keys)).toMatchObject({
    problems: [],
    unsealed: 0,
    entries: of.length,
  });
  const file = await service.api("GET", `${LOG}export/`);
  const checked = await check(file.text);
  expect(checked).toMatchObject({ code: 0 });
  expect(checked.output).toContain("Everything is as it was sealed.");
});

it("proves a single entry", async () => {
  const { json } = await service.api("GET", `${LOG}?limit=1`);
  const proof = await service.api("GET", `${LOG}${json.results[0].position}/proof/`);
  expect((await check(proof.text)).code).toBe(0);
  const forged = { ...proof.json, entry: { ...proof.json.entry, activity: "signed_out" } };
  expect((await check(JSON.stringify(forged))).output).toContain("is not what the checkpoint signs");
  expect((await service.api("GET", `${LOG}99999/proof/`)).status).toBe(404);
});

it("seals once, and misses nothing, while several processes write and seal", async () => {
  const before = (await verifyAudit(service.db, keys)).entries;
  let isWriting = true;
  const sealing = Array.from({ length: 4 }, async () => {
    while (isWriting) await seal(service.db, keys);
  });
  await Promise.all(
    Array.from({ length: 5 }, async (_, writer) => {
      for (let i = 0; i < 20; i += 1)
        await inTransaction(service.db, async (tx) => {
          await act(`${writer}-${i}-kept`);
          await record(tx, {
            project_id: 1,
            user_id: null,
            scope: "Cohort",
            item_id: "",
            activity: "updated",
            name: "slow",
          });
          // Commits after transactions that began later.
          await tx.execute(sql`select pg_sleep(${(writer % 3) * 0.003})`);
        });
    }),
  );
  isWriting = false;
  await Promise.all(sealing);
  await seal(service.db, keys);
  expect(await verifyAudit(service.db, keys)).toMatchObject({
    problems: [],
    unsealed: 0,
    entries: before + 200,
  });
});

it("goes on where a process was killed between any two steps", async () => {
  await act("killed");
  const before = (await verifyAudit(service.db, keys)).entries;
  const client = await service.database.connect();
  // One that has sealed and not committed: the database takes it back when the connection ends.
  await client.query("begin");
  await client.query("select pg_advisory_xact_lock(7294307)");
  expect(await seal(service.db, keys)).toBeNull();
  await client.end();
  await expect.poll(() => seal(service.db, keys)).not.toBeNull();
  expect(await verifyAudit(service.db, keys)).toMatchObject({ problems: [], entries: before + 1 });
});

it("seals what was written behind an open transaction at once, and that when it ends", async () => {
  const client = await service.database.connect();
  await client.query("begin");
  await client.query(
    `insert into activity_log (project_id, scope, item_id, activity, detail) values (1, 'Cohort', 'open', 'updated', '{}')`,
  );
  const { entries } = await verifyAudit(service.db, keys);
  await act("meanwhile");
  await seal(service.db, keys);
  expect(await verifyAudit(service.db, keys)).toMatchObject({
    problems: [],
    unsealed: 0,
    entries: entries + 1,
  });
  await client.query("commit");
  await client.end();
  expect(await verifyAudit(service.db, keys)).toMatchObject({ problems: [], unsealed: 1 });
  await seal(service.db, keys);
  expect(await verifyAudit(service.db, keys)).toMatchObject({
    problems: [],
    unsealed: 0,
    entries: entries + 2,
  });
});

it("erases a text from details, and stays valid", async () => {
  await act("ada@example.com wants this");
  await act("ADA@example.com again");
  const { json } = await service.api("POST", `${LOG}erase/`, { text: "ada@example.com" });
  expect(json.positions).toHaveLength(2);
  const { rows } = await service.db.execute(
    sql`select count(*)::int as count from activity_log where detail::text ilike '%ada@example.com%'`,
  );
  expect(rows).toEqual([{ count: 0 }]);
  expect(await verifyAudit(service.db, keys)).toMatchObject({ problems: [], unsealed: 0 });
  const file = await service.api("GET", `${LOG}export/`);
  expect(/ada@example/i.test(file.text)).toBe(false);
  expect(await check(file.text)).toMatchObject({ code: 0 });
  // What is left is protected, too.
  const position = json.positions[0];
  await service.db.execute(sql`update activity_log set detail = replace(detail::text, 'erased', 'Erased')::json
    where id = (select source_id from audit_entries where position = ${position})`);
  expect((await verifyAudit(service.db, keys)).problems).toMatchObject([{ kind: "record", position }]);
  await service.db.execute(sql`update activity_log set detail = replace(detail::text, 'Erased', 'erased')::json
    where id = (select source_id from audit_entries where position = ${position})`);
  expect((await verifyAudit(service.db, keys)).problems).toEqual([]);
});

it("leaves the names of fields when it erases a part of them", async () => {
  const flags = "/api/projects/1/feature_flags/";
  const filters = (share: number) => ({ groups: [{ rollout_percentage: share }] });
  const created = await service.api("POST", flags, { key: "plain", name: "old age", filters: filters(40) });
  await service.api("PATCH", `${flags}${created.json.id}/`, { name: "no age", filters: filters(60) });
  const { json } = await service.api("POST", `${LOG}erase/`, { text: "age" });
  expect(json.positions.length).toBeGreaterThan(0);
  const { rows } = await service.db.execute(
    sql`select detail::text as detail from activity_log
      where scope = 'FeatureFlag' and item_id = ${String(created.json.id)} and activity = 'updated'`,
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.detail).toContain('"rollout_percentage":60');
  expect(rows[0]?.detail).not.toMatch(/(old|no) age/);
  expect(await verifyAudit(service.db, keys)).toMatchObject({ problems: [], unsealed: 0 });
});

it("leaves the signatures of earlier erasures when they contain the text", async () => {
  await act("grace@example.com wants this");
  await service.api("POST", `${LOG}erase/`, { text: "grace@example.com" });
  const { rows } = await service.db.execute<{ signature: string }>(
    sql`select detail->>'signature' as signature from audit_notes where activity = 'details_erased'
      order by created_at desc limit 1`,
  );
  const text = rows[0]?.signature.slice(0, 12);
  expect((await service.api("POST", `${LOG}erase/`, { text })).json.positions).toEqual([]);
  expect((await verifyAudit(service.db, keys)).problems).toEqual([]);
});

it.each(["changed", "change", "Flag", "name"])(
  "still reads entries from which %j is erased",
  async (text) => {
    const flags = "/api/projects/1/feature_flags/";
    const { json: made } = await service.api("POST", flags, { key: `of-${text}`, name: `Who ${text} it` });
    await service.api("PATCH", `${flags}${made.id}/`, { name: `It is ${text}` });
    await service.api("POST", `${LOG}erase/`, { text });
    const { json } = await service.api("GET", `${flags}${made.id}/activity/`);
    expect(json.results[0].detail.changes[0]).toEqual({
      type: "FeatureFlag",
      action: "changed",
      field: "name",
      before: "Who [erased] it",
      after: "It is [erased]",
    });
  },
);

it.each([[{}], [{ text: "" }], [{ text: 5 }], [{ text: "x".repeat(501) }]])(
  "refuses to erase %j",
  async (body) => {
    expect((await service.api("POST", `${LOG}erase/`, body)).status).toBe(400);
  },
);

it("signs with a new key, and still knows the old one", async () => {
  const rotated = keysOf({
    encryption_key: Buffer.alloc(32, 7),
    audit: { signing_keys: [new Uint8Array(32).fill(1)] },
  });
  await act("rotation");
  await seal(service.db, rotated);
  expect((await verifyAudit(service.db, rotated)).problems).toEqual([]);
  // Also once the old key is gone: the log itself says who signed before.
  const [newest] = rotated;
  expect((await verifyAudit(service.db, [newest])).problems).toEqual([]);
  const file = await service.api("GET", `${LOG}export/`);
  expect(await check(file.text, "--key", newest.public_key)).toMatchObject({ code: 0 });
  // Somebody else's key vouches for nothing.
  const stranger = keysOf({ encryption_key: Buffer.alloc(32, 9) });
  expect((await verifyAudit(service.db, stranger)).problems.length).toBeGreaterThan(0);
  await act("back");
  await seal(service.db, keys);
  expect((await verifyAudit(service.db, keys)).problems).toEqual([]);
});

it("stores checkpoints of others, and refuses those that nobody signed", async () => {
  const { results } = (await service.api("GET", `${LOG}checkpoints/?limit=2`)).json;
  const [newest, older] = results;
  const send = (body: unknown) => service.api("POST", `${LOG}received_checkpoints/`, body);
  for (const each of [older, newest, newest]) expect((await send(each)).status).toBe(201);
  expect((await send({ ...newest, position: newest.position + 1 })).json).toMatchObject({
    attr: "signature",
  });
  for (const body of [{}, { ...newest, hash: "x" }, { ...newest, position: -1 }, [newest]])
    expect((await send(body)).status).toBe(400);
  const stored = async (chain: string) =>
    (await service.api("GET", `${LOG}received_checkpoints/?chain=${chain}`)).json.results;
  expect((await stored(newest.chain)).map((each: { checkpoint: unknown }) => each.checkpoint)).toEqual([
    newest,
    older,
  ]);
  expect(await stored("0")).toEqual([]);
});

it("sends checkpoints to another Switchyard, and compares with what that has", async () => {
  const other = await startService();
  const served = await listenOnLoopback(other.handle);
  try {
    const settings = { witness: { url: `${served.address}/api/projects/1`, key: other.key } };
    expect(await sendCheckpoints(service.db, settings)).toBe(true);
    const verify = async () =>
      verifyAudit(service.db, keys, { copies: await readCopies(service.db, settings) });
    expect((await verify()).problems).toEqual([]);
    await other.db.execute(sql`update audit_received set position = position + 1`);
    expect((await verify()).problems).toMatchObject([
      { kind: "copy", message: expect.stringContaining("signature is wrong") },
    ]);
    const refused = { witness: { ...settings.witness, key: "phx_nobody" } };
    await act("refused");
    await seal(service.db, keys);
    expect(await sendCheckpoints(service.db, refused)).toBe(false);
    const { rows } = await service.db.execute(sql`select problem from audit_states where name = 'witness'`);
    expect(rows).toEqual([{ problem: expect.stringContaining("it answered 401") }]);
    expect(
      (await verifyAudit(service.db, keys, { copies: await readCopies(service.db, refused) })).problems,
    ).toMatchObject([{ kind: "copy", message: expect.stringContaining("cannot be read: it answered 401") }]);
  } finally {
    await served.close();
    await other.close();
  }
});

it("shows its state, and verifies in the background", async () => {
  const asked = await service.api("POST", `${LOG}verify/`);
  expect(asked).toMatchObject({
    status: 202,
    json: { is_verifying: true, unsealed: { count: 0, lag_seconds: 0 }, public_key: keys[0].public_key },
  });
  await verifyAuditLog.run(jobContext(service.runtime, { now: new Date() }));
  const { json } = await service.api("GET", `${LOG}status/`);
  expect(json).toMatchObject({ verification: { problems: [], more: 0 }, file: null, witness: null });
  expect(json.verification.entries).toBe(json.checkpoint.position);
});

it("seals what is new by itself while a process runs", async () => {
  const sealer = startSealer(service.db, { encryption_key: Buffer.alloc(32, 7) });
  try {
    await act("by itself");
    const unsealed = async () => (await verifyAudit(service.db, keys)).unsealed;
    await expect.poll(unsealed, { timeout: 15_000 }).toBe(0);
  } finally {
    await sealer.stop();
  }
});

it("is for administrators", async () => {
  const home = (await service.api("GET", "/api/organizations/@current/")).json.id;
  const member = await addPerson(service.db, "member@home.test", { [home]: 1 });
  const { value: key } = await addKey(service.db, member.id);
  service.runtime.directory.drop();
  for (const path of ["", "status/", "export/", "checkpoints/", "1/proof/", "received_checkpoints/"])
    expect((await service.api("GET", LOG + path, undefined, { key })).status).toBe(403);
});

it("knows from the file of checkpoints that entries were removed from the end", async () => {
  const path = join(folder, "checkpoints");
  const settings = { checkpoints: path };
  expect(await sendCheckpoints(service.db, settings)).toBe(true);
  await act("last");
  await seal(service.db, keys);
  // Half a line, as a full disk leaves it.
  appendFileSync(path, '{"chain":"');
  await sendCheckpoints(service.db, settings);
  await sendCheckpoints(service.db, settings);
  const lines = readFileSync(path, "utf8").trim().split("\n");
  const { checkpoints } = await verifyAudit(service.db, keys);
  expect(lines).toHaveLength(checkpoints);
  const copies = () => readCopies(service.db, settings);
  expect((await verifyAudit(service.db, keys, { copies: await copies() })).problems).toEqual([]);
  const file = await service.api("GET", `${LOG}export/`);
  expect(await check(file.text, "--checkpoints", path)).toMatchObject({ code: 0 });
  await inTransaction(service.db, async (tx) => {
    await tx.execute(sql`delete from activity_log where id =
      (select source_id from audit_entries order by position desc limit 1)`);
    await tx.execute(
      sql`delete from audit_entries where position = (select max(position) from audit_entries)`,
    );
    await tx.execute(
      sql`delete from audit_checkpoints where position = (select max(position) from audit_checkpoints)`,
    );
  });
  expect((await verifyAudit(service.db, keys)).problems).toEqual([]);
  expect((await verifyAudit(service.db, keys, { copies: await copies() })).problems).toMatchObject([
    { kind: "copy", message: expect.stringContaining("removed from its end") },
  ]);
  const shorter = await service.api("GET", `${LOG}export/`);
  expect((await check(shorter.text, "--checkpoints", path)).output).toContain("the log ends here");
  writeFileSync(
    path,
    [...lines.slice(0, 2), lines[2]?.replace('"position":', '"position":1'), "nonsense"].join("\n"),
  );
  const damaged = await verifyAudit(service.db, keys, { copies: await copies() });
  expect(damaged.problems.map(({ message }) => message)).toEqual([
    expect.stringContaining("in line 4"),
    expect.stringContaining("signature is wrong"),
  ]);
});
