import { isObject } from "#lib/engines/json.ts";
import type { FlagProperty } from "./filters-schema.ts";

const isTextOrAbsent = (value: unknown) => value === undefined || typeof value === "string";

/** Whether a value has the form of a row of a condition; the same as the schema, for pages that do without that. */
export function isFlagProperty(value: unknown): value is FlagProperty {
  if (!isObject(value)) return false;
  const { key, type, operator, group_type_index: index } = value;
  const isIndex = index === undefined || index === null || Number.isSafeInteger(index);
  return typeof key === "string" && isTextOrAbsent(type) && isTextOrAbsent(operator ?? undefined) && isIndex;
}
