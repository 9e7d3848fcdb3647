import { z } from "zod";
import type { CallingContext, CallingRuntime } from "#lib/approvals/context.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { unstoredKey } from "#lib/platform/http/directory.ts";
import { ApiError, invalid } from "#lib/platform/http/errors.ts";
import { defineJob } from "#lib/platform/jobs/define.ts";
import { enqueue } from "#lib/platform/jobs/queue.ts";
import type { JobContext } from "#lib/platform/jobs/work.ts";
import { carryOut, fail } from "./apply.ts";
import type { changeRequestContract } from "./contract.ts";
import { answer, changing, isApplicable, isBlocked, note, requireRequester, shownOf } from "./requests.ts";
import { type RequestRow, selectAnyRequest, selectDueRequests, updateRequest } from "./store.ts";

const payload = z.object({ id: z.uuid() });
const HOUR_MS = 3_600_000;
const YEAR_MS = 366 * 24 * HOUR_MS;

/** Applies an approved request when its moment has come. */
export const changeRequestDue = defineJob({
  name: "change_requests.due",
  payload,
  run: (context: JobContext<z.output<typeof payload>, CallingRuntime>) => runDue(context, context.payload.id),
});

/** Applies what is due and not in line: after a restore, or when a job was given up. */
export const changeRequestSweep = defineJob({
  name: "change_requests.sweep",
  every: HOUR_MS,
  run: async (context: JobContext<unknown, CallingRuntime>) =>
    context.each(
      await selectDueRequests(context.db, context.now),
      ({ id }) => id,
      ({ id }) => runDue(context, id),
    ),
});

/** Puts an approved request in line for its moment. */
export async function putInLine(tx: Db, { id, state, apply_at }: RequestRow): Promise<void> {
  if (state === "approved" && apply_at) await enqueue(tx, changeRequestDue, id, { id }, { runAt: apply_at });
}

export async function schedule(
  context: CallingContext,
  { params, body: { apply_at } }: Input<typeof changeRequestContract.schedule>,
) {
  const { now } = context;
  if (apply_at && apply_at <= now) throw invalid("apply_at must be in the future.", "apply_at");
  if (apply_at && apply_at.getTime() > now.getTime() + YEAR_MS)
    throw invalid("apply_at must be within a year.", "apply_at");
  const row = await changing(context, params.id, async (tx, locked, reviews) => {
    requireRequester(locked, context);
    if (apply_at === null && locked.apply_at === null) throw invalid("It is not scheduled.", "apply_at");
    const waits = apply_at !== null && !isBlocked(reviews) && isApplicable(locked, reviews);
    const after = await updateRequest(tx, locked.id, {
      apply_at,
      state: waits ? "approved" : "pending",
      updated_at: now,
    });
    await putInLine(tx, after);
    await note(tx, context, after, apply_at ? "scheduled" : "unscheduled");
    return after;
  });
  if (apply_at === null) return answer(context, "unscheduled", "It is no longer scheduled.", row);
  const message =
    row.state === "approved"
      ? "The change will be applied at the scheduled time."
      : "The change will be applied at the scheduled time if it is approved by then, otherwise by its last approval.";
  return answer(context, "scheduled", message, row);
}

/** The context in which it is applied: that of who made it; null where their account is gone. */
async function contextOf(
  { runtime, db, now }: JobContext<unknown, CallingRuntime>,
  row: RequestRow,
): Promise<CallingContext | null> {
  const { projects, users } = await runtime.directory.current();
  const project = projects.get(row.project_id);
  if (!project) throw new Error(`Project ${row.project_id} of change request ${row.id} is not known yet.`);
  const user = users.get(row.created_by_id ?? 0);
  if (!user) return null;
  return {
    ...{ db, runtime, project, user, now },
    // Their scopes were checked when the request was made and when its time was chosen.
    key: unstoredKey(user.id, now),
    headers: new Headers(),
    url: new URL("http://localhost/"),
  };
}

async function runDue(job: JobContext<unknown, CallingRuntime>, id: string): Promise<void> {
  const row = await selectAnyRequest(job.db, id);
  if (row?.state !== "approved" || !row.apply_at) return;
  if (row.apply_at > job.now) return putInLine(job.db, row);
  const context = await contextOf(job, row);
  if (!context)
    return void (await updateRequest(job.db, id, {
      state: "failed",
      validation_status: "invalid",
      apply_error: "The person who made this change request no longer has an account.",
      updated_at: job.now,
    }));
  try {
    await carryOut(context, row, { kind: "approved", shown: shownOf(row) });
  } catch (error) {
    // Somebody else has just decided on it, or it is tried again.
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error;
    if (error.status !== 409) await fail(context, row, error.message);
  }
}
