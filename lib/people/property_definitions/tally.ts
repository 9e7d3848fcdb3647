export type PropertyType = "String" | "Numeric" | "Boolean" | "DateTime";

/** Properties of one person (group_type_index -1) or group before and after. */
export type PropertyDelta = {
  project_id: number;
  type: "person" | "group";
  group_type_index: number;
  before: Record<string, unknown>;
  after: Record<string, unknown>;
};

/** By how many more (or fewer) persons or groups carry a property. */
export type NameTally = {
  project_id: number;
  type: "person" | "group";
  group_type_index: number;
  name: string;
  property_type: PropertyType;
  by: number;
};

/** The same for one of its values. */
export type ValueTally = Omit<NameTally, "property_type"> & { value: string };

export const NAME_LIMIT = 200;
const VALUE_LIMIT = 200;

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** What kind of values a property holds, judged by one of them. */
function propertyTypeOf(value: unknown): PropertyType {
  if (typeof value === "number") return "Numeric";
  if (typeof value === "boolean") return "Boolean";
  return typeof value === "string" && DATE.test(value) ? "DateTime" : "String";
}

/** A value as pickers show it; null for what they cannot: objects, lists, null, and long texts. */
export function valueText(value: unknown): string | null {
  if (typeof value === "string") return value.length <= VALUE_LIMIT ? value : null;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

const keyOf = (d: PropertyDelta, name: string) =>
  `${d.project_id}\u0000${d.type}\u0000${d.group_type_index}\u0000${name}`;

const sorted = <T>(tallies: Map<string, T>): T[] =>
  [...tallies].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, tally]) => tally);

/**
 * Sums what changed of persons and groups by property and by value, both sorted: processes that write them in this
 * order cannot deadlock. A property one of whose values changed is listed even where `by` is 0.
 */
export function tally(deltas: Iterable<PropertyDelta>): { names: NameTally[]; values: ValueTally[] } {
  const names = new Map<string, NameTally>();
  const values = new Map<string, ValueTally>();
  for (const delta of deltas) {
    const { project_id, type, group_type_index, before, after } = delta;
    const count = (name: string, value: unknown, by: 1 | -1, isWholeProperty: boolean) => {
      if (name.length > NAME_LIMIT) return;
      const key = keyOf(delta, name);
      const found = names.get(key);
      if (!found)
        names.set(key, {
          project_id,
          type,
          group_type_index,
          name,
          property_type: propertyTypeOf(value),
          by: isWholeProperty ? by : 0,
        });
      else {
        if (isWholeProperty) found.by += by;
        if (by > 0 && found.property_type !== propertyTypeOf(value)) found.property_type = "String";
      }
      const text = valueText(value);
      if (text === null) return;
      const valueKey = `${key}\u0000${text}`;
      const held = values.get(valueKey);
      if (held) held.by += by;
      else values.set(valueKey, { project_id, type, group_type_index, name, value: text, by });
    };
    for (const [name, value] of Object.entries(after)) {
      const isNew = !Object.hasOwn(before, name);
      if (!isNew && before[name] === value) continue;
      if (!isNew) count(name, before[name], -1, false);
      count(name, value, 1, isNew);
    }
    for (const [name, value] of Object.entries(before))
      if (!Object.hasOwn(after, name)) count(name, value, -1, true);
  }
  return { names: sorted(names), values: sorted(values).filter(({ by }) => by !== 0) };
}
