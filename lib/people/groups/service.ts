import type { MemberContext } from "#lib/people/context.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { groupContract } from "./contract.ts";
import { selectGroups, selectTypes } from "./store.ts";

export async function types(context: MemberContext) {
  const rows = await selectTypes(context.db, context.project.id);
  return rows.map(({ group_type, group_type_index }) => ({
    group_type,
    group_type_index,
    name_singular: null,
    name_plural: null,
  }));
}

export async function list(context: MemberContext, { query }: Input<(typeof groupContract)["list"]>) {
  const { group_type_index, search } = query;
  const filter = { project_id: context.project.id, group_type_index, search: search?.trim() };
  const { rows, count } = await selectGroups(context.db, filter, query);
  const results = rows.map((row) => ({
    group_type_index: row.group_type_index,
    group_key: row.group_key,
    group_properties: row.properties,
    created_at: instant(row.created_at),
  }));
  return { count, ...neighbours(context.url, query, count), results };
}
