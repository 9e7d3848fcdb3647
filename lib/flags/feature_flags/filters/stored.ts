import { isObject, type Json } from "#lib/engines/json.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import { flagFilters, normalizeFilters, withGroups } from "#lib/people/conditions/filters-schema.ts";
import { openFilters } from "./payloads.ts";

/** Members of filters without which evaluation goes the same way. */
const WITHOUT_EFFECT = new Set(["payloads"]);
/** Members that can turn a flag on, or give people a value, beside its condition sets. */
const DECIDING = ["super_groups", "feature_enrollment", "holdout", "holdout_groups"];

/**
 * Filters from the database in the form that the rest of the service relies on. Members that break the schema are
 * left out; where one of them takes part in evaluation the flag matches nobody, because the rest of its targeting
 * could reach people it was never meant for.
 *
 * @returns the filters, and the paths of what was left out
 */
export function readFilters(stored: unknown): { filters: Json; unreadable_fields: string[] } {
  if (!isObject(stored)) return { filters: { groups: [] }, unreadable_fields: ["filters"] };
  const filters = normalizeFilters(stored);
  const parsed = flagFilters.safeParse(withGroups(filters));
  if (parsed.success) return { filters, unreadable_fields: [] };
  const broken = [...new Set(parsed.error.issues.map(({ path }) => String(path[0])))];
  const closed = broken.some((name) => !WITHOUT_EFFECT.has(name));
  const left = new Set([...broken, ...(closed ? DECIDING : [])]);
  const rest = Object.fromEntries(Object.entries(filters).filter(([name]) => !left.has(name)));
  return {
    filters: closed ? { ...rest, groups: [] } : rest,
    unreadable_fields: broken.map((name) => `filters.${name}`),
  };
}

/** The path of payloads, where they are among the unreadable fields of a flag. */
export const PAYLOADS = "filters.payloads";

/** A stored flag with filters that can be relied on. Payloads that the key does not open are the redaction marker. */
export function readFlag<Row extends FlagRow>(
  row: Row,
  encryptionKey: Buffer,
): Row & { unreadable_fields: readonly string[] } {
  const read = readFilters(row.filters);
  if (!row.has_encrypted_payloads) return { ...row, ...read };
  const { filters, unreadable } = openFilters(read.filters, encryptionKey);
  return {
    ...row,
    filters,
    unreadable_fields: unreadable ? [...read.unreadable_fields, PAYLOADS] : read.unreadable_fields,
  };
}
