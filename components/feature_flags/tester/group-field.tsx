"use client";

import { useState } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import type { groupContract } from "#lib/people/groups/contract.ts";

const STALE_MS = 60_000;

const isIndex = (value: unknown): value is number => typeof value === "number";

/** The group types that a flag uses: for the whole flag, a set or a row. */
export const groupTypesIn = (filters: FlagFilters): number[] => [
  ...new Set(
    [
      filters.aggregation_group_type_index,
      ...filters.groups.flatMap((group) => [
        group.aggregation_group_type_index,
        ...(group.properties ?? []).map((row) => (row.type === "group" ? row.group_type_index : null)),
      ]),
    ].filter(isIndex),
  ),
];

/** The project's group types by their index; undefined until they are known. */
export function useGroupTypes(projectId: string, enabled: boolean) {
  const { data, error } = useEndpoint<typeof groupContract.types>(
    "/api/projects/{project_id}/groups_types/",
    { params: { project_id: projectId } },
    { enabled, staleTime: STALE_MS, retry: false },
  );
  return { types: data && new Map(data.map((each) => [each.group_type_index, each.group_type])), error };
}

type Props = {
  projectId: string;
  index: number;
  type: string;
  optional: boolean;
  value: string;
  onValueChange: (key: string) => void;
};

/** A group by its key: one that is stored, or any other. */
export function GroupField({ projectId, index, type, optional, value, onValueChange }: Props) {
  const [search, setSearch] = useState("");
  const settled = useSettled(search, search).value;
  const found = useEndpoint<typeof groupContract.list>(
    "/api/projects/{project_id}/groups/",
    {
      params: { project_id: projectId },
      query: { group_type_index: String(index), search: settled.trim() || undefined, limit: "50" },
    },
    { staleTime: STALE_MS, retry: false },
  );
  const results = found.data?.results ?? [];
  return (
    <Field label={`Group key (${type})`} optional={optional}>
      <Combobox
        value={value || null}
        onValueChange={onValueChange}
        options={results.map(({ group_key, group_properties: { name } }) => ({
          value: group_key,
          ...(typeof name === "string" && name !== "" && { description: name }),
        }))}
        onSearch={setSearch}
        loading={found.isFetching && results.length === 0}
        freeText="Use key"
        placeholder={`A ${type}…`}
        searchPlaceholder="Search groups, or type any key"
        empty={found.isError ? "Groups could not be loaded. Type a key." : "No group found. Type a key."}
        mono
      />
    </Field>
  );
}
