import { isObject, type Json } from "#lib/engines/json.ts";

/** What a file says that its ids stand for. */
export type FileNames = {
  cohorts: Record<string, string>;
  flags_by_id: Record<string, string>;
  group_types: Record<string, string>;
};

/** Finds here what a file names. @throws Unresolved */
export type Resolver = {
  cohort: (name: string, idInFile: string) => number;
  flag: (key: string) => number;
  groupType: (name: string) => number;
};

/** A reference that cannot be carried over; says why. */
export class Unresolved extends Error {}

const rowsOf = (group: Json): Json[] =>
  Array.isArray(group.properties) ? group.properties.filter(isObject) : [];

const groupsOf = (filters: Json): Json[] =>
  ["groups", "super_groups", "holdout_groups"].flatMap((name) => {
    const list = filters[name];
    return Array.isArray(list) ? list.filter(isObject) : [];
  });

const isIndex = (index: unknown): index is number => typeof index === "number";

/** Ids of what filters refer to. */
export function findReferences(filters: Json) {
  const groups = groupsOf(filters);
  const rows = groups.flatMap(rowsOf);
  const own = [filters, ...groups].map((each) => each.aggregation_group_type_index);
  return {
    cohorts: rows.filter((row) => row.type === "cohort").map((row) => String(row.value)),
    flags: rows.filter((row) => row.type === "flag").map((row) => String(row.key)),
    group_types: [...own, ...rows.map((row) => row.group_type_index)].filter(isIndex).map(String),
  };
}

const KINDS = { cohorts: "cohort", flags_by_id: "flag", group_types: "group type" } as const;

function nameIn(names: FileNames, kind: keyof FileNames, id: string): string {
  const name = Object.hasOwn(names[kind], id) ? names[kind][id] : undefined;
  if (name === undefined)
    throw new Unresolved(`The file does not name the ${KINDS[kind]} ${id.slice(0, 40)} that it refers to.`);
  return name;
}

/**
 * Filters with the ids that their references have here.
 *
 * @throws Unresolved where one of them cannot be found
 */
export function mapReferences(filters: Json, names: FileNames, resolver: Resolver): Json {
  const indexed = (owner: Json, member: string): Json => {
    const index = owner[member];
    if (!isIndex(index)) return owner;
    return { ...owner, [member]: resolver.groupType(nameIn(names, "group_types", String(index))) };
  };
  const row = (each: unknown): unknown => {
    if (!isObject(each)) return each;
    if (each.type === "cohort") {
      const id = String(each.value);
      return { ...each, value: resolver.cohort(nameIn(names, "cohorts", id), id) };
    }
    if (each.type === "flag")
      return { ...each, key: String(resolver.flag(nameIn(names, "flags_by_id", String(each.key)))) };
    return indexed(each, "group_type_index");
  };
  const group = (each: unknown): unknown => {
    if (!isObject(each)) return each;
    const own = indexed(each, "aggregation_group_type_index");
    return Array.isArray(own.properties) ? { ...own, properties: own.properties.map(row) } : own;
  };
  const mapped = indexed(filters, "aggregation_group_type_index");
  const lists = ["groups", "super_groups", "holdout_groups"].flatMap((name) => {
    const list = mapped[name];
    return Array.isArray(list) ? [[name, list.map(group)]] : [];
  });
  return { ...mapped, ...Object.fromEntries(lists) };
}
