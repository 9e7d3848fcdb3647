"use client";

import { ListFilter } from "lucide-react";
import { useState } from "react";
import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { useListQuery } from "#components/kit/list/use-list-query.ts";
import { Button } from "#components/ui/button.tsx";
import { Tag } from "#components/ui/display/badge.tsx";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Popover } from "#components/ui/overlay/popover.tsx";
import { DEFAULT_ORDER, type ListQuery, listHref } from "./list-query.ts";
import { useFacets } from "./use-facets.ts";

const STATUSES = [
  { value: "all", label: "All" },
  { value: "on", label: "On" },
  { value: "off", label: "Off" },
  { value: "stale", label: "Stale" },
] as const;

const TYPES = [
  { value: "any", label: "Any type" },
  { value: "boolean", label: "On or off" },
  { value: "multivariant", label: "Variants" },
  { value: "remote_config", label: "Remote configuration" },
  { value: "experiment", label: "Used by an experiment" },
] as const;

const RUNTIMES = [
  { value: "any", label: "Anywhere" },
  { value: "both", label: "Everywhere" },
  { value: "server", label: "Servers only" },
  { value: "client", label: "Clients only" },
] as const;

const ORDERS = [
  { value: DEFAULT_ORDER, label: "Newest first" },
  { value: "created_at", label: "Oldest first" },
  { value: "-updated_at", label: "Last changed first" },
  { value: "key", label: "Key, A to Z" },
  { value: "-last_called_at", label: "Last called first" },
] as const;

type Props = { projectId: string; query: ListQuery };

/** Search, state and filters of the list; all of it is in the URL. */
export function ListFilters({ projectId, query }: Props) {
  const { go, pending } = useListQuery(query, (from, change) => listHref(projectId, from, change));
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <UrlSearch
        label="Search flags by key or description"
        placeholder="Search key or description"
        value={query.search}
        pending={pending}
        onSearch={(search) => go({ search })}
      />
      <Segmented
        label="Status"
        value={query.status || "all"}
        onValueChange={(status) => go({ status: status === "all" ? "" : status })}
        options={STATUSES}
        size="sm"
      />
      <MoreFilters projectId={projectId} query={query} go={go} />
      <ActiveFilters projectId={projectId} query={query} go={go} />
    </div>
  );
}

/** The active filters, each with a button to remove it. */
function ActiveFilters({ projectId, query, go }: MoreProps) {
  const facets = useFacets(projectId, query.creators.length > 0);
  const nameOf = (id: string) =>
    facets.data?.creators.find((by) => String(by.id) === id)?.name ?? `person ${id}`;
  const label = (options: readonly { value: string; label: string }[], value: string) =>
    options.find((option) => option.value === value)?.label ?? value;
  const without = (list: string[], value: string) => list.filter((each) => each !== value);
  return (
    <>
      {query.type ? <Tag onRemove={() => go({ type: "" })}>{label(TYPES, query.type)}</Tag> : null}
      {query.runtime ? (
        <Tag onRemove={() => go({ runtime: "" })}>{label(RUNTIMES, query.runtime)}</Tag>
      ) : null}
      {query.tags.map((tag) => (
        <Tag key={tag} onRemove={() => go({ tags: without(query.tags, tag) })}>{`Tag: ${tag}`}</Tag>
      ))}
      {query.creators.map((id) => (
        <Tag key={id} onRemove={() => go({ creators: without(query.creators, id) })}>
          {`Created by ${nameOf(id)}`}
        </Tag>
      ))}
    </>
  );
}

type MoreProps = Props & { go: (change: Partial<ListQuery>) => void };

function MoreFilters({ projectId, query, go }: MoreProps) {
  const [open, setOpen] = useState(false);
  const facets = useFacets(projectId, open || query.creators.length > 0);
  const count =
    [query.type, query.runtime].filter(Boolean).length + query.tags.length + query.creators.length;
  const creators = facets.data?.creators ?? [];
  return (
    <Popover
      label="Filters"
      open={open}
      onOpenChange={setOpen}
      className="w-80"
      trigger={
        <Button size="sm" icon={ListFilter}>
          Filters{count > 0 ? <span className="tabular text-accent-text"> {count}</span> : null}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label="Type">
          <Select
            value={query.type || "any"}
            onValueChange={(type) => go({ type: type === "any" ? "" : type })}
            options={TYPES}
          />
        </Field>
        <Field label="Evaluated">
          <Select
            value={query.runtime || "any"}
            onValueChange={(runtime) => go({ runtime: runtime === "any" ? "" : runtime })}
            options={RUNTIMES}
          />
        </Field>
        <Field label="Any of these tags">
          <ChipsInput
            values={query.tags}
            onValuesChange={(tags) => go({ tags })}
            options={facets.data?.tags.map(({ name, count }) => ({ value: name, hint: count })) ?? []}
            loading={facets.isFetching && !facets.data}
            freeText={false}
            placeholder="All flags"
          />
        </Field>
        <Field label="Created by">
          <ChipsInput
            values={query.creators}
            onValuesChange={(ids) => go({ creators: ids })}
            options={creators.map((by) => ({ value: String(by.id), label: by.name, hint: by.count }))}
            loading={facets.isFetching && !facets.data}
            freeText={false}
            placeholder="Anyone"
          />
        </Field>
        <Field label="Sort by">
          <Select
            value={query.order}
            onValueChange={(order) => go({ order })}
            options={
              ORDERS.some((each) => each.value === query.order)
                ? ORDERS
                : [...ORDERS, { value: query.order, label: "As in the table" }]
            }
          />
        </Field>
        {count > 0 ? (
          <Button
            size="sm"
            variant="ghost"
            onClick={() => go({ type: "", runtime: "", tags: [], creators: [] })}
          >
            Clear filters
          </Button>
        ) : null}
      </div>
    </Popover>
  );
}
