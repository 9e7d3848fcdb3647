import { createHash } from "node:crypto";
import {
  type Consequence,
  type Requirement,
  requirementsOf,
} from "#lib/approvals/approval_policies/requirements.ts";
import type { PolicyRow } from "#lib/approvals/approval_policies/store.ts";
import type { SavingContext } from "#lib/approvals/context.ts";
import { type CommitCheck, checkingCommits } from "#lib/platform/db/commit-check.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { invalid, permissionDenied } from "#lib/platform/http/errors.ts";
import { type Impact, type Measured, measure } from "./impact.ts";
import {
  deleteApproved,
  lockGate,
  saveApproved,
  selectApproved,
  selectMembers,
  selectOwnEntries,
  selectTraces,
  type Trace,
} from "./store.ts";
import { readWorld, rolloutsOf, type ServedCohort, statesOf, type World, worldOf } from "./world.ts";

/** Who asks for a change. */
export type Asking = Pick<Consequence, "actor" | "level">;

/** A record that a change writes. */
export type Written = Pick<Trace, "resource" | "id" | "name">;

/** A change as it was judged: what it writes, does and needs. */
export type Judged = {
  written: Written[];
  /** Of every record that it writes, its fingerprint before; "" for a new one. */
  seen: Record<string, string>;
  impact: Impact;
  action_keys: string[];
  /** null: no policy is in force. */
  requirement: Requirement | null;
  /** Log entries that it would write. */
  entries: { scope: string; item_id: string; activity: string; detail: unknown }[];
};

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

/** The change has to be counted before it can be judged: outside of its transaction, which holds locks. */
class Unmeasured extends Error {
  readonly digest: string;
  readonly measured: Measured;
  constructor(digest: string, measured: Measured) {
    super("This change has not been counted.");
    this.digest = digest;
    this.measured = measured;
  }
}

/** How a change is let through. */
export type Pass =
  | { kind: "policies" }
  /** As a dry run: what it would do is thrown, as ApprovalNeeded. */
  | { kind: "rehearsal" }
  /** Approved for what was shown; as it was then, or whatever has been edited since. */
  | { kind: "approved"; shown: Judged; edited?: "allowed" }
  | { kind: "bypass" };

/** An approval covers what was shown, and this share of people more. */
const DRIFT_MAX = 0.01;
/** After so many attempts people are counted within the transaction: something in it differs each time. */
const TRIES_MAX = 4;
/** The state that says that the states of a project have been noted. */
const MARKER = "project";

type Checking = {
  context: SavingContext;
  asking: Asking;
  pass: Pass;
  policies: readonly PolicyRow[];
  /** What a rehearsal has tried that is going to be done later. */
  planned: Judged[];
  /** How often the work was run. */
  tries: number;
  /** Counts by the digest of what was counted. */
  counted: Map<string, Awaited<ReturnType<typeof measure>>>;
};

/** A project as a transaction found it. */
type Begin = { traces: Map<string, Trace>; world: World };

const digestOf = (...parts: unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

/** Records that differ between two states of a project: in anything, or in what policies care about. */
const writtenBetween = (
  before: Map<string, Trace>,
  after: Map<string, Trace>,
  what: "fingerprint" | "served",
): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name)?.[what] !== after.get(name)?.[what],
  );

/** How many members only one of two sets has. */
const differences = (a: ReadonlySet<number>, b: ReadonlySet<number>): number => {
  const shared = [...a].filter((id) => b.has(id)).length;
  return a.size + b.size - 2 * shared;
};

/** How many people each static cohort has gained or lost since it was approved. */
async function movedSince(
  tx: Db,
  { db }: SavingContext,
  { before, after, written }: Omit<Measured, "moved" | "everybody">,
): Promise<Map<number, number>> {
  const moved = new Map(
    [...before.cohorts].flatMap(([id, cohort]) => (cohort.moved > 0 ? [[id, cohort.moved]] : [])),
  );
  for (const [id, cohort] of after.cohorts) {
    if (!cohort.is_static || !written.has(`cohort/${id}`)) continue;
    const now = await selectMembers(tx, id);
    const known = before.cohorts.get(id);
    const until = known ? await selectMembers(db, id) : new Set<number>();
    moved.set(id, (known?.moved ?? 0) + differences(now, until));
  }
  return moved;
}

/** The actions of the public service that a change is made of. */
function actionsOf(
  begin: Begin,
  end: Map<string, Trace>,
  names: readonly string[],
  rollouts: Consequence["rollouts"],
) {
  const flags = names.filter((name) => name.startsWith("feature_flag/"));
  const turns = (on: boolean) =>
    flags.some(
      (name) => (begin.traces.get(name)?.is_running ?? false) !== on && end.get(name)?.is_running === on,
    );
  const differs = Object.keys({ ...rollouts.before, ...rollouts.after }).some(
    (path) => rollouts.before[path] !== rollouts.after[path],
  );
  return [
    ...(turns(true) ? ["feature_flag.enable"] : []),
    ...(turns(false) ? ["feature_flag.disable"] : []),
    ...(differs ? ["feature_flag.update"] : []),
  ];
}

