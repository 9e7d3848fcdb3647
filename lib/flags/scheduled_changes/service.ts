import { sameJson } from "#lib/activity/changes.ts";
import { authorOf, record } from "#lib/activity/service.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { pinPromotion } from "#lib/flags/environments/pin-promotion.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { flagEntry, SCHEDULES_FIELD } from "#lib/flags/feature_flags/history/changes.ts";
import { changeIn, FlagMoved } from "#lib/flags/feature_flags/service.ts";
import { selectFlags } from "#lib/flags/feature_flags/store.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { type Db, inTransaction, tryOut } from "#lib/platform/db/connect.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { ApiError, invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import type { scheduledChangeContract } from "./contract.ts";
import { expect } from "./guard.ts";
import { updateOf, withoutSecrets } from "./operations.ts";
import { apply, nextRun, putInLine, recurs } from "./run.ts";
import { MODEL_NAME, type ScheduledChange, type ScheduledPayload } from "./schema.ts";
import {
  insertSchedule,
  lockSchedule,
  type ScheduledRow,
  selectSchedule,
  selectSchedules,
  updateSchedule,
} from "./store.ts";
import type { SCHEDULE_VERBS } from "./verbs.ts";
import { isPaused, type LoggedSchedule } from "./words.ts";

type Of<Name extends keyof typeof scheduledChangeContract> = Input<(typeof scheduledChangeContract)[Name]>;
type Accounts = Parameters<typeof userOf>[0];

const recordOf = (row: ScheduledRow, accounts: Accounts): ScheduledChange => ({
  id: row.id,
  team_id: row.project_id,
  record_id: String(row.flag_id),
  model_name: MODEL_NAME,
  payload: row.payload,
  scheduled_at: instant(row.scheduled_at),
  executed_at: instantOrNull(row.executed_at),
  failure_reason: row.failure_reason,
  created_at: instant(row.created_at),
  created_by: userOf(accounts, row.created_by_id),
  updated_at: instant(row.updated_at),
  is_recurring: row.is_recurring,
  recurrence_interval: row.recurrence_interval,
  cron_expression: row.cron_expression,
  last_executed_at: instantOrNull(row.last_executed_at),
  end_date: instantOrNull(row.end_date),
  timezone: row.timezone,
  guard: row.guard,
  expected_impact: row.expected_impact,
});

const answer = async ({ runtime }: MemberContext, row: ScheduledRow): Promise<ScheduledChange> =>
  recordOf(row, await runtime.directory.current());

/** The number that a text is; null where no flag can have it. */
const flagIdOf = (text: string): number | null =>
  /^\d{1,10}$/.test(text) && Number(text) <= DATABASE_INTEGER_MAX ? Number(text) : null;

export async function list(context: MemberContext, { query }: Of<"list">) {
  const { record_id, model_name } = query;
  const flag_id = record_id === undefined ? null : flagIdOf(record_id);
  const isNone =
    (record_id !== undefined && flag_id === null) || (model_name !== undefined && model_name !== MODEL_NAME);
  const { rows, total } = isNone
    ? { rows: [], total: 0 }
    : await selectSchedules(context.db, { project_id: context.project.id, flag_id }, query);
  const accounts = await context.runtime.directory.current();
  return {
    count: total,
    ...neighbours(context.url, query, total),
    results: rows.map((row) => recordOf(row, accounts)),
  };
}

/** A schedule of the project; 404 for another project's. */
function own(context: MemberContext, row: ScheduledRow | null): ScheduledRow {
  if (!row || row.project_id !== context.project.id) throw notFound();
  return row;
}

function present(row: ScheduledRow): ScheduledRow {
  if (row.deleted) throw notFound();
  return row;
}

export const retrieve = async (context: MemberContext, { params }: Of<"retrieve">) =>
  answer(context, present(own(context, await selectSchedule(context.db, params.id))));

/**
 * Throws the API's error for what a save would refuse: it is one, in a transaction that is rolled back.
 *
 * @returns what policies let it run for
 */
async function rehearse(context: MemberContext, flag: Flag, payload: ScheduledPayload): Promise<unknown> {
  const body = updateOf(payload, flag);
  try {
    return await tryOut(context.db, (tx) => changeIn(tx, context, flag.id, body));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 400) throw error;
    throw invalid(error.message, "payload", error.code, error.extra?.path);
  }
}

type Timing = Pick<
  ScheduledRow,
  "payload" | "scheduled_at" | "is_recurring" | "recurrence_interval" | "cron_expression" | "end_date"
>;

