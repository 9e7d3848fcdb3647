/** Rewrites conditions on one cohort as conditions on persons, for SDKs that were not sent the cohorts. */

import { isObject, type Json } from "#lib/engines/json.ts";

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const propertiesOf = (group: Json) => listOf(group.properties).filter(isObject);

/** Ids of the cohorts that properties refer to. */
export const cohortIdsIn = (properties: readonly Json[]): number[] =>
  properties.filter((p) => p.type === "cohort").map((p) => Number(p.value));

/** Ids of the cohorts that conditions refer to, each once. */
export function cohortIdsOf(filters: Json): number[] {
  const conditions = [...listOf(filters.groups), ...listOf(filters.super_groups)].filter(isObject);
  return [...new Set(conditions.flatMap((c) => cohortIdsIn(propertiesOf(c))))];
}

/** Every row of a cohort's tree. */
export function rowsOf(node: unknown): Json[] {
  if (!isObject(node)) return [];
  return Array.isArray(node.values) && (node.type === "AND" || node.type === "OR")
    ? node.values.flatMap(rowsOf)
    : [node];
}

/** Nodes with a single member stand for that member. */
function unwrap(node: Json): Json {
  const values = listOf(node.values);
  const [only] = values;
  return isTree(node) && values.length === 1 && isObject(only) && isTree(only) ? unwrap(only) : node;
}

const isTree = (node: Json) => (node.type === "AND" || node.type === "OR") && Array.isArray(node.values);

/**
 * A cohort's tree as alternatives, each a list of rows that must all pass.
 *
 * @returns null where the tree cannot be written that way one to one
 */
function alternativesOf(tree: Json): Json[][] | null {
  const top = unwrap(tree);
  const values = listOf(top.values).filter(isObject);
  if (values.length === 0) return null;
  if (values.every((v) => !isTree(v))) return top.type === "OR" ? values.map((v) => [v]) : [values];
  if (top.type !== "OR" || !values.every(isTree)) return null;
  const alternatives: Json[][] = [];
  for (const node of values.map(unwrap)) {
    const rows = listOf(node.values).filter(isObject);
    if (rows.length === 0 || rows.some(isTree)) return null;
    alternatives.push(...(node.type === "OR" ? rows.map((row) => [row]) : [rows]));
  }
  return alternatives;
}

const isPersonRow = (row: Json) => row.type === "person" && row.negation !== true;

/**
 * Conditions with a lone, positive condition on one person-only cohort replaced by that cohort's rows. Anything
 * else comes back as it is: an SDK then asks the server.
 *
 * @param treeOf a cohort's tree; null where it is unknown or a static list
 */
export function expandCohort(filters: Json, treeOf: (id: number) => unknown): Json {
  const groups = listOf(filters.groups).filter(isObject);
  const [id, ...others] = cohortIdsOf(filters);
  if (id === undefined || others.length > 0) return filters;
  if (groups.some((group) => typeof group.variant === "string" && group.variant !== "")) return filters;
  const tree = treeOf(id);
  const rows = rowsOf(tree);
  if (!isObject(tree) || rows.length === 0 || !rows.every(isPersonRow)) return filters;
  const alternatives = alternativesOf(tree);
  if (!alternatives) return filters;
  const expanded: Json[] = [];
  for (const group of groups) {
    const properties = propertiesOf(group);
    const [first] = properties;
    if (!properties.some((p) => p.type === "cohort")) {
      expanded.push(group);
      continue;
    }
    if (properties.length > 1 || first?.operator === "not_in" || first?.negation === true) return filters;
    expanded.push(...alternatives.map((alternative) => ({ ...group, properties: alternative })));
  }
  return { ...filters, groups: expanded };
}
