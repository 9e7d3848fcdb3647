import type { MemberContext } from "#lib/audit/context.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { requireAdmin } from "#lib/platform/http/auth.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { enqueue, readJobState } from "#lib/platform/jobs/queue.ts";
import { streamed } from "#lib/platform/streamed.ts";
import type { auditContract } from "./contract.ts";
import { eraseFromEntries } from "./erase.ts";
import { exportLines, sealedEntryOf } from "./export.ts";
import { verifyAuditLog } from "./job.ts";
import { isSignedCheckpoint, keysOf } from "./keys.ts";
import { type AuditEntry, type AuditStatus, verificationReport } from "./schema.ts";
import { seal } from "./seal.ts";
import {
  insertReceived,
  selectCheckpoints,
  selectEntriesAt,
  selectLastCheckpoint,
  selectLeaves,
  selectNames,
  selectNewestCheckpoints,
  selectPage,
  selectReadable,
  selectReceived,
  selectSealedNotes,
  selectStates,
  selectUnsealed,
} from "./store.ts";

type Of<Verb extends keyof typeof auditContract> = Input<(typeof auditContract)[Verb]>;

const requireAdministrator = (context: MemberContext) =>
  requireAdmin(context, context.project.organization_id);

const RECEIVED_MAX = 10_000;

/** The last entry of those that were there before the log began. */
async function lastFromBefore(db: Db): Promise<number> {
  const [started] = await selectSealedNotes(db, ["started"]);
  const before = (started?.detail as { entries_before?: unknown } | undefined)?.entries_before;
  return typeof before === "number" ? before + 1 : 1;
}

export async function list(context: MemberContext, { query }: Of<"list">) {
  await requireAdministrator(context);
  const { db, project } = context;
  const positions = await selectPage(db, project.id, { ...query, limit: query.limit + 1 });
  const page = positions.slice(0, query.limit);
  const entries = await selectEntriesAt(db, page);
  const names = await selectNames(db, [...new Set(entries.flatMap(({ user_id }) => user_id ?? []))]);
  const fromBefore = await lastFromBefore(db);
  return {
    results: entries.map((entry): AuditEntry => {
      const { sealed_at, hash, ...of } = entry;
      const user = entry.user_id === null ? undefined : names.get(entry.user_id);
      return {
        ...sealedEntryOf({ ...of, hash }),
        hash,
        sealed_at,
        user: user ? { first_name: user.first_name, email: user.email } : null,
        is_from_before: entry.position > 1 && entry.position <= fromBefore,
      };
    }),
    next_before: positions.length > page.length ? (page.at(-1) ?? null) : null,
  };
}

export async function status(context: MemberContext): Promise<AuditStatus> {
  await requireAdministrator(context);
  const { db, runtime } = context;
  const [last, unsealed, states, job] = await Promise.all([
    selectLastCheckpoint(db),
    selectUnsealed(db),
    selectStates(db),
    readJobState(db, verifyAuditLog.name),
  ]);
  const { checkpoints, witness } = runtime.settings.audit ?? {};
  const copyOf = (name: string, isSet: boolean) => {
    const state = states.get(name);
    if (!isSet) return null;
    return {
      position: state?.position ?? 0,
      at: state ? instant(state.at) : null,
      problem: state?.problem ?? null,
    };
  };
  const verification = states.get("verification");
  const report = verificationReport.safeParse(verification?.report).data;
  return {
    chain: last?.checkpoint.chain ?? null,
    public_key: keysOf(runtime.settings)[0].public_key,
    checkpoint: last?.checkpoint ?? null,
    unsealed,
    file: copyOf("file", checkpoints !== undefined),
    witness: copyOf("witness", witness !== undefined),
    verification: verification && report ? { ...report, at: instant(verification.at) } : null,
    is_verifying:
      job !== null && (job.state === "running" || (job.run_at !== null && job.run_at <= new Date())),
  };
}

export async function proof(context: MemberContext, { params: { position } }: Of<"proof">) {
  await requireAdministrator(context);
  const { db, project } = context;
  const [entry] = await selectEntriesAt(db, [position]);
  const [checkpoint] = await selectCheckpoints(db, { from: position, limit: 1 });
  if (!entry || !checkpoint || !(await selectReadable(db, project.id, position - 1, position)).has(position))
    throw notFound("There is no sealed entry at this position that you may read.");
  const { sealed_at: _, ...of } = entry;
  return {
    format: "switchyard-audit-proof" as const,
    version: 1 as const,
    entry: sealedEntryOf(of),
    previous: entry.previous,
    leaves: await selectLeaves(db, position, checkpoint.position),
    checkpoint,
  };
}

export async function checkpoints(context: MemberContext, { query }: Of<"checkpoints">) {
  await requireAdministrator(context);
  const found = await selectNewestCheckpoints(context.db, query.before, query.limit + 1);
  const page = found.slice(0, query.limit);
  return { results: page, next_before: found.length > page.length ? (page.at(-1)?.position ?? null) : null };
}

async function exportLog(context: MemberContext): Promise<Response> {
  await requireAdministrator(context);
  const { db, project, runtime, now } = context;
  const name = `audit-log-${project.id}-${now.toISOString().slice(0, 10)}.jsonl`;
  return streamed(exportLines(db, project.id, keysOf(runtime.settings)), {
    "content-type": "application/x-ndjson",
    "content-disposition": `attachment; filename="${name}"`,
  });
}

export { exportLog as export };

export async function verify(context: MemberContext): Promise<AuditStatus> {
  await requireAdministrator(context);
  const { db, runtime } = context;
  await seal(db, keysOf(runtime.settings));
  await enqueue(db, verifyAuditLog, "", {});
  return status(context);
}

export async function erase(context: MemberContext, { body }: Of<"erase">) {
  await requireAdministrator(context);
  const { db, runtime, project, user } = context;
  const positions = await inTransaction(db, (tx) =>
    eraseFromEntries(tx, keysOf(runtime.settings), {
      project_id: project.id,
      user_id: user.id,
      text: body.text,
    }),
  );
  return { positions };
}

export async function receive(context: MemberContext, { body }: Of<"receive">) {
  await requireAdministrator(context);
  if (!isSignedCheckpoint(body)) throw invalid("The signature is not that of the public key.", "signature");
  await insertReceived(context.db, context.project.id, body);
  return body;
}

export async function received(context: MemberContext, { query }: Of<"received">) {
  await requireAdministrator(context);
  const rows = await selectReceived(context.db, context.project.id, { ...query, limit: RECEIVED_MAX });
  return {
    results: rows.map(({ received_at, ...checkpoint }) => ({
      checkpoint,
      received_at: instant(received_at),
    })),
  };
}
