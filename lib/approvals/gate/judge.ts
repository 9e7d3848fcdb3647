import { createHash } from "node:crypto";
import { type Consequence, requirementsOf } from "#lib/approvals/approval_policies/requirements.ts";
import type { PolicyRow } from "#lib/approvals/approval_policies/store.ts";
import type { SavingContext } from "#lib/approvals/context.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { type Impact, type Measured, measure } from "./impact.ts";
import type { Asking, Judged } from "./judged.ts";
import {
  selectApproved,
  selectMembers,
  selectOwnEntries,
  selectTraces,
  type Trace,
  writtenBetween,
} from "./store.ts";
import { neededBy, readWorld, rolloutsOf, statesOf, type World, worldOf } from "./world.ts";

/** The change has to be counted before it can be judged: outside of its transaction, which holds locks. */
export class Unmeasured extends Error {
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

/** After so many attempts people are counted within the transaction: something in it differs each time. */
const TRIES_MAX = 4;

/** The gate, as far as one piece of work goes through it. */
export type Checking = {
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

/** A project as a transaction found it; `world` is null where what was approved is compared with instead. */
export type Begin = { traces: Map<string, Trace>; world: World | null };

const digestOf = (...parts: unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

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

/** Counts of an earlier attempt, in which new flags had other ids. */
function withOwnIds(flags: Impact["flags"], { before, after }: Pick<Measured, "before" | "after">) {
  const byKey = new Map([...after.flags].map(([id, { key }]) => [key, id]));
  return flags.map((flag) =>
    before.flags.has(flag.id) || after.flags.has(flag.id)
      ? flag
      : { ...flag, id: byKey.get(flag.key) ?? flag.id },
  );
}

/** What a transaction has written, and what that does; null where it is nothing that policies protect. */
export async function judge(
  tx: Db,
  checking: Checking,
  begin: Begin,
): Promise<{ judged: Judged; base: World; after: World; moved: Map<number, number> } | null> {
  const { context, asking, policies, counted } = checking;
  const { project, now, user } = context;
  const end = await selectTraces(tx, project.id, now);
  const served = writtenBetween(begin.traces, end, "served");
  const names = checking.pass.kind === "policies" ? served : writtenBetween(begin.traces, end, "fingerprint");
  if (names.length === 0) return null;
  const approved = policies.length > 0 ? await selectApproved(tx, project.id) : null;
  const before = approved ? worldOf(approved) : begin.world;
  if (!before) throw new Error("There is nothing to compare the change with.");
  const after = await readWorld(tx, context);
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
  const found = counted.get(digest) ?? (isLast ? await measure(context, measured) : null);
  if (!found) throw new Unmeasured(digest, measured);
  const counts = { ...found, flags: withOwnIds(found.flags, measured) };
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
    states: {
      before: Object.fromEntries(statesOf(neededBy(before, flags))),
      after: Object.fromEntries(statesOf(neededBy(after, flags))),
    },
    entries: await selectOwnEntries(tx, { project_id: project.id, user_id: user.id, since: now }),
  };
  return { judged, base: before, after, moved };
}
