import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { record } from "#lib/activity/service.ts";
import { readCopies } from "#lib/audit/job.ts";
import { keysOf } from "#lib/audit/keys.ts";
import { seal } from "#lib/audit/seal.ts";
import { sendCheckpoints } from "#lib/audit/send.ts";
import { verifyAudit } from "#lib/audit/verify.ts";
import { type Service, startService } from "#testing/service.ts";
import { backup } from "./backup.ts";
import { restore } from "./restore.ts";

const folder = mkdtempSync(join(tmpdir(), "restored-"));
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

it("shows in the audit log that an older backup was restored, and what that replaced", async () => {
  const { db, database, runtime } = service;
  const settings = { checkpoints: join(folder, "checkpoints") };
  const keys = keysOf(runtime.settings);
  const change = async (name: string) => {
    await record(db, { project_id: 1, user_id: 1, scope: "Cohort", item_id: "1", activity: "updated", name });
    await seal(db, keys);
    await sendCheckpoints(db, settings);
  };
  const verify = async () => verifyAudit(db, keys, { copies: await readCopies(db, settings) });
  await change("before");
  const { entries } = await verify();
  const file = join(folder, "older.backup");
  await backup(database, file);
  await change("lost");
  await change("lost, too");
  const { encryption_key: encryptionKey } = runtime.settings;
  await restore(database, file, { encryptionKey });
  expect(await verify()).toMatchObject({ entries, unsealed: 1, notices: [] });
  await seal(db, keys);
  const restored = await verify();
  expect(restored).toMatchObject({ problems: [], unsealed: 0, entries: entries + 1 });
  expect(restored.notices).toEqual([
    expect.stringContaining(
      `up to ${entries + 2} that are no longer here: a backup was restored (entry ${entries + 1})`,
    ),
  ]);
  // It goes on from there, and so does the file.
  await change("after");
  await change("after that");
  expect(await verify()).toMatchObject({ problems: [], entries: entries + 3 });
  // A backup that is put back without the program says nothing of it.
  await database.pool.query("delete from audit_entries where position > $1", [entries]);
  await database.pool.query("delete from audit_checkpoints where position > $1", [entries]);
  expect((await verify()).problems.map(({ kind }) => kind)).toContain("copy");
});
