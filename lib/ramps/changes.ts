import { detailOf, type Trigger } from "#lib/activity/service.ts";
import { insertActivity } from "#lib/activity/store.ts";
import { costOf } from "#lib/engines/statistics/ramps/cost.ts";
import { decide } from "#lib/engines/statistics/ramps/decide.ts";
import { splitAt } from "#lib/engines/statistics/ramps/split.ts";
import type {
  Decision,
  Observations,
  Plan,
  RampState,
  Split,
  Verdict,
} from "#lib/engines/statistics/ramps/types.ts";
import type { Runtime, SavingContext } from "#lib/flags/context.ts";
import { readFlag } from "#lib/flags/feature_flags/filters/stored.ts";
import { changeIn } from "#lib/flags/feature_flags/service.ts";
import { type FlagWithLinks, selectFlags } from "#lib/flags/feature_flags/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { formatNumber, formatShortPercent } from "#lib/platform/format.ts";
import { notFound } from "#lib/platform/http/errors.ts";
import { countTreated, deletePeople } from "./people-store.ts";
import type { RampCost, RampReason } from "./schema.ts";
import { digestOf, withSplit } from "./split.ts";
import {
  insertRun,
  lockRamp,
  type RampRow,
  type RunRow,
  selectRun,
  selectRuns,
  updateRamp,
  updateRun,
} from "./store.ts";

const HOUR_MS = 3_600_000;

/** In whose name a ramp changes, and when; `user` null: the system, which does not change flags. */
export type Actor = Pick<SavingContext, "runtime" | "now"> & { user: SavingContext["user"] | null };

/** The flag of a ramp, and why the ramp cannot go on with it. */
export type Target = { flag: FlagWithLinks; problem: RampReason | null };

const reasonOf = (code: RampReason["code"], detail: string, guardrail: string | null = null): RampReason => ({
  code,
  detail,
  guardrail,
});

function problemOf(flag: FlagWithLinks, { written }: RampRow): RampReason | null {
  if (flag.deleted) return reasonOf("flag_deleted", "The flag was deleted.");
  if (digestOf(flag) !== written)
    return reasonOf("edited", "Somebody has changed the flag's targeting, which was left as it is.");
  return flag.active ? null : reasonOf("flag_off", "The flag was turned off.");
}

/** A flag as it is stored. */
export async function readStored(
  tx: Db,
  { settings }: Pick<Runtime, "settings">,
  { project_id, flag_id }: Pick<RampRow, "project_id" | "flag_id">,
): Promise<FlagWithLinks> {
  const [stored] = await selectFlags(tx, project_id, [flag_id]);
  if (!stored) throw notFound();
  return readFlag(stored, settings.encryption_key);
}

export async function readTarget(tx: Db, runtime: Pick<Runtime, "settings">, ramp: RampRow): Promise<Target> {
  const flag = await readStored(tx, runtime, ramp);
  return { flag, problem: problemOf(flag, ramp) };
}

/** Writes what a ramp did without changing the flag to the flag's activity log. */
async function note(
  tx: Db,
  ramp: RampRow,
  { user, now }: Actor,
  key: string,
  after: RampRow["status"],
  trigger: Trigger,
) {
  const change = {
    type: "FeatureFlag",
    action: "changed" as const,
    field: "ramp",
    before: ramp.status,
    after,
  };
  await insertActivity(tx, [
    {
      project_id: ramp.project_id,
      user_id: user?.id ?? null,
      scope: "FeatureFlag",
      item_id: String(ramp.flag_id),
      activity: "updated",
      detail: detailOf(key, [change], trigger),
      created_at: now,
    },
  ]);
}

const triggerOf = (ramp: Pick<RampRow, "id">, payload: Record<string, unknown>): Trigger => ({
  job_type: "ramp",
  job_id: String(ramp.id),
  payload,
});

/** Ends the run that is under way; that of a paused ramp has ended. */
async function endRun(tx: Db, ramp: RampRow, outcome: RunRow["outcome"], now: Date): Promise<void> {
  if (ramp.status === "running" && ramp.run > 0) await updateRun(tx, ramp, { ended_at: now, outcome });
}

type Saved = { flag_ids: number[]; written: string };

