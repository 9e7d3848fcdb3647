import { verdictsOf } from "#lib/engines/statistics/ramps/decide.ts";
import { comparisonAt } from "#lib/engines/statistics/ramps/split.ts";
import type { Unmet } from "#lib/engines/statistics/ramps/types.ts";
import { selectGroupTypes } from "#lib/experiments/results/events/events-store.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { readProposal } from "#lib/flags/feature_flags/evaluation/proposal.ts";
import { changeIn } from "#lib/flags/feature_flags/service.ts";
import { userOf } from "#lib/identity/accounts/schema.ts";
import { areCommitsChecked } from "#lib/platform/db/commit-check.ts";
import { type Db, tryOut } from "#lib/platform/db/connect.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { ApiError, invalid, notFound } from "#lib/platform/http/errors.ts";
import { instant, instantOrNull } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { DATABASE_INTEGER_MAX } from "#lib/platform/http/params.ts";
import { isAboutGroups } from "./arms.ts";
import {
  applyStep,
  byPerson,
  decideOn,
  endIn,
  observedIn,
  pauseIn,
  readStored,
  readTarget,
  rollBackIn,
  settleIn,
  type Target,
} from "./changes.ts";
import type { rampContract } from "./contract.ts";
import { readGuardrailMetric } from "./metrics.ts";
import { changing } from "./run.ts";
import type { Ramp } from "./schema.ts";
import { changesSomething, digestOf, splitBefore, withSplit } from "./split.ts";
import {
  insertRamp,
  lockRamp,
  type RampRow,
  type RunRow,
  type StoredPlan,
  selectFlagKeys,
  selectRamp,
  selectRamps,
  selectRun,
  selectRuns,
  updateRun,
} from "./store.ts";

type Of<Name extends keyof typeof rampContract> = Input<(typeof rampContract)[Name]>;
type Posted = Of<"pause">;
type Accounts = Parameters<typeof userOf>[0];

const unmetRecord = (unmet: Unmet): Ramp["waits_for"][number] =>
  unmet.hold === "hours" ? { hold: "hours", until: instant(new Date(unmet.until)) } : unmet;

/** Whether a running ramp waits for nothing but somebody's approval. */
export function waitsForApproval(ramp: RampRow, run: RunRow | undefined, now: Date): boolean {
  const unmet = waitsFor(ramp, run, now);
  return unmet.length > 0 && unmet.every(({ hold }) => hold === "approval");
}

function waitsFor(ramp: RampRow, run: RunRow | undefined, now: Date): Ramp["waits_for"] {
  if (ramp.status !== "running" || !run) return [];
  const decision = decideOn(ramp, run, ramp.plan, now);
  return decision.action === "hold" ? decision.waits_for.map(unmetRecord) : [];
}

function runRecord({ plan, before }: RampRow, run: RunRow): Ramp["runs"][number] {
  const observed = observedIn(run);
  const comparison = comparisonAt(before, plan, run.step);
  const verdicts = Object.entries(verdictsOf(plan, before, run.step, observed));
  return {
    step: run.step,
    started_at: instant(run.started_at),
    ended_at: instantOrNull(run.ended_at),
    approved: run.approved,
    outcome: run.outcome,
    comparison: comparison?.kind === "shares" ? { ...comparison, sets: [...comparison.sets] } : comparison,
    as_of: instant(run.cut_at),
    people: observed.people,
    verdicts: Object.fromEntries(
      verdicts.map(([id, verdict]) => [
        id,
        {
          ...verdict,
          interval: [verdict.interval[0], verdict.interval[1]] as [number | null, number | null],
        },
      ]),
    ),
  };
}

type Known = { runs: readonly RunRow[]; key: string; accounts: Accounts; now: Date };

const recordOf = (row: RampRow, { runs, key, accounts, now }: Known): Ramp => ({
  id: row.id,
  feature_flag: row.flag_id,
  feature_flag_key: key,
  steps: row.plan.steps,
  guardrails: row.plan.guardrails,
  alpha: row.plan.alpha,
  before: { shares: { ...row.before.shares }, variants: { ...row.before.variants } },
  status: row.status,
  reason: row.reason,
  step: row.step,
  waits_for: waitsFor(row, runs.at(-1), now),
  runs: runs.map((run) => runRecord(row, run)),
  cost: row.cost,
  created_by: userOf(accounts, row.created_by_id),
  created_at: instant(row.created_at),
  updated_at: instant(row.updated_at),
  ended_at: instantOrNull(row.ended_at),
});

