import type { CompiledCondition, CompiledFlag, CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import { NOBODY } from "#lib/engines/evaluation/compiled.ts";
import type { Row } from "#lib/engines/evaluation/match.ts";
import { YES } from "#lib/engines/evaluation/values/verdict.ts";
import type { Wanted } from "./candidates.ts";

/** What somebody needs: a property of theirs, or of their group of a type, that looks a certain way. */
export interface Need extends Wanted {
  /** Null for the person. */
  readonly group_type: string | null;
  readonly key: string;
}

/** Different ways, each a list of needs that together do it. No way at all: it cannot be made up. */
export type Ways = readonly (readonly Need[])[];

const MOST_WAYS = 48;
const DEEPEST = 12;
const NOTHING: Ways = [[]];

/** All of several. */
function every(parts: Iterable<Ways>): Ways {
  let ways = NOTHING;
  for (const part of parts)
    ways = ways.flatMap((way) => part.map((more) => [...way, ...more])).slice(0, MOST_WAYS);
  return ways;
}

/** Any of several. */
const some = (parts: readonly Ways[]): Ways => parts.flat().slice(0, MOST_WAYS);

/** Ways to make rows pass, or not pass, for the person or for their group of a type. */
export class RowNeeds {
  readonly #compiled: CompiledFlags;

  constructor(compiled: CompiledFlags) {
    this.#compiled = compiled;
  }

  all(rows: readonly Row[], group: string | null): Ways {
    return every(rows.map((row) => this.of(row, true, group)));
  }

  of(row: Row, passes: boolean, group: string | null, depth = 0): Ways {
    const wanted = passes !== row.negated;
    if (depth > DEEPEST) return [];
    switch (row.kind) {
      case "fixed":
        return (row.verdict === YES) === wanted ? NOTHING : [];
      case "property": {
        const { comparison, key, property } = row;
        const operator =
          typeof property?.operator === "string" && property.operator ? property.operator : "exact";
        const group_type = row.group_type ?? group;
        return [[{ group_type, key, operator, value: property?.value, comparison, passes: wanted }]];
      }
      case "cohort":
        // Nobody who is made up is on a list.
        if (row.cohort.root === null) return wanted ? [] : NOTHING;
        return this.of(row.cohort.root, wanted, group, depth + 1);
      case "tree": {
        if (row.rows.length === 0) return wanted ? NOTHING : [];
        const members = row.rows.map((member) => this.of(member, wanted, group, depth + 1));
        return row.every === wanted ? every(members) : some(members);
      }
      case "flag":
        return this.#flag(this.#compiled.flags[row.index] as CompiledFlag, row.expected, wanted, depth + 1);
    }
  }

  /** A flag is on through one of its sets, and off if none of them lets in. Its rollouts are left to the choice of an id. */
  #flag(flag: CompiledFlag, expected: unknown, wanted: boolean, depth: number): Ways {
    if (flag.settled) {
      const { value } = flag.settled;
      const has = typeof expected === "boolean" ? expected === (value !== false) : expected === value;
      return has === wanted ? NOTHING : [];
    }
    const on = typeof expected === "boolean" ? expected === wanted : wanted;
    const rows = ({ rows }: CompiledCondition) => rows;
    const ofRow = (condition: CompiledCondition, passes: boolean) =>
      rows(condition).map((row) => this.of(row, passes, groupOf(flag, condition), depth));
    if (on) {
      const serving = flag.conditions.filter(
        ({ threshold, override }) =>
          threshold !== NOBODY &&
          (typeof expected !== "string" || override === -1 || flag.variants.keys[override] === expected),
      );
      return some(serving.map((condition) => every(ofRow(condition, true))));
    }
    return some([NOTHING, every(flag.conditions.map((condition) => some(ofRow(condition, false))))]);
  }
}

/** The type of the group that a set is about; null for the person. */
export function groupOf(flag: CompiledFlag, condition: CompiledCondition): string | null {
  if (!condition.shares_source) return condition.group_type;
  return flag.by_group ? flag.group_type : null;
}