function rolloutsIn(world: World, names: readonly string[]): Record<string, number> {
  const flags = names
    .filter((name) => name.startsWith("feature_flag/"))
    .map((name) => Number(name.split("/")[1]));
  return Object.assign(
    {},
    ...flags.map((id) =>
      Object.fromEntries(
        Object.entries(rolloutsOf(world.flags.get(id)?.filters ?? {})).map(([path, share]) => [
          `${id}.${path}`,
          share,
        ]),
      ),
    ),
  );
}

/** The running experiments and surveys that a change touches, by name. */
async function runningOn(
  tx: Db,
  context: SavingContext,
  {
    before,
    after,
    names,
    flags,
  }: {
    before: Map<string, Trace>;
    after: Map<string, Trace>;
    names: readonly string[];
    flags: number[];
  },
) {
  const users = await context.runtime.flagUsers({ ...context, db: tx }, flags);
  const named = (resource: "experiment" | "survey"): string[] => {
    const own = names.flatMap((name) => {
      const [was, is] = [before.get(name), after.get(name)];
      const trace = is ?? was;
      return trace?.resource === resource && (was?.is_running || is?.is_running) ? [trace.name] : [];
    });
    return [
      ...new Set([...own, ...users.filter(({ type }) => type === resource).map(({ name }) => name)]),
    ].sort();
  };
  return { running_experiments: named("experiment"), running_surveys: named("survey") };
}

/** What a transaction has written, and what that does; null where it is nothing that policies protect. */
async function judge(
  tx: Db,
  checking: Checking,
  begin: Begin,
): Promise<{ judged: Judged; base: World; after: World; moved: Map<number, number> } | null> {
  const { context, asking, policies, counted } = checking;
  const { project, now, runtime, user } = context;
  const end = await selectTraces(tx, project.id, now);
  const served = writtenBetween(begin.traces, end, "served");
  const names = checking.pass.kind === "policies" ? served : writtenBetween(begin.traces, end, "fingerprint");
  if (names.length === 0) return null;
  const approved = policies.length > 0 ? await selectApproved(tx, project.id) : null;
  const before = approved ? worldOf(approved) : begin.world;
  const after = await readWorld(tx, project.id, runtime.settings.encryption_key);
  const written = new Set(names);
  const moved = await movedSince(tx, context, { before, after, written });
  const everybody =
    names.some((name) => {
      const [was, is] = [begin.traces.get(name), end.get(name)];
      return (is ?? was)?.resource === "survey" && (was?.is_running ?? false) !== (is?.is_running ?? false);
    }) && !names.some((name) => name.startsWith("feature_flag/"));
  const measured: Measured = { before, after, written, moved, everybody };
  // A new record has another id each time.
  const known = names.filter((name) => begin.traces.has(name));
  const states = [...statesOf(after)].map(([name, state]) => [begin.traces.has(name) ? name : "new", state]);
  const digest = digestOf([...statesOf(before)], states, known, [...moved]);
  const isLast = checking.tries >= TRIES_MAX;
  const counts = counted.get(digest) ?? (isLast ? await measure(context, measured) : null);
  if (!counts) throw new Unmeasured(digest, measured);
  const flags = counts.flags.map(({ id }) => id);
  const running = await runningOn(tx, context, { before: begin.traces, after: end, names, flags });
  const impact: Impact = { ...counts, ...running };
  const rollouts = { before: rolloutsIn(before, names), after: rolloutsIn(after, names) };
  const resources = served.flatMap((name) => (end.get(name) ?? begin.traces.get(name))?.resource ?? []);
  const consequence: Consequence = {
    ...running,
    ...asking,
    rollouts,
    resources: [...new Set(resources)],
    action_keys: actionsOf(begin, end, names, rollouts),
    people: { changed: impact.changed, total: impact.total },
    new_properties: impact.new_properties,
    at: now,
    timezone: project.timezone,
  };
  const judged: Judged = {
    impact,
    action_keys: consequence.action_keys,
    written: names.flatMap((name) => {
      const trace = end.get(name) ?? begin.traces.get(name);
      return trace ? [{ resource: trace.resource, id: trace.id, name: trace.name }] : [];
    }),
    seen: Object.fromEntries(names.map((name) => [name, begin.traces.get(name)?.fingerprint ?? ""])),
    requirement: served.length > 0 ? requirementsOf(policies, consequence) : null,
    entries: await selectOwnEntries(tx, { project_id: project.id, user_id: user.id, since: now }),
  };
  return { judged, base: before, after, moved };
}

