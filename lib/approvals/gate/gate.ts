import type { SavingContext } from "#lib/approvals/context.ts";
import { areCommitsChecked, type CommitCheck, checkingCommits } from "#lib/platform/db/commit-check.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { invalid, permissionDenied } from "#lib/platform/http/errors.ts";
import { measure } from "./impact.ts";
import { type Begin, type Checking, judge, type Pass, Unmeasured } from "./judge.ts";
import { type Asking, asksForMore, findDrift, type Judged, mergeJudged } from "./judged.ts";
import { deleteApproved, hasApproved, lockGate, saveApproved, selectTraces } from "./store.ts";
import { readWorld, type ServedCohort, statesOf, type World } from "./world.ts";

/** A policy holds the change: nothing was written. */
export class ApprovalNeeded extends Error {
  override name = "ApprovalNeeded";
  readonly judged: Judged;
  constructor(judged: Judged) {
    super("This change needs approval.");
    this.judged = judged;
  }
}

/** What was approved is not what would be done now: the approval lapses. */
export class Lapsed extends Error {
  override name = "Lapsed";
}

/** The state that says that the states of a project have been noted. */
const MARKER = "project";

/** Notes what a transaction leaves behind as approved. */
async function approve(tx: Db, projectId: number, { written }: Judged, after: World): Promise<void> {
  const states = statesOf(after);
  const names = written.map(({ resource, id }) => `${resource}/${id}`);
  const protectedNames = names.filter((name) => /^(feature_flag|cohort)\//.test(name));
  await saveApproved(
    tx,
    projectId,
    new Map(
      protectedNames.flatMap((name) => {
        const state = states.get(name);
        return state ? [[name, state] as const] : [];
      }),
    ),
  );
  await deleteApproved(
    tx,
    projectId,
    protectedNames.filter((name) => !states.has(name)),
  );
}

/** Of a change that is free, what its static cohorts have gained and lost counts with the next one. */
async function noteMoved(
  tx: Db,
  projectId: number,
  base: World,
  moved: ReadonlyMap<number, number>,
): Promise<void> {
  const states = [...moved].flatMap(([id, people]): [string, ServedCohort][] => {
    const cohort = base.cohorts.get(id);
    return cohort && cohort.moved !== people ? [[`cohort/${id}`, { ...cohort, moved: people }]] : [];
  });
  await saveApproved(tx, projectId, new Map(states));
}

/** What work is let through for, as it is stored with a plan. */
type Granted = { asking: Asking; shown: Judged | null };

async function finish(tx: Db, checking: Checking, begin: Begin, isTrial: boolean): Promise<Granted> {
  const { context, asking, pass, planned, policies } = checking;
  await lockGate(tx, context.project.id);
  const found = await judge(tx, checking, begin);
  if (pass.kind === "rehearsal") {
    if (found) planned.push(found.judged);
    const whole = mergeJudged(planned);
    if (whole && !isTrial) throw new ApprovalNeeded(whole);
    return { asking, shown: null };
  }
  if (!found) return { asking, shown: null };
  const { judged, base, after, moved } = found;
  const projectId = context.project.id;
  const isGoverned = policies.length > 0;
  switch (pass.kind) {
    case "policies":
      if (judged.requirement) throw new ApprovalNeeded(judged);
      await noteMoved(tx, projectId, base, moved);
      return { asking, shown: null };
    case "approved": {
      if (judged.requirement?.forbidden) throw permissionDenied(judged.requirement.forbidden);
      const drift = findDrift(pass.shown, judged, pass.edited === "allowed");
      if (drift) throw new Lapsed(drift);
      if (asksForMore(judged, pass.shown))
        throw new Lapsed("Policies ask for other approvals now than when it was requested.");
      if (isGoverned) await approve(tx, projectId, judged, after);
      return { asking, shown: pass.shown };
    }
    case "bypass":
      if (isGoverned) await approve(tx, projectId, judged, after);
      return { asking, shown: judged };
  }
}

const checkOf =
  (checking: Checking): CommitCheck =>
  async (tx) => {
    const { context, policies } = checking;
    const { project, now } = context;
    const traces = await selectTraces(tx, project.id, now);
    const isGoverned = policies.length > 0;
    // Under policies a change is compared with what was approved: what is stored matters for the first one alone.
    const isNoted = isGoverned && (await hasApproved(tx, project.id, MARKER));
    const world = isNoted ? null : await readWorld(tx, context);
    if (isGoverned && world) await saveApproved(tx, project.id, statesOf(world).set(MARKER, {}));
    return (isTrial) => finish(tx, checking, { traces, world }, isTrial);
  };

async function attempt<T>(checking: Checking, work: () => Promise<T>): Promise<T> {
  for (checking.tries = 1; ; checking.tries += 1) {
    checking.planned.length = 0;
    try {
      return await checkingCommits(checkOf(checking), work);
    } catch (error) {
      if (!(error instanceof Unmeasured)) throw error;
      checking.counted.set(error.digest, await measure(checking.context, error.measured));
    }
  }
}

/**
 * Runs work of which nothing is committed that the project's policies hold, or that goes beyond what was approved.
 * The work may run several times: what it would do is counted between two attempts, so that locks are not held for as
 * long as that takes.
 *
 * @throws ApprovalNeeded where a policy holds it, and always of a rehearsal that changes anything
 * @throws Lapsed where what was approved has become something else
 */
export async function throughGate<T>(
  context: SavingContext,
  { asking, pass }: { asking: Asking; pass: Pass },
  work: () => Promise<T>,
): Promise<T> {
  const policies = (await context.runtime.policies.project(context.project.id)).filter(
    ({ enabled }) => enabled,
  );
  if (policies.length === 0 && pass.kind === "policies") return work();
  const checking: Checking = { context, asking, pass, policies, planned: [], tries: 0, counted: new Map() };
  try {
    return await attempt(checking, work);
  } catch (error) {
    // The first part that a policy holds may not be all: what is requested is the whole.
    if (!(error instanceof ApprovalNeeded) || pass.kind !== "policies") throw error;
    return attempt({ ...checking, pass: { kind: "rehearsal" } }, work);
  }
}

/** Runs what was planned earlier; see `asGranted` of the runtime of flags. */
export async function asGranted<T>(
  context: SavingContext,
  granted: unknown,
  work: () => Promise<T>,
): Promise<T> {
  const { runtime, project, user } = context;
  const { asking, shown } = (granted ?? {
    asking: { actor: "person", level: await runtime.directory.level(project.organization_id, user.id) },
    shown: null,
  }) as Granted;
  // A request is on its way through the gate already, which answers with a change request.
  if (!shown && areCommitsChecked()) return work();
  try {
    const pass: Pass = shown ? { kind: "approved", shown, edited: "allowed" } : { kind: "policies" };
    return await throughGate(context, { asking, pass }, work);
  } catch (error) {
    if (error instanceof Lapsed)
      throw invalid(`Its approval has lapsed. ${error.message} Nothing was changed.`);
    if (error instanceof ApprovalNeeded)
      throw permissionDenied("A policy asks for approval of what it would do now. Nothing was changed.");
    throw error;
  }
}
