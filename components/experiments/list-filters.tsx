"use client";

import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { useListQuery } from "#components/kit/list/use-list-query.ts";
import { Tag } from "#components/ui/display/badge.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { DEFAULT_ORDER, type ListQuery, listHref } from "./list-query.ts";

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
  { value: "-updated_at", label: "Recently changed first" },
  { value: "-start_date", label: "Recently launched first" },
  { value: "-duration", label: "Longest running first" },
  { value: "name", label: "Name, A to Z" },
  { value: "status", label: "By status" },
];

type Props = { projectId: string; query: ListQuery; flagKey: string | null };

/** Search, status and order of the list, all part of the URL. */
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
        options={known ? ORDERS : [...ORDERS, { value: query.order, label: "Custom order" }]}
      />
      {query.flag ? <Tag onRemove={() => go({ flag: "" })}>{`Flag ${flagKey ?? query.flag}`}</Tag> : null}
    </div>
  );
}
