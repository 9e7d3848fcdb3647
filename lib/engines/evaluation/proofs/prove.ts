import { type CompileInput, compileFlags } from "#lib/engines/evaluation/compile.ts";
import type { CompiledCondition, CompiledFlag, CompiledFlags } from "#lib/engines/evaluation/compiled.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { FixedRow, Row } from "#lib/engines/evaluation/match.ts";
import { checkFilters, type FilterWarning, unreachableSets } from "#lib/engines/evaluation/values/checks.ts";
import { clausesOf, findContradictions } from "#lib/engines/evaluation/values/contradictions.ts";
import { asList, asRecord } from "#lib/engines/evaluation/values/json.ts";
import type { FlagFilters } from "#lib/engines/evaluation/values/types.ts";
import { NO } from "#lib/engines/evaluation/values/verdict.ts";
import { MOST_IDS, People, type Witness } from "./people.ts";

export type { Witness } from "./people.ts";

/** Something that is certain of a flag's filters, with a made-up person who shows it where there can be one. */
export interface Finding extends Omit<FilterWarning, "code"> {
  readonly code: FilterWarning["code"] | "unknown_cohort" | "unknown_flag" | "impossible_value" | "same_flag";
  readonly witness: Witness | null;
}

/** Whether anybody gets in through a set. */
interface SetProof {
  /** Null: neither an example nor a proof was found. */
  readonly reachable: boolean | null;
  readonly witness: Witness | null;
  /** Why there is no example, where there may be somebody. */
  readonly note: string | null;
}

export interface Proof {
  readonly findings: readonly Finding[];
  readonly sets: readonly SetProof[];
}

const NOT_FOUND = `No example was found: ${MOST_IDS.toLocaleString("en")} ids were tried with the properties that the rows lead to.`;
const UNDECIDED = "The flag is off for everyone: it depends on a flag that is missing, or on itself.";

/**
 * What is certain of one flag of a compiled set: findings, and for each set whether anybody gets in through it. Every
 * person returned was evaluated by the evaluator and taken as the finding says. The flag has to be on.
 */
export function prove(input: CompileInput, key: string, now: number): Proof | null {
  const compiled = compileFlags(input);
  const flag = compiled.by_key.get(key);
  if (!flag) return null;
  const filters = flag.definition.filters ?? {};
  const people = new People(compiled, flag, now);
  const unknown = flag.conditions.flatMap((condition) => findImpossible(condition, compiled));
  const dead = unreachableSets(filters, { now });
  for (const { set } of unknown) dead.add(set);
  for (const { rows, index } of flag.conditions) if (rows.some(neverPasses)) dead.add(index);
  const isOff = flag.settled?.value === false;
  const held = flag.holdouts.some(({ rows, threshold }) => rows.length === 0 && threshold > 1);
  const sets = flag.conditions.map((condition): SetProof => {
    if (isOff || held || dead.has(condition.index)) return { reachable: false, witness: null, note: null };
    const witness = people.who(condition);
    return { reachable: witness ? true : null, witness, note: witness ? null : NOT_FOUND };
  });
  const show = new Examples(input, flag, people, sets, now);
  const warnings = checkFilters(filters, { now });
  if (isOff) warnings.push({ code: "no_sets", set: null, row: null, message: UNDECIDED });
  const findings: Finding[] = [
    ...warnings.map((warning) => ({ ...warning, witness: show.of(warning) })),
    ...unknown.map((finding) => ({ ...finding, witness: show.nearMiss(finding.set, [finding.row]) })),
  ];
  return { findings, sets };
}

/** What cannot be read, or compares with a value that makes no sense, passes for nobody. */
const neverPasses = (row: Row): boolean =>
  (row.kind === "fixed" && row.verdict === NO) ||
  (row.kind === "property" && row.comparison.problem !== null);

type Impossible = Omit<Finding, "witness"> & { set: number; row: number };

/** Rows about a cohort or a flag that no one can satisfy. */
function findImpossible({ rows, index }: CompiledCondition, compiled: CompiledFlags): Impossible[] {
  return rows.flatMap((row, place) => {
    const found = impossible(row, compiled);
    return found ? [{ ...found, set: index, row: place }] : [];
  });
}

