import { findContradictions } from "./contradictions.ts";
import { asIndex, asList, asRecord, asText, percentOf } from "./json.ts";
import { compileComparison } from "./operators.ts";
import type { FlagFilters } from "./types.ts";

/** Something a flag's author probably did not mean. */
export interface FilterWarning {
  readonly code:
    | "no_sets"
    | "never_matches"
    | "shadowed"
    | "rollout_excludes_everyone"
    | "invalid_value"
    | "invalid_regex"
    | "variants_sum"
    | "duplicate_variant"
    | "unknown_variant";
  /** The release condition concerned, counting from 0; null for the flag as a whole. */
  readonly set: number | null;
  /** The row within the condition, counting from 0; null for the condition as a whole. */
  readonly row: number | null;
  readonly message: string;
}

/** What the checks need besides the filters. */
export interface CheckContext {
  /** The present in milliseconds since 1970 UTC, for relative dates. */
  readonly now: number;
}

type Group = Readonly<Record<string, unknown>>;

/**
 * Looks a flag's filters over for what cannot work or has no effect. Takes half-written filters, as an
 * editor has them; does not repeat the rules that the API enforces on saving.
 */
export function checkFilters(filters: FlagFilters, context: CheckContext): FilterWarning[] {
  const root = asRecord(filters) ?? {};
  const groups = asList(root.groups).map((group) => asRecord(group) ?? {});
  const keys = variantsOf(root).map((variant) => asText(variant.key) ?? "");
  const warnings = checkVariants(root, keys);
  if (groups.length === 0) {
    warnings.push(whole("no_sets", "There is no release condition: the flag is off for everyone."));
  }
  for (const [index, group] of groups.entries()) {
    warnings.push(...checkRows(group, index), ...checkReach(group, index, context.now));
    const cover = groups.slice(0, index).findIndex((earlier) => covers(earlier, group, root));
    if (cover !== -1) {
      const message = `Never reached: set ${cover + 1} already decides for everyone it could match.`;
      warnings.push({ code: "shadowed", set: index, row: null, message });
    }
    const variant = asText(group.variant);
    if (variant !== null && !keys.includes(variant)) {
      const message = `The flag has no variant "${variant}": the hash decides instead.`;
      warnings.push({ code: "unknown_variant", set: index, row: null, message });
    }
  }
  return warnings;
}

function whole(code: FilterWarning["code"], message: string): FilterWarning {
  return { code, set: null, row: null, message };
}

function variantsOf(root: Group): Group[] {
  return asList(asRecord(root.multivariate)?.variants).map((variant) => asRecord(variant) ?? {});
}

function checkVariants(root: Group, keys: readonly string[]): FilterWarning[] {
  const warnings: FilterWarning[] = [];
  if (keys.length === 0) return warnings;
  const sum = variantsOf(root).reduce(
    (total, variant) => total + percentOf(variant.rollout_percentage, 0),
    0,
  );
  if (Math.abs(sum - 100) > 1e-9) {
    const rounded = Number(sum.toFixed(6));
    warnings.push(whole("variants_sum", `The variants' percentages sum to ${rounded}, not to 100.`));
  }
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) {
    warnings.push(whole("duplicate_variant", `There is more than one variant "${twice}".`));
  }
  return warnings;
}

/** Values that cannot be compared the way their row says. */
function checkRows(group: Group, set: number): FilterWarning[] {
  return asList(group.properties).flatMap((entry, row) => {
    const property = asRecord(entry);
    if (!property || property.type === "cohort" || property.type === "flag") return [];
    const operator = asText(property.operator) ?? "exact";
    const { problem } = compileComparison(operator, property.value, "complete");
    const code = operator === "regex" || operator === "not_regex" ? "invalid_regex" : "invalid_value";
    return problem === null ? [] : [{ code, set, row, message: problem } as const];
  });
}

function checkReach(group: Group, set: number, now: number): FilterWarning[] {
  const warnings: FilterWarning[] = findContradictions(asList(group.properties), now).map(
    ({ rows, message }) => ({
      code: "never_matches",
      set,
      row: rows[1],
      message: `Rows ${rows[0] + 1} and ${rows[1] + 1} cannot both match: ${message}`,
    }),
  );
  if (percentOf(group.rollout_percentage, 100) <= 0) {
    const message = "The rollout is 0%, so nobody gets in.";
    warnings.push({ code: "rollout_excludes_everyone", set, row: null, message });
  }
  return warnings;
}

/** Whether nobody can reach `later` because `earlier` has decided for them. */
function covers(earlier: Group, later: Group, root: Group): boolean {
  if (aggregationOf(earlier, root) !== aggregationOf(later, root)) return false;
  const rows = asList(earlier.properties);
  // The same hash is held against both percentages, so the larger rollout contains the smaller.
  const wider =
    root.early_exit === true ||
    percentOf(earlier.rollout_percentage, 100) >= Math.min(percentOf(later.rollout_percentage, 100), 100);
  if (!wider || percentOf(later.rollout_percentage, 100) <= 0) return false;
  return rows.length === 0 || JSON.stringify(rows) === JSON.stringify(asList(later.properties));
}

function aggregationOf(group: Group, root: Group): number | null {
  return asIndex(group.aggregation_group_type_index) ?? asIndex(root.aggregation_group_type_index);
}