/** Gives the flag other percentages. @throws FlagMoved where it has another version than the one that was read */
async function writeSplit(
  tx: Db,
  context: SavingContext,
  flag: FlagWithLinks,
  split: Split,
  performed_rollback: boolean | null,
  trigger: Trigger,
): Promise<Saved> {
  const body = { filters: withSplit(flag.filters, split), performed_rollback };
  const { saved, also } = await changeIn(tx, context, flag.id, body, { version: flag.version, trigger });
  const written = digestOf(readFlag(saved, context.runtime.settings.encryption_key));
  return { flag_ids: [flag.id, ...also], written };
}

/** Applies a step to the flag, and begins its run. @returns the flags that have changed */
export async function applyStep(
  tx: Db,
  context: SavingContext,
  ramp: RampRow,
  flag: FlagWithLinks,
  step: number,
  action: "start" | "advance" | "resume",
): Promise<number[]> {
  const { now } = context;
  const trigger = triggerOf(ramp, { action, step, steps: ramp.plan.steps.length });
  const split = splitAt(ramp.before, ramp.plan, step);
  const rolledBack = flag.performed_rollback === null ? null : false;
  const { flag_ids, written } = await writeSplit(tx, context, flag, split, rolledBack, trigger);
  await endRun(tx, ramp, "advanced", now);
  const run = ramp.run + 1;
  await updateRamp(tx, ramp.id, { status: "running", reason: null, step, run, written, updated_at: now });
  await insertRun(tx, { ramp_id: ramp.id, run, step, started_at: now, cut_at: now });
  return flag_ids;
}

export async function pauseIn(
  tx: Db,
  actor: Actor,
  ramp: RampRow,
  key: string,
  reason: RampReason,
): Promise<void> {
  const { now } = actor;
  await endRun(tx, ramp, "paused", now);
  await updateRamp(tx, ramp.id, { status: "paused", reason, updated_at: now });
  await note(
    tx,
    ramp,
    actor,
    key,
    "paused",
    triggerOf(ramp, { action: "pause", step: ramp.step, ...reason }),
  );
}

async function computeCost(tx: Db, ramp: RampRow, now: Date): Promise<RampCost> {
  const runs = await selectRuns(tx, [ramp.id]);
  const ms = runs.reduce((sum, run) => sum + (run.ended_at ?? now).getTime() - run.started_at.getTime(), 0);
  const costs = ramp.plan.guardrails.map((guardrail) => {
    const steps = runs.flatMap(({ observed }) => observed?.guardrails[guardrail.id] ?? []);
    const { people, total, interval } = costOf(guardrail, steps);
    return [
      guardrail.id,
      { people, total, interval: [interval[0], interval[1]] as [number, number] },
    ] as const;
  });
  return {
    people: await countTreated(tx, ramp.id),
    hours: ms / HOUR_MS,
    guardrails: Object.fromEntries(costs),
  };
}

/** Ends a ramp. Of people nothing is stored any more. */
async function end(
  tx: Db,
  ramp: RampRow,
  status: "completed" | "rolled_back" | "cancelled",
  reason: RampReason | null,
  now: Date,
): Promise<void> {
  await endRun(tx, ramp, status, now);
  const cost = await computeCost(tx, ramp, now);
  await deletePeople(tx, ramp.id);
  await updateRamp(tx, ramp.id, { status, reason, cost, ended_at: now, updated_at: now });
}

/** Ends a ramp and leaves the flag as it is. */
export async function endIn(
  tx: Db,
  actor: Actor,
  ramp: RampRow,
  key: string,
  status: "completed" | "cancelled",
  reason: RampReason | null,
): Promise<void> {
  await end(tx, ramp, status, reason, actor.now);
  const action = status === "completed" ? "complete" : "cancel";
  await note(tx, ramp, actor, key, status, triggerOf(ramp, { action, step: ramp.step, ...reason }));
}

/** Ends a ramp, and gives the flag the percentages that it had before. @returns the flags that have changed */
export async function rollBackIn(
  tx: Db,
  context: SavingContext,
  ramp: RampRow,
  flag: FlagWithLinks,
  reason: RampReason,
): Promise<number[]> {
  const trigger = triggerOf(ramp, { action: "roll_back", step: ramp.step, ...reason });
  const { flag_ids, written } = await writeSplit(tx, context, flag, ramp.before, true, trigger);
  await updateRamp(tx, ramp.id, { written });
  await end(tx, ramp, "rolled_back", reason, context.now);
  return flag_ids;
}

