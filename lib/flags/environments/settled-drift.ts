import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import type { Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { findReferences } from "#lib/flags/feature_flags/transfer/references.ts";
import { SETTLED_AFTER_DAYS } from "./contract.ts";
import { createComparison, withoutShares } from "./drift.ts";
import { type Caller, type Linked, sideOf } from "./linked.ts";
import type { Part } from "./parts-schema.ts";

const DAY_MS = 86_400_000;

/** What a promotion makes the same. Whether a flag is on, its description and its tags are up to each environment. */
const PROMOTED: readonly Part[] = ["conditions", "variants", "payloads", "settings"];

/** A flag that is on, and how the one with its key in the environment before differs. */
export type Drifted = {
  flag: Flag;
  there: Flag;
  how: "differs" | "off" | "deleted";
  /** The parts that differ. */
  parts: readonly Part[];
  /** The later change of the two. */
  since: Date;
};

/** What was found is right as long as these are the same: what is in memory is replaced when it changes. */
const knownDrift = new WeakMap<Snapshot, { there: Snapshot; found: readonly Drifted[] }>();
const knownPairs = new WeakMap<Flag, { basis: readonly unknown[]; parts: readonly Part[] }>();

const refersToFlags = ({ filters }: Flag): boolean => findReferences(filters).flags.length > 0;

/** Deleted flags by the key that they had. */
function deletedFlags({ flags }: Snapshot): Map<string, Flag> {
  const deleted = [...flags.byId.values()].filter((flag) => flag.deleted && !flag.targets_survey);
  return new Map(deleted.map((flag) => [flag.key.replace(new RegExp(`:deleted:${flag.id}$`), ""), flag]));
}

/** Compares all flags of a project with those of the environment before. */
function compareAll(here: Snapshot, there: Snapshot): Drifted[] {
  const [own, other] = [sideOf(here), sideOf(there)];
  const deleted = deletedFlags(there);
  const comparison = createComparison();
  const names = [here, there].flatMap(({ cohorts, group_types }) => [cohorts, group_types]);
  const partsOf = (flag: Flag, counterpart: Flag): readonly Part[] => {
    const basis = [counterpart, ...names];
    const known = knownPairs.get(flag);
    if (known?.basis.every((each, place) => each === basis[place])) return known.parts;
    const [mine, theirs] = [
      withoutShares(comparison.portable(flag, own.references)),
      withoutShares(comparison.portable(counterpart, other.references)),
    ];
    const parts = comparison.differing(theirs, mine, PROMOTED);
    // Keys of flags may change with any flag.
    if (![flag, counterpart].some(refersToFlags)) knownPairs.set(flag, { basis, parts });
    return parts;
  };
  return [...own.byKey.values()].flatMap((flag): Drifted[] => {
    if (!flag.active) return [];
    const live = other.byKey.get(flag.key);
    const counterpart = live ?? deleted.get(flag.key);
    if (!counterpart) return [];
    const since = new Date(Math.max(flag.updated_at.getTime(), counterpart.updated_at.getTime()));
    const found = { flag, there: counterpart, parts: [], since };
    if (!live) return [{ ...found, how: "deleted" }];
    if (!live.active) return [{ ...found, how: "off" }];
    const parts = partsOf(flag, live);
    return parts.length > 0 ? [{ ...found, how: "differs", parts }] : [];
  });
}

/** The environment from which changes are promoted to a project: the one before it, if the key can read it. */
export function environmentBefore(linked: readonly Linked[], projectId: number): Linked | null {
  const place = linked.findIndex(({ project }) => project.id === projectId);
  const before = linked[place - 1];
  return before?.may_read ? before : null;
}

/**
 * Flags that people get here otherwise than in the environment before, although nobody is at work on them: percentages
 * aside, and after a week without a change of either. Compared again only when a flag, a cohort or a group type of one
 * of the two projects has changed.
 */
export async function findSettledDrift(
  { runtime, project }: Pick<Caller, "runtime" | "project">,
  before: Linked,
  now: Date,
): Promise<Drifted[]> {
  const [here, there] = await Promise.all([
    runtime.definitions.project(project.id),
    runtime.definitions.project(before.project.id),
  ]);
  const known = knownDrift.get(here);
  const found = known?.there === there ? known.found : compareAll(here, there);
  knownDrift.set(here, { there, found });
  const until = now.getTime() - SETTLED_AFTER_DAYS * DAY_MS;
  return found.filter(({ since }) => since.getTime() <= until);
}