async function recordsOf({ runtime, db, now }: MemberContext, rows: readonly RampRow[]): Promise<Ramp[]> {
  const runs = Map.groupBy(
    await selectRuns(
      db,
      rows.map(({ id }) => id),
    ),
    ({ ramp_id }) => ramp_id,
  );
  const keys = await selectFlagKeys(
    db,
    rows.map(({ flag_id }) => flag_id),
  );
  const accounts = await runtime.directory.current();
  return rows.map((row) =>
    recordOf(row, { runs: runs.get(row.id) ?? [], key: keys.get(row.flag_id) ?? "", accounts, now }),
  );
}

/** A ramp of the project; 404 for another project's. */
function own(context: MemberContext, row: RampRow | null): RampRow {
  if (!row || row.project_id !== context.project.id) throw notFound();
  return row;
}

async function answer(context: MemberContext, id: number): Promise<Ramp> {
  const [record] = await recordsOf(context, [own(context, await selectRamp(context.db, id))]);
  if (!record) throw notFound();
  return record;
}

export const retrieve = (context: MemberContext, { params }: Of<"retrieve">) => answer(context, params.id);

export async function list(context: MemberContext, { query }: Of<"list">) {
  const { feature_flag } = query;
  const flag_id = feature_flag === undefined ? null : Number(feature_flag);
  const isNone =
    flag_id !== null && (!/^\d{1,10}$/.test(feature_flag ?? "") || flag_id > DATABASE_INTEGER_MAX);
  const { rows, total } = isNone
    ? { rows: [], total: 0 }
    : await selectRamps(context.db, { project_id: context.project.id, flag_id }, query);
  return {
    count: total,
    ...neighbours(context.url, query, total),
    results: await recordsOf(context, rows),
  };
}

/** Throws the API's error for a step that the flag could not be saved with. */
async function checkSplit(
  context: MemberContext,
  flag: Flag,
  plan: StoredPlan,
  index: number,
): Promise<void> {
  const refuse = (detail: string) =>
    invalid(`Step ${index + 1}: ${detail}`, "steps", "invalid_input", [index]);
  const snapshot = await context.runtime.definitions.project(context.project.id);
  const filters = plan.steps
    .slice(0, index + 1)
    .reduce((reached, step) => withSplit(reached, step), flag.filters);
  try {
    await readProposal(context, snapshot, { id: flag.id, filters });
  } catch (error) {
    throw error instanceof ApiError && error.status === 400 ? refuse(error.message) : error;
  }
}

async function checkSteps(context: MemberContext, flag: Flag, plan: StoredPlan): Promise<void> {
  const { steps } = plan;
  const before = splitBefore(flag.filters, steps);
  for (const [i, step] of steps.entries()) {
    const refuse = (detail: string) => invalid(`Step ${i + 1} ${detail}`, "steps", "invalid_input", [i]);
    if (!changesSomething(step)) throw refuse("changes nothing: set shares or variants.");
    const { hours, people, approval } = step.hold;
    if (i < steps.length - 1 && !hours && !people && !approval)
      throw refuse("is not held: set hours, people or approval.");
    await checkSplit(context, flag, plan, i);
    if (people && !comparisonAt(before, plan, i))
      throw refuse("has nobody left to compare with: hold it by hours or approval instead of people.");
  }
}

/** The flag of a plan, and the plan as it is stored. @throws ApiError 400 for a plan that cannot run */
export async function readPlan(context: MemberContext, body: Of<"create">["body"]) {
  const { runtime, project, db } = context;
  const { feature_flag, alpha, steps } = body;
  const flag = (await runtime.flags.project(project.id)).byId.get(feature_flag);
  if (!flag || flag.deleted)
    throw invalid(`Invalid pk "${feature_flag}" - object does not exist.`, "feature_flag", "does_not_exist");
  const group_types = await selectGroupTypes(db, project.id);
  const guardrails = body.guardrails.map((guardrail, i) => ({
    ...guardrail,
    id: `guardrail-${i + 1}`,
    metric: readGuardrailMetric(guardrail.metric, group_types, i),
  }));
  const plan: StoredPlan = { steps, guardrails, alpha };
  if (isAboutGroups(await runtime.definitions.project(project.id), flag))
    throw invalid("Ramps compare people, and this flag is about groups.", "feature_flag");
  await checkSteps(context, flag, plan);
  return { flag, plan };
}

