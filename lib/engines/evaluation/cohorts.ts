import { asList, asRecord, textOf } from "#lib/engines/evaluation/values/json.ts";
import type { CohortDefinition, Mode, Property } from "#lib/engines/evaluation/values/types.ts";
import { NO, SERVER } from "#lib/engines/evaluation/values/verdict.ts";
import type { CohortLibrary, RowEnvironment } from "./environment.ts";
import type { CompiledCohort, Row } from "./match.ts";
import { addNeeds, emptyNeeds, type NeedsBuilder } from "./needs.ts";
import { compileRow, fixedRow } from "./rows.ts";

// Nested further than any cohort built by hand; what is deeper is taken for a mistake and never matches.
const DEEPEST = 40;

interface Compiled {
  readonly cohort: CompiledCohort;
  readonly needs: NeedsBuilder;
  /** Flags the cohort's rows ask for, by index; -1 for one that is not there. */
  readonly flags: Set<number>;
}

/**
 * A library over the given cohorts. A cohort that contains itself, or is not given, never matches in
 * complete mode (neither "in" nor "not in") and is left to the server in partial mode.
 */
export function buildCohortLibrary(cohorts: readonly CohortDefinition[], mode: Mode): CohortLibrary {
  const definitions = new Map(cohorts.map((cohort) => [textOf(cohort.id), cohort]));
  const compiled = new Map<string, Compiled>();
  const open = new Set<string>();
  const unavailable = mode === "partial" ? SERVER : NO;

  function row(id: unknown, negated: boolean, property: Property, asking: RowEnvironment): Row {
    const name = textOf(id);
    const definition = definitions.get(name);
    if (!definition) return fixedRow(unavailable, `Cohort ${name} is not known.`, property);
    if (open.has(name)) return fixedRow(unavailable, `Cohort ${name} contains itself.`, property);
    if (open.size >= DEEPEST) return fixedRow(unavailable, "Cohorts are nested too deeply.", property);
    const found = compiled.get(name) ?? compile(name, definition, asking);
    addNeeds(asking.needs, found.needs);
    for (const flag of found.flags) asking.flags.add(flag);
    return { kind: "cohort", cohort: found.cohort, negated, property };
  }

  function compile(name: string, definition: CohortDefinition, asking: RowEnvironment): Compiled {
    const needs = emptyNeeds();
    const flags = new Set<number>();
    const is_static = definition.is_static === true;
    if (is_static) needs.static_cohort_ids.add(definition.id);
    open.add(name);
    const environment: RowEnvironment = { ...asking, needs, flags, group_type: null, in_cohort: true };
    const root = is_static ? null : compileNode(definition.properties, environment, 0);
    open.delete(name);
    const entry = { cohort: { id: definition.id, index: compiled.size, is_static, root }, needs, flags };
    compiled.set(name, entry);
    return entry;
  }

  function compileNode(node: unknown, environment: RowEnvironment, depth: number): Row {
    const tree = asRecord(node);
    if (!tree || depth > DEEPEST) return fixedRow(unavailable, "The cohort cannot be read.", null);
    if (Object.keys(tree).length === 0) return emptyTree();
    const every = tree.type === "AND" || tree.type === "property";
    if ((!every && tree.type !== "OR") || !Array.isArray(tree.values)) {
      return fixedRow(unavailable, "The cohort cannot be read.", null);
    }
    const rows = asList(tree.values).map((member) => {
      const record = asRecord(member);
      const isNode =
        record &&
        (Object.keys(record).length === 0 ||
          "values" in record ||
          record.type === "AND" ||
          record.type === "OR");
      return isNode ? compileNode(member, environment, depth + 1) : compileRow(member, environment);
    });
    return { kind: "tree", every, rows, negated: false, property: null };
  }

  return { row, count: () => compiled.size };
}

/** A tree without members takes everyone. */
function emptyTree(): Row {
  return { kind: "tree", every: true, rows: [], negated: false, property: null };
}