const NOTHING_SEEN: Observations = { people: { control: 0, treatment: 0 }, guardrails: {} };

/** What was seen in a run so far. */
export const observedIn = ({ observed }: Pick<RunRow, "observed">): Observations => observed ?? NOTHING_SEEN;

/** What happens to a ramp now. */
export function decideOn(ramp: RampRow, run: RunRow, plan: Plan, now: Date): Decision {
  const { status, step } = ramp;
  const state: RampState = {
    status,
    step,
    step_started_at: run.started_at.getTime(),
    approved: run.approved,
  };
  return decide(plan, ramp.before, state, observedIn(run), now.getTime());
}

const valueWords = (value: number | null) => (value === null ? "no value" : formatNumber(value, 4));

function breachOf(ramp: RampRow, id: string, { change, control, treatment }: Verdict): RampReason {
  const guardrail = ramp.plan.guardrails.find((each) => each.id === id);
  const name = guardrail?.name || guardrail?.metric.name || id;
  const by = change === null ? "" : ` by ${formatShortPercent(Math.abs(change))}`;
  const moved = guardrail?.harm === "increase" ? "higher" : "lower";
  const margin = formatShortPercent(guardrail?.margin ?? 0);
  return reasonOf(
    "guardrail",
    `${name} was ${moved}${by} (${valueWords(treatment)} against ${valueWords(control)}), which is more than the accepted ${margin}.`,
    id,
  );
}

/** Who may change the flag in a ramp's name: `problem` says why its author must not let it go on. */
export type Saving = { context: SavingContext; problem: string | null };

type Settling = {
  actor: Actor;
  /** Asked only where the flag has to be changed. */
  saving: () => Promise<Saving>;
  /** Whether the step ends whatever it is held for. */
  skip_holds?: boolean;
};

const withoutHolds = (plan: Plan, step: number): Plan => ({
  ...plan,
  steps: plan.steps.map((each, i) => (i === step ? { ...each, hold: {} } : each)),
});

/**
 * Does with a running ramp what is to be done now: exactly once, because the ramp is locked and says where it is.
 *
 * @returns the flags that have changed
 * @throws FlagMoved where the flag was changed meanwhile
 */
export async function settleIn(
  tx: Db,
  id: number,
  { actor, saving, skip_holds = false }: Settling,
): Promise<number[]> {
  const ramp = await lockRamp(tx, id);
  if (ramp?.status !== "running") return [];
  const { flag, problem } = await readTarget(tx, actor.runtime, ramp);
  const pause = async (reason: RampReason) => {
    await pauseIn(tx, actor, ramp, flag.key, reason);
    return [];
  };
  if (problem?.code === "flag_deleted") {
    await endIn(tx, actor, ramp, flag.key, "cancelled", problem);
    return [];
  }
  if (problem) return pause(problem);
  const plan = skip_holds ? withoutHolds(ramp.plan, ramp.step) : ramp.plan;
  const decision = decideOn(ramp, await selectRun(tx, ramp), plan, actor.now);
  switch (decision.action) {
    case "hold":
      return [];
    case "pause":
      return pause(breachOf(ramp, decision.guardrail, decision.verdict));
    case "roll_back": {
      const { context } = await saving();
      return rollBackIn(tx, context, ramp, flag, breachOf(ramp, decision.guardrail, decision.verdict));
    }
    case "complete":
      await endIn(tx, actor, ramp, flag.key, "completed", null);
      return [];
    case "advance": {
      const { context, problem: refusal } = await saving();
      if (refusal !== null) return pause(reasonOf("author", refusal));
      return applyStep(tx, context, ramp, flag, decision.step, "advance");
    }
  }
}

/** Why somebody has paused, rolled back or cancelled a ramp: "Paused by ada@example.com." */
export const byPerson = ({ user }: Pick<SavingContext, "user">, did: string): RampReason =>
  reasonOf("person", `${did} by ${user.email}.`);

/** Why a change of the flag that is always refused pauses a ramp. */
export const refused = (detail: string): RampReason => reasonOf("refused", detail);
