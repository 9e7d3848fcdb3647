import type { CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import type { Json } from "#lib/engines/json.ts";
import type { SavingContext } from "#lib/flags/context.ts";
import type { Snapshot } from "#lib/flags/feature_flags/evaluation/definitions.ts";
import { type Compared, count } from "#lib/flags/feature_flags/who_changes/counting.ts";
import { countPersons } from "#lib/people/persons/scan.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { inTurn } from "#lib/platform/turns.ts";
import { isSurveyProperty } from "#lib/surveys/surveys/targeting.ts";
import { compileWorld, reachedFrom, type ServedFlag, type World } from "./world.ts";

/** A flag whose value a change can alter. */
type FlagImpact = {
  id: number;
  key: string;
  /** Whether the flag itself is written; false: it depends on what is. */
  is_written: boolean;
  /** What is counted; null: people. */
  group_type_index: number | null;
  /** How many get something else than what was last approved, ... */
  changed: number;
  /** ... of how many. */
  total: number;
  cells: { before: boolean | string | null; after: boolean | string | null; count: number }[];
};

/** What a change does, counted on everybody, against what was last approved. */
export type Impact = {
  /** Those of the flag with the largest share. */
  changed: number;
  total: number;
  flags: FlagImpact[];
  running_experiments: string[];
  running_surveys: string[];
  /** Properties that a flag reads now and did not when it was last approved. */
  new_properties: string[];
  as_of: string;
};

/** What is to be counted. */
export type Measured = {
  before: World;
  after: World;
  /** Records that are written, by `resource/id`. */
  written: ReadonlySet<string>;
  /** People added to or removed from static cohorts since they were last approved. */
  moved: ReadonlyMap<number, number>;
  /** Whether a survey is launched or stopped that no flag decides: it concerns everybody. */
  everybody: boolean;
};

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);

const unitOf = (filters: Json): number | null =>
  typeof filters.aggregation_group_type_index === "number" ? filters.aggregation_group_type_index : null;

/** A flag before and after a change; null where there is none. */
export type Pair = { id: number; before: ServedFlag | null; after: ServedFlag | null };

export const comparedOf = ({ before, after }: Pair): Compared => ({
  key: (after ?? before)?.key ?? "",
  stored: before && { key: before.key },
  group_type_index: unitOf((after ?? before)?.filters ?? {}),
  unit_changed: false,
});

/** Whether a change of a flag concerns everybody who is counted, whatever their value. */
export const concernsAll = ({ before, after }: Pair): boolean =>
  before !== null &&
  after !== null &&
  (unitOf(before.filters) !== unitOf(after.filters) ||
    before.evaluation_runtime !== after.evaluation_runtime);

/** The values whose payload has changed. */
export function changedPayloads({ before, after }: Pair): Set<string> {
  const [old, present] = [before?.payloads ?? {}, after?.payloads ?? {}];
  const values = new Set([...Object.keys(old), ...Object.keys(present)]);
  return new Set([...values].filter((value) => before && after && old[value] !== present[value]));
}

