import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BackupPlan } from "#lib/platform/config.ts";
import { checkBackup } from "#lib/platform/db/backup-file.ts";
import type { Database, Db } from "#lib/platform/db/connect.ts";
import { defineJob, type Job } from "#lib/platform/jobs/define.ts";
import { writeBackup } from "./backup.ts";
import { openPlace } from "./backup-place.ts";
import { hasVerified, insertBackup } from "./backups-store.ts";

export const SCHEDULED_BACKUP = "instance.backup";

/** Names sort by time. */
const NAME = /^switchyard-\d{8}T\d{6}Z\.backup$/;
const nameOf = (now: Date) => `switchyard-${now.toISOString().replace(/[-:]|\.\d+/g, "")}.backup`;
/** What a file is called until it has been verified. */
const DRAFT = ".unverified";

/** Removes what a process has left that ended while it made a backup: nobody else makes one now. */
async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (name.startsWith("switchyard-") && name.includes(`.backup${DRAFT}`))
      await rm(join(folder, name), { force: true });
}

async function makeBackup(
  database: Database,
  plan: BackupPlan,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(plan.drafts, { recursive: true, mode: 0o700 });
  await removeDrafts(plan.drafts);
  const name = nameOf(now);
  const draft = join(plan.drafts, `${name}${DRAFT}`);
  try {
    const { rows } = await writeBackup(database, draft, signal);
    await checkBackup(draft, signal);
    const { size: bytes } = await stat(draft);
    const place = await openPlace(plan.place, signal);
    await place.store(draft, name);
    await insertBackup(database.db, { created_at: now, file: name, bytes, rows, verified_at: new Date() });
  } finally {
    await rm(draft, { force: true });
  }
}

async function removeOld(plan: BackupPlan, signal: AbortSignal): Promise<void> {
  const place = await openPlace(plan.place, signal);
  const names = (await place.list()).filter((name) => NAME.test(name)).sort();
  for (const name of names.slice(0, -plan.keep)) await place.remove(name);
}

/**
 * Makes a backup on a schedule, by one process of all: it is read back with its checksums before it gets its name, and
 * then the oldest ones go. One that fails is tried again until the next is due; what fails after it is stored does not
 * make another.
 */
export function scheduledBackups(database: Database, plan: BackupPlan): Job<unknown, { db: Db }> {
  return defineJob<{ db: Db }>({
    name: SCHEDULED_BACKUP,
    every: plan.everyMs,
    run: async ({ db, now, signal }) => {
      const due = new Date(Math.floor(now.getTime() / plan.everyMs) * plan.everyMs);
      if (!(await hasVerified(db, due))) await makeBackup(database, plan, now, signal);
      await removeOld(plan, signal);
    },
  });
}
