import type { CohortDefinition, Mode, Properties, Property } from "#lib/engines/evaluation/values/types.ts";
import { NO, SERVER, UNKNOWN, YES } from "#lib/engines/evaluation/values/verdict.ts";
import { compileFlags } from "./compile.ts";
import { EvaluationContext } from "./evaluate.ts";
import { matchRow } from "./match.ts";

/** The answer to a single row. */
export type RowAnswer = "match" | "no_match" | "inconclusive" | "server";

const ANSWERS = { [NO]: "no_match", [YES]: "match", [UNKNOWN]: "inconclusive", [SERVER]: "server" } as const;

/** What a single row is matched against. */
export interface RowQuestion {
  /** `complete` unless said otherwise. */
  readonly mode?: Mode;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  readonly cohorts?: readonly CohortDefinition[];
  readonly static_cohorts?: ReadonlySet<number>;
}

/**
 * Asks one person row about a set of properties, for counting people or trying out a row. For many people
 * compile the row within a flag instead: this compiles it every time.
 */
export function matchProperty(property: Property, properties: Properties, question: RowQuestion): RowAnswer {
  const compiled = compileFlags({
    flags: [{ key: "row", active: true, filters: { groups: [{ properties: [property] }] } }],
    cohorts: question.cohorts ?? [],
    mode: question.mode ?? "complete",
  });
  const context = new EvaluationContext(compiled, {
    distinct_id: "",
    person_properties: properties,
    static_cohorts: question.static_cohorts ?? null,
    now: question.now,
  });
  const row = compiled.flags[0]?.conditions[0]?.rows[0];
  return row ? ANSWERS[matchRow(row, context, context.person)] : "no_match";
}