/** How many people are pinned to another value than before, or no longer; a pin that has expired is none. */
function countPinChanges({ before, after }: Pair, now: Date): number {
  const pinsIn = (flag: ServedFlag | null) =>
    new Map(
      Object.entries(flag?.pins ?? {}).flatMap(([whom, { value, until }]) =>
        until === null || Date.parse(until) > now.getTime() ? [[whom, value] as const] : [],
      ),
    );
  const [was, is] = [pinsIn(before), pinsIn(after)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((whom) => was.get(whom) !== is.get(whom)).length;
}

/** The flags of which a change can alter the value. */
function pairsOf({ before, after, written }: Measured): Pair[] {
  const ids = new Set([...reachedFrom(before, written), ...reachedFrom(after, written)]);
  for (const name of written) {
    const [resource, id] = name.split("/");
    if (resource === "feature_flag") ids.add(Number(id));
  }
  return [...ids]
    .map((id) => ({ id, before: before.flags.get(id) ?? null, after: after.flags.get(id) ?? null }))
    .filter((pair) => pair.before || pair.after);
}

const shareOf = ({ changed, total }: { changed: number; total: number }): number =>
  total === 0 ? 0 : changed / total;

/** A flag that is on: one that is off gives everybody the same as one that is not there. */
const whileOn = (flag: ServedFlag | null): ServedFlag | null => (flag?.active ? flag : null);

/** Whether what is written leaves everybody what they were last approved to get: an edit of names, say. */
function isIdle({ before, after, written, moved }: Measured, pairs: readonly Pair[]): boolean {
  const cohorts = [...written]
    .filter((name) => name.startsWith("cohort/"))
    .map((name) => Number(name.slice(7)));
  const stateIn = (world: World, side: "before" | "after") =>
    canonical([
      pairs.map((pair) => whileOn(pair[side])),
      cohorts.map((id) => world.cohorts.get(id)?.filters),
    ]);
  return moved.size === 0 && stateIn(before, "before") === stateIn(after, "after");
}

type Counts = { changed: number; total: number; cells: FlagImpact["cells"] };

/** Counts some flags on everybody, in the order in which they are given. */
async function countAll(
  context: SavingContext,
  pairs: readonly Pair[],
  [before, after]: readonly [CompiledFlags, CompiledFlags],
  group_types: Snapshot["group_types"],
): Promise<Counts[]> {
  const compared = {
    snapshot: { group_types },
    changes: pairs.map(comparedOf),
    before,
    after,
    dependents: [],
  };
  return inTurn(context.runtime.counting(context.project.id), async () => {
    let answer = (): { counts: Counts[] } => ({ counts: [] });
    for await (const progress of count(context, compared, { after: null, isWhole: true }))
      answer = progress.answer;
    return answer().counts;
  });
}

/** Counts whom a change concerns. */
export async function measure(
  context: SavingContext,
  measured: Measured,
): Promise<Pick<Impact, "changed" | "total" | "flags" | "new_properties" | "as_of">> {
  const { db, runtime, project } = context;
  const { group_types } = await runtime.definitions.project(project.id);
  const { before, after } = measured;
  const compiled = [compileWorld(before, group_types), compileWorld(after, group_types)] as const;
  const pairs = pairsOf(measured);
  const counts = isIdle(measured, pairs) ? [] : await countAll(context, pairs, compiled, group_types);
  const flags = pairs.map((pair, place): FlagImpact => {
    const { total, changed, cells } = counts[place] ?? { total: 0, changed: 0, cells: [] };
    const payloads = changedPayloads(pair);
    const kept = cells.filter((cell) => cell.before === cell.after && payloads.has(String(cell.after)));
    const moved = [...measured.moved].filter(([cohort]) =>
      reachedFrom(after, new Set([`cohort/${cohort}`])).has(pair.id),
    );
    const more =
      sum(kept.map((cell) => cell.count)) +
      sum(moved.map(([, people]) => people)) +
      countPinChanges(pair, context.now);
    return {
      id: pair.id,
      key: (pair.after ?? pair.before)?.key ?? "",
      is_written: measured.written.has(`feature_flag/${pair.id}`),
      group_type_index: comparedOf(pair).group_type_index,
      changed: concernsAll(pair) ? total : Math.min(total, changed + more),
      total,
      cells,
    };
  });
  const everybody = measured.everybody ? await countPersons(db, project.id) : 0;
  const [largest] = [{ changed: everybody, total: everybody }, ...flags].sort(
    (a, b) => shareOf(b) - shareOf(a),
  );
  const reads = (flags: CompiledFlags, key = "") => flags.by_key.get(key)?.needs.person_properties ?? [];
  return {
    changed: largest?.changed ?? 0,
    total: largest?.total ?? 0,
    flags,
    new_properties: [
      ...new Set(
        pairs.flatMap((pair) => {
          const known = new Set(reads(compiled[0], pair.before?.key));
          return reads(compiled[1], pair.after?.key).filter(
            (name) => !known.has(name) && !isSurveyProperty(name),
          );
        }),
      ),
    ].sort(),
    as_of: instant(context.now),
  };
}
