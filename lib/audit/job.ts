import type { Runtime } from "#lib/audit/context.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { AuditSettings } from "#lib/platform/http/context.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { keysOf } from "./keys.ts";
import { receivedPage } from "./schema.ts";
import { selectChain, selectStates, writeState } from "./store.ts";
import { type Copies, readCheckpointFile, type Verification, verifyAudit } from "./verify.ts";

const DAY_MS = 86_400_000;
const PATIENCE_MS = 60_000;

/** Checkpoints of this log that another Switchyard has. @throws Error when it does not answer */
async function readWitness(
  { url, key }: NonNullable<AuditSettings["witness"]>,
  chain: string,
): Promise<Copies> {
  const response = await fetch(`${url}/audit_log/received_checkpoints/?chain=${chain}`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(PATIENCE_MS),
    redirect: "error",
  });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  const { results } = receivedPage.parse(await response.json());
  return { name: url, checkpoints: results.map(({ checkpoint }) => checkpoint), problems: [] };
}

/** What of the checkpoints is stored elsewhere; a place that cannot be read is a problem of its own. */
export async function readCopies(db: Db, { checkpoints: path, witness }: AuditSettings): Promise<Copies[]> {
  const chain = await selectChain(db);
  if (chain === null) return [];
  const unread = (name: string) => (error: unknown) => ({
    name,
    checkpoints: [],
    problems: [`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}.`],
  });
  const states = await selectStates(db);
  // Before the first checkpoint is written, there is no file; afterwards, one that is gone is a problem.
  const isWritten = (states.get("file")?.position ?? 0) > 0;
  return Promise.all([
    ...(path === undefined || !isWritten ? [] : [readCheckpointFile(path).catch(unread(path))]),
    ...(witness ? [readWitness(witness, chain).catch(unread(witness.url))] : []),
  ]);
}

/** Stores how a verification ended, for the dashboard. */
export async function storeVerification(db: Db, found: Verification): Promise<void> {
  await writeState(db, {
    name: "verification",
    at: new Date(),
    position: found.entries,
    problem: found.problems[0]?.message ?? null,
    report: found,
  });
}

/** Verifies the whole log every night, and whenever somebody asks for it. */
export const verifyAuditLog = defineJob({
  name: "audit.verify",
  every: DAY_MS,
  offset: 4 * 3_600_000,
  async run({ runtime, db, signal }: JobContext<unknown, Runtime>) {
    const { settings } = runtime;
    const copies = await readCopies(db, settings.audit ?? {});
    await storeVerification(db, await verifyAudit(db, keysOf(settings), { copies, signal }));
  },
});
