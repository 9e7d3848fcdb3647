"use client";

import { useState } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { propertyDefinitionContract } from "#lib/people/property_definitions/contract.ts";
import { formatCompact } from "#lib/platform/format.ts";
import { useFilters } from "./filters-context.tsx";

const count = (many: number | null | undefined) => (many ? formatCompact(many) : undefined);
const STALE_MS = 60_000;

const searched = (text: string) => text.trim() || undefined;

/** Which properties of people (or of a kind of group) have been seen. */
export function useProperties(groupTypeIndex: number | null, search = "") {
  const { projectId } = useFilters();
  const group = groupTypeIndex !== null;
  return useEndpoint<typeof propertyDefinitionContract.list>(
    "/api/projects/{project_id}/property_definitions/",
    {
      params: { project_id: projectId },
      query: {
        type: group ? ("group" as const) : ("person" as const),
        group_type_index: group ? String(groupTypeIndex) : undefined,
        search: searched(search),
        limit: "100",
      },
    },
    { staleTime: STALE_MS, retry: false },
  );
}

type PropertyPickerProps = {
  value: string;
  groupTypeIndex: number | null;
  label: string;
  onValueChange: (key: string, type: string | null) => void;
};

/** Picks a seen property, or any other by name. */
export function PropertyPicker({ value, groupTypeIndex, label, onValueChange }: PropertyPickerProps) {
  const [search, setSearch] = useState("");
  const settled = useSettled(search, search).value;
  const seen = useProperties(groupTypeIndex, settled);
  const results = seen.data?.results ?? [];
  return (
    <Combobox
      label={label}
      value={value || null}
      onValueChange={(key) =>
        onValueChange(key, results.find((each) => each.name === key)?.property_type ?? null)
      }
      options={results.map((each) => ({
        value: each.name,
        hint: [each.property_type?.toLowerCase(), count(each.count)].filter(Boolean).join(" · "),
      }))}
      onSearch={setSearch}
      loading={seen.isFetching && results.length === 0}
      freeText="Use property"
      placeholder="Property…"
      searchPlaceholder="Search properties, or type any name"
      empty={
        seen.isError ? "Properties could not be loaded. Type a name." : "No properties seen yet. Type a name."
      }
      mono
    />
  );
}

type ValuePickerProps = {
  property: string;
  groupTypeIndex: number | null;
  values: string[];
  label: string;
  onValuesChange: (values: string[]) => void;
};

/** Picks several values of a property, seen or not. */
export function ValuesPicker(props: ValuePickerProps) {
  const { projectId } = useFilters();
  const [search, setSearch] = useState("");
  const [opened, setOpened] = useState(false);
  const settled = useSettled(search, search).value;
  const group = props.groupTypeIndex !== null;
  const seen = useEndpoint<typeof propertyDefinitionContract.values>(
    "/api/projects/{project_id}/property_definitions/values/",
    {
      params: { project_id: projectId },
      query: {
        type: group ? ("group" as const) : ("person" as const),
        group_type_index: group ? String(props.groupTypeIndex) : undefined,
        key: props.property,
        value: searched(settled),
      },
    },
    { staleTime: STALE_MS, retry: false, enabled: opened && props.property !== "" },
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only listens for the focus of the box inside
    <div onFocus={() => setOpened(true)} className="min-w-0">
      <ChipsInput
        label={props.label}
        values={props.values}
        onValuesChange={props.onValuesChange}
        options={(seen.data?.results ?? []).map((each) => ({
          value: String(each.name),
          hint: count(each.count),
        }))}
        onSearch={setSearch}
        loading={seen.isFetching && !seen.data}
        freeText="Use"
        placeholder="Values…"
      />
    </div>
  );
}

type PickerProps = { value: string; label: string; onValueChange: (value: string) => void };

/** A cohort by name. */
export function CohortPicker({ value, label, onValueChange }: PickerProps) {
  const { projectId, names, learn } = useFilters();
  const [search, setSearch] = useState("");
  const settled = useSettled(search, search).value;
  const found = useEndpoint<typeof cohortContract.list>(
    "/api/projects/{project_id}/cohorts/",
    { params: { project_id: projectId }, query: { limit: "50", search: searched(settled) } },
    { staleTime: STALE_MS, retry: false },
  );
  const results = found.data?.results ?? [];
  const known = names.cohorts?.get(value);
  const options = results.map((cohort) => ({
    value: String(cohort.id),
    label: cohort.name,
    hint: count(cohort.count),
    description: cohort.is_static ? "Static" : undefined,
  }));
  const missing = value && !options.some((option) => option.value === value);
  return (
    <Combobox
      label={label}
      value={value || null}
      onValueChange={(id) => {
        const name = options.find((option) => option.value === id)?.label;
        if (name) learn("cohorts", id, name);
        onValueChange(id);
      }}
      options={missing && !search ? [{ value, label: known ?? `#${value}` }, ...options] : options}
      onSearch={setSearch}
      loading={found.isFetching && results.length === 0}
      placeholder="Cohort…"
      empty={found.isError ? `Cohorts could not be loaded: ${found.error.message}` : "No cohort found"}
    />
  );
}

/** Another flag by key; gives its id and the variants that it has. */
export function FlagPicker({ value, label, onValueChange }: PickerProps) {
  const { projectId, flagId, names, learn } = useFilters();
  const [search, setSearch] = useState("");
  const settled = useSettled(search, search).value;
  const found = useEndpoint<typeof flagContract.list>(
    "/api/projects/{project_id}/feature_flags/",
    { params: { project_id: projectId }, query: { limit: "50", search: searched(settled) } },
    { staleTime: STALE_MS, retry: false },
  );
  const options = (found.data?.results ?? [])
    .filter((flag) => flag.id !== flagId)
    .map((flag) => ({
      value: String(flag.id),
      label: flag.key,
      description: flag.name || undefined,
      hint: flag.active ? "on" : "off",
    }));
  const missing = value && !options.some((option) => option.value === value);
  return (
    <Combobox
      label={label}
      value={value || null}
      onValueChange={(id) => {
        const key = options.find((option) => option.value === id)?.label;
        if (key) learn("flags", id, key);
        onValueChange(id);
      }}
      options={
        missing && !search ? [{ value, label: names.flags?.get(value) ?? `#${value}` }, ...options] : options
      }
      onSearch={setSearch}
      loading={found.isFetching && options.length === 0}
      placeholder="Flag…"
      empty={found.isError ? `Flags could not be loaded: ${found.error.message}` : "No other flag found"}
      mono
    />
  );
}

/** The possible values of another flag: on, off or one of its variants. */
export function useFlagAnswers(id: string) {
  const { projectId } = useFilters();
  const flag = useEndpoint<typeof flagContract.retrieve>(
    "/api/projects/{project_id}/feature_flags/{id}/",
    { params: { project_id: projectId, id } },
    { enabled: /^\d+$/.test(id), staleTime: STALE_MS, retry: false },
  );
  return flag.data?.filters.multivariate?.variants.map((variant) => variant.key) ?? [];
}
