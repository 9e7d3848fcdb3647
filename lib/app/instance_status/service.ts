import { requireOrganization } from "#lib/identity/accounts/access.ts";
import { config } from "#lib/platform/config.ts";
import { requireAdmin } from "#lib/platform/http/auth.ts";
import type { AccountContext } from "#lib/platform/http/context.ts";
import { instant } from "#lib/platform/http/instant.ts";
import packageFile from "#package" with { type: "json" };
import type { InstanceStatus } from "./schema.ts";
import { selectDatabase, selectJobCounts, selectLargestTables, selectLastBackup } from "./store.ts";

export async function retrieve(context: AccountContext): Promise<InstanceStatus> {
  const { db, now } = context;
  await requireAdmin(context, (await requireOrganization(context, "@current")).id);
  const started = performance.now();
  const facts = await selectDatabase(db);
  const answers_in_ms = Math.round((performance.now() - started) * 10) / 10;
  const [tables, backup, jobs] = await Promise.all([
    selectLargestTables(db),
    selectLastBackup(db),
    selectJobCounts(db),
  ]);
  return {
    version: packageFile.version,
    node_version: process.version.replace(/^v/, ""),
    started_at: instant(new Date(now.getTime() - process.uptime() * 1_000)),
    database: {
      kind: config().databaseUrl === undefined ? "embedded" : "server",
      version: facts.version.split(" ")[0] ?? facts.version,
      schema: facts.schema,
      answers_in_ms,
      bytes: facts.bytes,
      tables,
    },
    last_backup: backup && {
      created_at: instant(backup.created_at),
      file: backup.file,
      bytes: backup.bytes,
      rows: backup.rows,
    },
    jobs,
  };
}