function impossible(row: Row, compiled: CompiledFlags): Pick<Impossible, "code" | "message"> | null {
  if (row.kind === "fixed") return unknownOf(row);
  if (row.kind !== "flag") return null;
  const { key, settled, variants, holdouts, enrollment } = compiled.flags[row.index] as CompiledFlag;
  const { expected } = row;
  if (settled) {
    const { value } = settled;
    if (typeof expected === "boolean" ? expected === (value !== false) : expected === value) return null;
    return {
      code: "impossible_value",
      message: `Never matches: flag "${key}" is ${value === false ? "off" : "on"} for everyone.`,
    };
  }
  if (typeof expected === "boolean" || enrollment || holdouts.length > 0) return null;
  if (variants.keys.some((variant) => variant === expected)) return null;
  return {
    code: "impossible_value",
    message: `Never matches: flag "${key}" has no variant "${String(expected)}".`,
  };
}

function unknownOf({ property, problem }: FixedRow): Pick<Impossible, "code" | "message"> | null {
  if (property?.type !== "cohort" && property?.type !== "flag") return null;
  const code = property.type === "cohort" ? "unknown_cohort" : "unknown_flag";
  return { code, message: `Never matches: ${problem ?? ""}` };
}

/** People who show findings. */
class Examples {
  readonly #input: CompileInput;
  readonly #flag: CompiledFlag;
  readonly #people: People;
  readonly #sets: readonly SetProof[];
  readonly #now: number;

  constructor(
    input: CompileInput,
    flag: CompiledFlag,
    people: People,
    sets: readonly SetProof[],
    now: number,
  ) {
    this.#input = input;
    this.#flag = flag;
    this.#people = people;
    this.#sets = sets;
    this.#now = now;
  }

  of(warning: FilterWarning): Witness | null {
    const condition = this.#flag.conditions[warning.set ?? 0];
    if (!condition) return null;
    switch (warning.code) {
      case "never_matches":
        return this.nearMiss(condition.index, this.#contradicting(condition.index, warning.row));
      case "invalid_value":
      case "invalid_regex":
        return warning.row === null ? null : this.nearMiss(condition.index, [warning.row]);
      case "shadowed":
        return this.#people.like(
          condition,
          ({ decided_by }) => decided_by !== null && decided_by < condition.index,
        );
      case "rollout_excludes_everyone":
        return warning.set === null
          ? this.#people.like(condition, ({ outcome }) => outcome.reason === "holdout_condition_value")
          : this.#people.like(condition, ({ decided_by }) => decided_by !== condition.index);
      case "redundant":
        return this.#unchanged(condition.index);
      case "unreachable_variant":
        return this.#sets.find(({ witness }) => witness !== null)?.witness ?? null;
      default:
        return null;
    }
  }

  /** Someone who satisfies every row of the set but one of these. */
  nearMiss(set: number, rows: readonly number[]): Witness | null {
    const condition = this.#flag.conditions[set];
    if (!condition) return null;
    for (const row of rows.toReversed()) {
      const found = this.#people.like(condition, () => true, row);
      if (found) return found;
    }
    return null;
  }

  #contradicting(set: number, last: number | null): readonly number[] {
    const group = asRecord(asList(this.#flag.definition.filters?.groups)[set]) ?? {};
    const found = findContradictions(clausesOf(asList(group.properties)), this.#now);
    return found.find(({ rows }) => rows.at(-1) === last)?.rows ?? [];
  }

  /** Someone who gets in through the set, and the same without it. */
  #unchanged(set: number): Witness | null {
    const witness = this.#sets[set]?.witness;
    if (!witness) return null;
    const { definition, key } = this.#flag;
    const groups = asList(definition.filters?.groups).filter((_, i) => i !== set);
    const without = { ...definition, filters: { ...definition.filters, groups } as FlagFilters };
    const flags = this.#input.flags.map((flag) => (flag === definition ? without : flag));
    const outcome = evaluateFlag(compileFlags({ ...this.#input, flags }), key, {
      ...witness,
      now: this.#now,
    });
    return outcome?.value === witness.value ? witness : null;
  }
}