/** Throws the API's error for fields that exclude each other. */
function checkTiming(timing: Timing): void {
  if (timing.recurrence_interval !== null && timing.cron_expression !== null)
    throw invalid("Give either a recurrence_interval or a cron_expression.", "cron_expression");
  if (timing.is_recurring && !recurs(timing))
    throw invalid(
      "A recurring change needs a recurrence_interval or a cron_expression.",
      "recurrence_interval",
      "required",
    );
  if (recurs(timing) && timing.payload.operation === "promote")
    throw invalid("A promotion cannot recur: each run would make the same change.", "payload");
  if (recurs(timing) && timing.payload.operation === "add_release_condition")
    throw invalid("Adding condition sets cannot recur: each run would add them again.", "payload");
  if (timing.end_date && timing.end_date <= timing.scheduled_at)
    throw invalid("end_date must be after scheduled_at.", "end_date");
}

/** The flag that is to be changed, ready to be changed. */
async function targetOf(context: MemberContext, recordId: string): Promise<Flag> {
  const { byId } = await context.runtime.flags.project(context.project.id);
  const flag = byId.get(flagIdOf(recordId) ?? 0);
  if (flag && !flag.deleted) return flag;
  throw invalid(`Invalid pk "${recordId}" - object does not exist.`, "record_id", "does_not_exist");
}

const loggedOf = (row: ScheduledRow): LoggedSchedule => ({
  id: row.id,
  payload: row.payload,
  scheduled_at: instant(row.scheduled_at),
  is_recurring: row.is_recurring,
  recurrence_interval: row.recurrence_interval,
  cron_expression: row.cron_expression,
  end_date: instantOrNull(row.end_date),
  timezone: row.timezone,
  guard: row.guard,
});

/** Logs what was done to a schedule as an entry of its flag; what changes nothing is not logged. */
async function log(
  tx: Db,
  context: MemberContext,
  activity: keyof typeof SCHEDULE_VERBS,
  before: ScheduledRow | null,
  after: ScheduledRow | null,
): Promise<void> {
  const [was, is] = [before && loggedOf(before), after && loggedOf(after)];
  const [flag] = await selectFlags(tx, context.project.id, [(after ?? before)?.flag_id ?? 0]);
  if (!flag || sameJson(was, is)) return;
  const action = was ? (is ? "changed" : "deleted") : "created";
  const change = { type: "FeatureFlag", action, field: SCHEDULES_FIELD, before: was, after: is } as const;
  await record(tx, { ...flagEntry(authorOf(context), flag, activity), changes: [change] });
}

/** What an update does to a schedule. */
function activityOf(before: ScheduledRow, after: ScheduledRow): keyof typeof SCHEDULE_VERBS {
  if (before.deleted && !after.deleted) return "schedule_restored";
  if (isPaused(before) === isPaused(after)) return "schedule_changed";
  return isPaused(after) ? "schedule_paused" : "schedule_resumed";
}

const NO_GUARD = { expected_impact: null, seen_version: null };

/** What is stored of a payload that can be saved, and what a guard has to know. */
async function prepare(context: MemberContext, flag: Flag, sent: ScheduledPayload, guard: boolean) {
  const payload = withoutSecrets(sent, flag);
  const granted = await rehearse(context, flag, payload);
  const known = guard ? await expect(context, flag, updateOf(payload, flag)) : NO_GUARD;
  return { payload, guard, granted, ...known };
}

/** A payload as it is stored: a promotion holds what it takes over. */
async function complete(
  context: MemberContext,
  flag: Flag,
  payload: ScheduledPayload,
): Promise<ScheduledPayload> {
  if (payload.operation !== "promote") return payload;
  const { from_project, version, parts, active } = payload.value;
  const pinned = await pinPromotion(context, flag, { from_project, version, parts, active }, "payload");
  return {
    operation: "promote",
    value: { from_project, version, ...pinned, ...(active !== undefined && { active }) },
  };
}

const past = () => invalid("scheduled_at must be in the future.", "scheduled_at");

export async function create(context: MemberContext, { body }: Of<"create">) {
  const { record_id, model_name: _, payload, guard, ...timing } = body;
  if (timing.scheduled_at <= context.now) throw past();
  if (!timing.is_recurring && recurs(timing))
    throw invalid("A change that recurs needs is_recurring.", "is_recurring");
  checkTiming({ ...timing, payload });
  const flag = await targetOf(context, record_id);
  const prepared = await prepare(context, flag, await complete(context, flag, payload), guard);
  const row = await inTransaction(context.db, async (tx) => {
    const made = await insertSchedule(tx, {
      ...timing,
      ...prepared,
      first_at: timing.scheduled_at,
      project_id: context.project.id,
      flag_id: flag.id,
      timezone: context.project.timezone,
      created_by_id: context.user.id,
      created_at: context.now,
      updated_at: context.now,
    });
    await putInLine(tx, made);
    await log(tx, context, "schedule_created", null, made);
    return made;
  });
  return answer(context, row);
}