/** Throws the API's error for a flag that a step cannot be applied to. */
function checkOn({ deleted, active }: Pick<Flag, "deleted" | "active">): void {
  if (deleted) throw invalid("The feature flag was deleted.");
  if (!active) throw invalid("The feature flag is off. Turn it on first.");
}

/** What policies let a plan run for, to its last step. @throws what they throw where they hold it */
async function grantOf(context: MemberContext, flag: Flag, { steps }: StoredPlan): Promise<unknown> {
  if (!areCommitsChecked()) return null;
  let { filters } = flag;
  let granted: unknown = null;
  for (const step of steps) {
    filters = withSplit(filters, step);
    granted = await tryOut(context.db, (tx) => changeIn(tx, context, flag.id, { filters }));
  }
  return granted;
}

export async function create(context: MemberContext, { body }: Of<"create">) {
  const { project, now, user, runtime } = context;
  const { flag: known, plan } = await readPlan(context, body);
  const granted = await grantOf(context, known, plan);
  const of = { project_id: project.id, flag_id: known.id };
  const { id } = await changing(context, of, async (tx) => {
    const flag = await readStored(tx, runtime, of);
    checkOn(flag);
    const ramp = await insertRamp(tx, {
      ...of,
      plan,
      granted,
      before: { ...splitBefore(flag.filters, plan.steps) },
      status: "running",
      step: 0,
      run: 0,
      written: digestOf(flag),
      created_by_id: user.id,
      created_at: now,
      updated_at: now,
    });
    if (!ramp) throw invalid("The feature flag has a ramp that has not ended.", "feature_flag", "unique");
    return { flag_ids: await applyStep(tx, context, ramp, flag, 0, "start"), id: ramp.id };
  });
  return answer(context, id);
}

type Work = (tx: Db, ramp: RampRow, target: Target) => Promise<number[]>;

/** Does something with a ramp, in a transaction that has locked it. `work` returns the flags that it has changed. */
async function act(context: MemberContext, id: number, work: Work): Promise<Ramp> {
  const known = own(context, await selectRamp(context.db, id));
  await changing(context, known, async (tx) => {
    const ramp = own(context, await lockRamp(tx, id));
    if (ramp.ended_at) throw invalid("This ramp has ended.");
    return { flag_ids: await work(tx, ramp, await readTarget(tx, context.runtime, ramp)) };
  });
  return answer(context, id);
}

/** The same for going on with a plan: policies have let it run to its end. */
async function goOn(context: MemberContext, id: number, work: Work): Promise<Ramp> {
  const { granted } = own(context, await selectRamp(context.db, id));
  return context.runtime.asGranted(context, granted, () => act(context, id, work));
}

export const pause = (context: MemberContext, { params }: Posted) =>
  act(context, params.id, async (tx, ramp, { flag }) => {
    if (ramp.status === "running") await pauseIn(tx, context, ramp, flag.key, byPerson(context, "Paused"));
    return [];
  });

export const resume = (context: MemberContext, { params }: Posted) =>
  goOn(context, params.id, async (tx, ramp, { flag }) => {
    if (ramp.status === "running") return [];
    checkOn(flag);
    return applyStep(tx, context, ramp, flag, ramp.step, "resume");
  });

export const next = (context: MemberContext, { params, body }: Of<"next">) =>
  goOn(context, params.id, async (tx, ramp) => {
    if (ramp.status !== "running") throw invalid("This ramp is paused. Resume it first.");
    const { skip_holds } = body;
    const isHeld = ramp.plan.steps[ramp.step]?.hold.approval === true;
    if (!skip_holds && !isHeld)
      throw invalid("This step waits for no approval. Use skip_holds to end it now.");
    if (!(await selectRun(tx, ramp)).approved) await updateRun(tx, ramp, { approved: true });
    const saving = async () => ({ context, problem: null });
    return settleIn(tx, ramp.id, { actor: context, saving, skip_holds });
  });

export const roll_back = (context: MemberContext, { params }: Posted) =>
  act(context, params.id, async (tx, ramp, { flag }) => {
    if (flag.deleted) throw invalid("The feature flag was deleted.");
    return rollBackIn(tx, context, ramp, flag, byPerson(context, "Rolled back"));
  });

export const cancel = (context: MemberContext, { params }: Posted) =>
  act(context, params.id, async (tx, ramp, { flag }) => {
    await endIn(tx, context, ramp, flag.key, "cancelled", byPerson(context, "Cancelled"));
    return [];
  });
