import { actorOf } from "#lib/approvals/actor.ts";
import type { Call, CallingContext } from "#lib/approvals/context.ts";
import { ApprovalNeeded, Lapsed, throughGate } from "#lib/approvals/gate/gate.ts";
import type { Pass } from "#lib/approvals/gate/judge.ts";
import type { Asking, Judged } from "#lib/approvals/gate/judged.ts";
import { selectTraces, writtenBetween } from "#lib/approvals/gate/store.ts";
import { isObject } from "#lib/engines/json.ts";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { requireScope } from "#lib/platform/http/auth.ts";
import { ApiError, conflict, invalid } from "#lib/platform/http/errors.ts";
import { openCalls, scopesOf } from "./calls.ts";
import { answer, changing, found, note, requireOpen, shownOf } from "./requests.ts";
import { lockRequest, type RequestInsert, type RequestRow, updateRequest } from "./store.ts";

const ERROR_MAX = 1_000;
/** A client's clock may be behind by so much when it proposes that something starts now. */
const CLOCKS_DIFFER_MS = 5 * 60_000;

export const askingOf = async (context: CallingContext) => ({
  actor: actorOf(context),
  level: await context.runtime.directory.level(context.project.organization_id, context.user.id),
});

/** Makes calls in one transaction. */
const performAll = (
  context: CallingContext,
  calls: readonly Call[],
  { each, last }: { each?: (tx: Db) => Promise<void>; last?: (tx: Db) => Promise<void> } = {},
) =>
  inTransaction(context.db, async (tx) => {
    for (const call of calls) {
      await context.runtime.perform({ ...context, db: tx }, call);
      await each?.(tx);
    }
    await last?.(tx);
  });

/**
 * Makes calls and takes them back.
 *
 * @returns what they would do together, and which records each of them would write, by `resource/id`
 * @throws ApiError as one of them is refused
 */
export async function rehearse(
  context: CallingContext,
  calls: readonly Call[],
  asking: Asking,
): Promise<{ judged: Judged; written: string[][] }> {
  const written: string[][] = [];
  const { project, now } = context;
  try {
    await throughGate(context, { asking, pass: { kind: "rehearsal" } }, async () => {
      written.length = 0;
      let traces = await selectTraces(context.db, project.id, now);
      await performAll(context, calls, {
        async each(tx) {
          const next = await selectTraces(tx, project.id, now);
          written.push(writtenBetween(traces, next, "fingerprint"));
          traces = next;
        },
      });
    });
  } catch (error) {
    if (error instanceof ApprovalNeeded) return { judged: error.judged, written };
    throw error;
  }
  throw invalid("This would change nothing.", "changes");
}

/** The calls of a request, which whoever decides on it could make as well. */
export function sealedCalls({ runtime, key }: CallingContext, row: RequestRow): Call[] {
  const calls = openCalls(row.calls, runtime.settings.encryption_key);
  if (!calls)
    throw invalid("It was made with another ENCRYPTION_KEY and cannot be applied: propose the change again.");
  for (const scope of scopesOf({ runtime }, calls)) requireScope(key, scope);
  return calls;
}

/** The context in which a request is applied: that of who made it, as far as they may still write. */
export async function requesterOf(context: CallingContext, row: RequestRow): Promise<CallingContext> {
  const { runtime, project } = context;
  const { users } = await runtime.directory.current();
  const user = users.get(row.created_by_id ?? 0);
  const level = user?.is_active ? await runtime.directory.level(project.organization_id, user.id) : 0;
  if (!user || level === 0)
    throw invalid("The person who made this change request no longer has access to this project.");
  return { ...context, user };
}

/** Ends a request of which an approval would not cover any more what it does. */
export async function lapse(context: CallingContext, id: string, reason: string) {
  const row = await changing(context, id, async (tx, before) => {
    await note(tx, context, before, "lapsed", reason);
    return updateRequest(tx, id, {
      state: "expired",
      validation_status: "stale",
      validation_errors: { detail: reason },
      validated_at: context.now,
      updated_at: context.now,
    });
  });
  return answer(context, "expired", `The request has lapsed. ${reason}`, row);
}

/** Ends a request that cannot be applied. */
export const fail = (context: CallingContext, { id }: RequestRow, reason: string): Promise<RequestRow> =>
  changing(context, id, async (tx, locked) => {
    await note(tx, context, locked, "failed", reason);
    return updateRequest(tx, id, {
      state: "failed",
      validation_status: "invalid",
      apply_error: reason.slice(0, ERROR_MAX),
      updated_at: context.now,
    });
  });

/** The request is not the one that was to be applied: somebody has revised or applied it. */
class Outdated extends Error {}

/** Nothing starts before it is approved: starts that came while the request waited become the time of applying it. */
const startingNow = (calls: readonly Call[], { created_at }: RequestRow, now: Date): Call[] =>
  calls.map((call) => {
    if (!isObject(call.body) || typeof call.body.start_date !== "string") return call;
    const start = Date.parse(call.body.start_date);
    const cameMeanwhile = start >= created_at.getTime() - CLOCKS_DIFFER_MS && start <= now.getTime();
    return cameMeanwhile ? { ...call, body: { ...call.body, start_date: now.toISOString() } } : call;
  });

/** Applies a request whole, or says why not. */
export async function carryOut(
  context: CallingContext,
  row: RequestRow,
  pass: Pass,
  values: Partial<RequestInsert> = {},
) {
  const calls = startingNow(sealedCalls(context, row), row, context.now);
  const requester = await requesterOf(context, row);
  const asking = {
    actor: row.actor,
    level: await context.runtime.directory.level(context.project.organization_id, requester.user.id),
  };
  try {
    await throughGate(requester, { asking, pass }, () =>
      performAll(requester, calls, {
        last: async (tx) => {
          const locked = await lockRequest(tx, context.project.id, row.id);
          if (!locked || locked.updated_at.getTime() !== row.updated_at.getTime()) throw new Outdated();
          requireOpen(locked, context.now);
          await updateRequest(tx, row.id, {
            ...values,
            state: "applied",
            applied_by_id: context.user.id,
            applied_at: context.now,
            result_data: { resources: shownOf(row).written },
            updated_at: context.now,
          });
          await note(
            tx,
            context,
            locked,
            values.bypass_reason ? "bypassed" : "applied",
            values.bypass_reason ?? "",
          );
        },
      }),
    );
  } catch (error) {
    if (error instanceof Outdated)
      throw conflict("This change request has been changed meanwhile: read it again.");
    const lapsed =
      error instanceof ApprovalNeeded
        ? "A policy asks for approval now."
        : error instanceof Lapsed && error.message;
    if (lapsed) return lapse(context, row.id, lapsed);
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 403 || error.status === 429)
      throw error;
    return answer(
      context,
      "failed",
      `It could not be applied: ${error.message}`,
      await fail(context, row, error.message),
    );
  }
  forgetCaches(context);
  return answer(context, "applied", "The change was applied.", await found(context, row.id));
}

/** What was read from memory while the transaction was open is read again. */
function forgetCaches({ runtime, project }: CallingContext): void {
  runtime.flags.changed(project.id);
  runtime.cohorts.changed(project.id);
  runtime.surveys.changed(project.id);
}
