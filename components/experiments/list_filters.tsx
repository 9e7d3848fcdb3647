"use client";

import { UrlSearch } from "#components/list/url_search.tsx";
import { useListQuery } from "#components/list/use_list_query.ts";
import { Tag } from "#components/ui/badge.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Select } from "#components/ui/select.tsx";
import { DEFAULT_ORDER, type ListQuery, listHref } from "./list_query.ts";

const STATUSES = [
  { value: "all", label: "All" },
  { value: "draft", label: "Draft" },
  { value: "running", label: "Running" },
  { value: "paused", label: "Paused" },
  { value: "stopped", label: "Stopped" },
  { value: "archived", label: "Archived" },
] as const;

const ORDERS = [
  { value: DEFAULT_ORDER, label: "Newest first" },
  { value: "created_at", label: "Oldest first" },
  { value: "-updated_at", label: "Last changed first" },
  { value: "-start_date", label: "Last launched first" },
  { value: "-duration", label: "Longest first" },
  { value: "name", label: "Name, A to Z" },
  { value: "status", label: "By status" },
];

type Props = { projectId: string; query: ListQuery; flagKey: string | null };

/** Search, status and order of the list; all of it stands in the address. */
export function ListFilters({ projectId, query, flagKey }: Props) {
  const { go, pending } = useListQuery(query, (from, change) => listHref(projectId, from, change));
  const known = ORDERS.some((each) => each.value === query.order);
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <UrlSearch
        label="Search experiments by name"
        placeholder="Search by name"
        value={query.search}
        pending={pending}
        onSearch={(search) => go({ search })}
      />
      <div className="max-w-full overflow-x-auto scroll-thin">
        <Segmented
          label="Status"
          value={query.status || "all"}
          onValueChange={(status) => go({ status: status === "all" ? "" : status })}
          options={STATUSES}
          size="sm"
          className="max-w-none"
        />
      </div>
      <Select
        label="Sort by"
        look="button"
        size="sm"
        value={query.order}
        onValueChange={(order) => go({ order })}
        options={known ? ORDERS : [...ORDERS, { value: query.order, label: "As in the table" }]}
      />
      {query.flag ? <Tag onRemove={() => go({ flag: "" })}>{`On flag ${flagKey ?? query.flag}`}</Tag> : null}
    </div>
  );
}
