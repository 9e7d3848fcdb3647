"use client";

import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { useListQuery } from "#components/kit/list/use-list-query.ts";
import { TYPE_WORDS } from "#components/surveys/draft/status.ts";
import { Select } from "#components/ui/form/select.tsx";
import { type ListQuery, listHref } from "./list-query.ts";

const STATUSES = [
  { value: "all", label: "All but archived" },
  { value: "draft", label: "Drafts" },
  { value: "scheduled", label: "Scheduled" },
  { value: "running", label: "Running" },
  { value: "complete", label: "Complete" },
  { value: "archived", label: "Archived" },
] as const;

const TYPES = [
  { value: "any", label: "Any type" },
  { value: "popover", label: TYPE_WORDS.popover },
  { value: "widget", label: TYPE_WORDS.widget },
  { value: "external_survey", label: TYPE_WORDS.external_survey },
  { value: "api", label: TYPE_WORDS.api },
] as const;

const ORDERS = [
  { value: "-created_at", label: "Newest first" },
  { value: "created_at", label: "Oldest first" },
  { value: "name", label: "Name, A to Z" },
  { value: "-name", label: "Name, Z to A" },
  { value: "-start_date", label: "Latest launch first" },
  { value: "start_date", label: "Earliest launch first" },
  { value: "-end_date", label: "Latest end first" },
  { value: "end_date", label: "Earliest end first" },
] as const;

/** Search, state, type and order of the list; all of it is in the URL. */
export function ListFilters({ projectId, query }: { projectId: string; query: ListQuery }) {
  const { go, pending } = useListQuery(query, (from, change) => listHref(projectId, from, change));
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <UrlSearch
        label="Search surveys by name or description"
        placeholder="Search name or description"
        value={query.search}
        pending={pending}
        onSearch={(search) => go({ search })}
      />
      <Select
        label="Status"
        look="button"
        value={query.status || "all"}
        options={STATUSES}
        onValueChange={(status) => go({ status: status === "all" ? "" : status })}
      />
      <Select
        label="Type"
        look="button"
        value={query.type || "any"}
        options={TYPES}
        onValueChange={(type) => go({ type: type === "any" ? "" : type })}
      />
      <Select
        label="Sort by"
        look="button"
        className="sm:ml-auto"
        value={query.order}
        options={ORDERS}
        onValueChange={(order) => go({ order })}
      />
    </div>
  );
}
