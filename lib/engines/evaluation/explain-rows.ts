import { textOf } from "#lib/engines/evaluation/values/json.ts";
import type { Property } from "#lib/engines/evaluation/values/types.ts";
import { NO, YES } from "#lib/engines/evaluation/values/verdict.ts";
import type { CompiledFlags } from "./compiled.ts";
import { type MatchContext, matchRow, type Row, readProperty, type Source } from "./match.ts";

/** How one row took the subject. */
export interface RowExplanation {
  /** The row as written; null for what could not be read. */
  readonly property: Property | null;
  readonly result: "pass" | "fail" | "undecided";
  /** One sentence: what was found, or what is wrong with the row. */
  readonly why: string;
  /** The property's value, the other flag's value, or membership of the cohort; null when there is none. */
  readonly actual: unknown;
  /** The rows of a cohort; empty for other rows. */
  readonly rows: readonly RowExplanation[];
}

const LONGEST_VALUE = 80;

/** Explains one row, and the rows of the cohort it asks for. */
export function explainRow(
  row: Row,
  compiled: CompiledFlags,
  context: MatchContext,
  source: Source,
): RowExplanation {
  const verdict = matchRow(row, context, source);
  const result = verdict === YES ? "pass" : verdict === NO ? "fail" : "undecided";
  const { property } = row;
  const within = (rows: readonly Row[]) =>
    rows.map((member) => explainRow(member, compiled, context, source));
  switch (row.kind) {
    case "property": {
      const from = row.group_type === null ? source : context.group(row.group_type);
      const actual = from ? readProperty(row.key, from, row.inherited) : undefined;
      const found = actual === undefined ? `${row.key} is not set.` : `${row.key} is ${quoted(actual)}.`;
      return { property, result, why: row.comparison.problem ?? found, actual: actual ?? null, rows: [] };
    }
    case "cohort": {
      const inside = result === "undecided" ? null : (result === "pass") !== row.negated;
      const { root, id } = row.cohort;
      return {
        property,
        result,
        why: membership(inside, id),
        actual: inside,
        rows: root ? within([root]) : [],
      };
    }
    case "flag": {
      const outcome = context.dependency(row.index);
      const key = compiled.flags[row.index]?.key ?? "";
      return {
        property,
        result,
        why: `Flag "${key}" is ${quoted(outcome.value)}.`,
        actual: outcome.value,
        rows: [],
      };
    }
    case "tree":
      return {
        property,
        result,
        why: row.every ? "All of:" : "Any of:",
        actual: null,
        rows: within(row.rows),
      };
    case "fixed": {
      return { property, result, why: row.problem ?? "The row never matches.", actual: null, rows: [] };
    }
  }
}

function membership(inside: boolean | null, id: number): string {
  if (inside === null) return `Cohort ${id} cannot be decided here.`;
  return `${inside ? "In" : "Not in"} cohort ${id}.`;
}

function quoted(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : textOf(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