const shareOf = ({ changed, total }: { changed: number; total: number }): number =>
  total > 0 ? changed / total : 0;

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

/** Why what would be done now is not what was shown; null where it is. */
export function findDrift(shown: Judged, now: Judged, mayBeEdited = false): string | null {
  const edited = mayBeEdited
    ? undefined
    : now.written.find(({ resource, id }) => {
        const name = `${resource}/${id}`;
        return shown.seen[name] !== undefined && shown.seen[name] !== now.seen[name];
      });
  if (edited) return `${edited.name} has been edited since the request was made.`;
  const further = now.written.find(({ resource, id }) => {
    // A new record gets another id each time.
    return now.seen[`${resource}/${id}`] !== "" && shown.seen[`${resource}/${id}`] === undefined;
  });
  if (further) return `It would now write ${further.name} too.`;
  const shownFlags = new Map(shown.impact.flags.map((flag) => [flag.key, flag]));
  for (const flag of now.impact.flags) {
    const before = shownFlags.get(flag.key);
    if (!before) return `The flag ${flag.key} depends on it now.`;
    const [was, is] = [shareOf(before), shareOf(flag)];
    if (is - was > DRIFT_MAX)
      return `It would change the value of ${flag.key} for ${percent(is)} of people; ${percent(was)} were shown.`;
  }
  const added = (["running_experiments", "running_surveys"] as const).flatMap((kind) =>
    now.impact[kind].filter((name) => !shown.impact[kind].includes(name)),
  );
  return added.length > 0 ? `${added.join(", ")} has started meanwhile.` : null;
}

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

const strictest = (all: readonly (Requirement | null)[]): Requirement | null => {
  const asked = all.filter((each) => each !== null);
  const [first] = asked;
  if (!first) return null;
  return {
    quorum: Math.max(...asked.map(({ quorum }) => quorum)),
    forbidden: asked.find(({ forbidden }) => forbidden)?.forbidden ?? null,
    policies: [...new Map(asked.flatMap(({ policies }) => policies).map((each) => [each.id, each])).values()],
    expires_after_seconds: Math.min(...asked.map((each) => each.expires_after_seconds)),
  };
};

/** What a rehearsal has tried and would do, as one change; null for nothing. */
function mergeJudged(parts: readonly Judged[]): Judged | null {
  const [first, ...others] = parts;
  if (!first || others.length === 0) return first ?? null;
  const impacts = parts.map(({ impact }) => impact);
  const [largest = first.impact] = impacts.toSorted((a, b) => shareOf(b) - shareOf(a));
  const unique = (names: string[]) => [...new Set(names)].sort();
  const by = <T>(all: readonly T[], nameOf: (each: T) => string) => [
    ...new Map(all.map((each) => [nameOf(each), each])).values(),
  ];
  return {
    written: by(
      parts.flatMap(({ written }) => written),
      ({ resource, id }) => `${resource}/${id}`,
    ),
    seen: Object.assign({}, ...parts.map(({ seen }) => seen)),
    impact: {
      ...largest,
      flags: by(
        impacts.flatMap(({ flags }) => flags),
        ({ id }) => String(id),
      ),
      running_experiments: unique(impacts.flatMap((each) => each.running_experiments)),
      running_surveys: unique(impacts.flatMap((each) => each.running_surveys)),
      new_properties: unique(impacts.flatMap((each) => each.new_properties)),
    },
    action_keys: unique(parts.flatMap(({ action_keys }) => action_keys)),
    requirement: strictest(parts.map(({ requirement }) => requirement)),
    entries: parts.at(-1)?.entries ?? [],
  };
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
      if ((judged.requirement?.quorum ?? 0) > (pass.shown.requirement?.quorum ?? 1))
        throw new Lapsed("It needs more approvals now than when it was requested.");
      if (isGoverned) await approve(tx, projectId, judged, after);
      return { asking, shown: judged };
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
    const { project, now, runtime } = context;
    const traces = await selectTraces(tx, project.id, now);
    const world = await readWorld(tx, project.id, runtime.settings.encryption_key);
    if (policies.length > 0 && !(await selectApproved(tx, project.id)).has(MARKER))
      await saveApproved(tx, project.id, statesOf(world).set(MARKER, {}));
    return (isTrial) => finish(tx, checking, { traces, world }, isTrial);
  };

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
  for (;;) {
    checking.tries += 1;
    checking.planned.length = 0;
    try {
      return await checkingCommits(checkOf(checking), work);
    } catch (error) {
      if (!(error instanceof Unmeasured)) throw error;
      checking.counted.set(error.digest, await measure(context, error.measured));
    }
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