/** The schedule with changes of its timing. One that goes on leaves out the moments that have passed meanwhile. */
function retimed(row: ScheduledRow, body: Of<"partial_update">["body"], now: Date): ScheduledRow {
  const { record_id: _, model_name: __, payload: ___, ...timing } = body;
  const next: ScheduledRow = {
    ...row,
    ...timing,
    first_at: timing.scheduled_at ?? row.first_at,
    updated_at: now,
  };
  const isPaused = recurs(next) && !next.is_recurring;
  if (timing.scheduled_at ? next.scheduled_at <= now : !recurs(next) && next.scheduled_at <= now)
    throw past();
  if (next.scheduled_at > now || isPaused) return next;
  const moment = nextRun(next, now);
  if (!moment) throw invalid("It has no run left before its end_date.", "end_date");
  return { ...next, scheduled_at: moment };
}

const TIMING = ["scheduled_at", "is_recurring", "recurrence_interval", "cron_expression", "deleted"] as const;

function checkUnchanged(row: ScheduledRow, { record_id, model_name }: Of<"partial_update">["body"]): void {
  if (record_id !== undefined && record_id !== String(row.flag_id))
    throw invalid("The flag of a scheduled change cannot be changed.", "record_id");
  if (model_name !== undefined && model_name !== MODEL_NAME)
    throw invalid("The model of a scheduled change cannot be changed.", "model_name");
}

function checkUnfinished(row: ScheduledRow): void {
  if (row.executed_at) throw invalid("This scheduled change has finished and cannot be changed.");
}

/** The payload and the guard of an update, prepared as those of a new schedule. */
async function renew(context: MemberContext, row: ScheduledRow, body: Of<"partial_update">["body"]) {
  const flag = await targetOf(context, String(row.flag_id));
  const payload = body.payload
    ? await complete(context, flag, body.payload)
    : (row.payload as ScheduledPayload);
  return prepare(context, flag, payload, body.guard ?? row.guard);
}

export async function partial_update(context: MemberContext, { params, body }: Of<"partial_update">) {
  const { now } = context;
  const before = own(context, await selectSchedule(context.db, params.id));
  if (body.deleted === undefined) present(before);
  checkUnchanged(before, body);
  checkUnfinished(before);
  const isRenewed = body.payload !== undefined || (body.guard ?? before.guard) !== before.guard;
  const prepared = isRenewed ? await renew(context, before, body) : {};
  const row = await inTransaction(context.db, async (tx) => {
    const locked = own(context, await lockSchedule(tx, params.id));
    checkUnfinished(locked);
    const isRetimed = TIMING.some((field) => body[field] !== undefined);
    const next = isRetimed ? retimed(locked, body, now) : { ...locked, updated_at: now };
    const after = {
      ...next,
      ...prepared,
      end_date: body.end_date === undefined ? next.end_date : body.end_date,
    };
    checkTiming(after);
    const { id: _, ...values } = after;
    const written = await updateSchedule(tx, locked.id, values);
    await putInLine(tx, written);
    await log(tx, context, activityOf(locked, written), locked.deleted ? null : locked, written);
    return written;
  });
  return answer(context, row);
}

export async function destroy(context: MemberContext, { params }: Of<"destroy">) {
  await inTransaction(context.db, async (tx) => {
    const row = present(own(context, await lockSchedule(tx, params.id)));
    await updateSchedule(tx, row.id, { deleted: true, updated_at: context.now });
    await log(tx, context, "schedule_cancelled", row, null);
  });
  return undefined;
}

const RUN_TRIES = 10;

export async function run(context: MemberContext, { params }: Of<"run">) {
  const { granted } = present(own(context, await selectSchedule(context.db, params.id)));
  return context.runtime.asGranted(context, granted, () => runNow(context, params.id));
}

async function runNow(context: MemberContext, id: number): Promise<ScheduledChange> {
  const { runtime, project, now } = context;
  for (let tries = 1; ; tries += 1) {
    try {
      const { row, changed } = await inTransaction(context.db, async (tx) => {
        const locked = present(own(context, await lockSchedule(tx, id)));
        if (locked.executed_at && (recurs(locked) || locked.failure_reason === null))
          throw invalid("This scheduled change has finished.");
        const { ids, seen_version } = await apply(tx, context, locked);
        const done = recurs(locked) ? { last_executed_at: now } : { executed_at: now };
        const values = { ...done, seen_version, failure_reason: null, updated_at: now };
        return { row: await updateSchedule(tx, locked.id, values), changed: ids };
      });
      runtime.flags.changed(project.id, changed);
      return answer(context, row);
    } catch (error) {
      if (!(error instanceof FlagMoved) || tries >= RUN_TRIES) throw error;
    }
  }
}
