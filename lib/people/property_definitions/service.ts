import type { MemberContext } from "#lib/people/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { propertyDefinitionContract } from "./contract.ts";
import { STORED_VALUES } from "./ingest-store.ts";
import {
  type Owner,
  selectDefinitions,
  selectEventNames,
  selectKept,
  selectOwners,
  selectSeen,
  selectValues,
} from "./store.ts";
import { NAME_LIMIT, type PropertyType } from "./tally.ts";

type Of<Name extends keyof typeof propertyDefinitionContract> = Input<
  (typeof propertyDefinitionContract)[Name]
>;

const ownerOf = (
  context: MemberContext,
  { type, group_type_index = 0 }: { type: Owner["type"]; group_type_index?: number | undefined },
): Owner => ({
  project_id: context.project.id,
  type,
  group_type_index: type === "group" ? group_type_index : -1,
});

export async function list(context: MemberContext, { query }: Of<"list">) {
  const owner = ownerOf(context, query);
  const { rows, count } = await selectDefinitions(context.db, owner, query.search?.trim(), query);
  const results = rows.map((row) => ({
    id: row.id,
    name: row.name,
    type: owner.type,
    group_type_index: owner.type === "group" ? owner.group_type_index : null,
    property_type: row.property_type as PropertyType,
    count: row.count,
    last_seen_at: instant(row.last_seen_at),
  }));
  return { count, ...neighbours(context.url, query, count), results };
}

/** A property of persons (null) or of groups of a type. */
export type PropertyName = { name: string; group_type_index: number | null };

/**
 * Tells of each property whether it is certain that no stored person or group has it. Before the first has any, nothing
 * is said: flags are often written before the data arrives.
 */
export async function findNeverSeen(
  { db, project }: MemberContext,
  properties: readonly PropertyName[],
): Promise<boolean[]> {
  if (properties.length === 0) return [];
  const names = properties.map(({ name }) => name);
  const [seen, owners] = await Promise.all([selectSeen(db, project.id, names), selectOwners(db, project.id)]);
  const nameOf = (name: string, index: number | null) => `${index ?? -1} ${name}`;
  const known = new Set(seen.map(({ name, group_type_index }) => nameOf(name, group_type_index)));
  const described = new Set(owners.map(({ group_type_index }) => group_type_index));
  return properties.map(
    ({ name, group_type_index: index }) =>
      // Longer names are not counted.
      name.length <= NAME_LIMIT && described.has(index ?? -1) && !known.has(nameOf(name, index)),
  );
}

export async function values(context: MemberContext, { query }: Of<"values">) {
  const owner = ownerOf(context, query);
  const [distinct, found] = await Promise.all([
    selectKept(context.db, owner, query.key),
    selectValues(context.db, owner, query.key, query.value?.trim(), query.limit + 1),
  ]);
  return {
    results: found.slice(0, query.limit),
    is_complete: (distinct ?? 0) <= STORED_VALUES && found.length <= query.limit,
  };
}

export async function events(context: MemberContext, { query }: Of<"events">) {
  const { rows, count } = await selectEventNames(context.db, context.project.id, query.search?.trim(), query);
  const results = rows.map((row) => ({
    name: row.name,
    count: row.count,
    last_seen_at: instant(row.last_seen_at),
  }));
  return { count, ...neighbours(context.url, query, count), results };
}
