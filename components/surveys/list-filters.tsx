"use client";

import { ChoiceSelect, OrderSelect } from "#components/kit/list/controls.tsx";
import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { useList } from "#components/kit/list/use-list.ts";
import { type ListQuery, surveyList } from "./list-query.ts";

const { status, type, order } = surveyList.params;

/** Search, state, type and order of the list; all of it is in the URL. */
export function ListFilters({ projectId, query }: { projectId: string; query: ListQuery }) {
  const { go, pending } = useList(surveyList, projectId, query);
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <UrlSearch
        label="Search surveys by name or description"
        placeholder="Search name or description"
        value={query.search}
        pending={pending}
        onSearch={(search) => go({ search })}
      />
      <ChoiceSelect
        label="Status"
        look="button"
        param={status}
        value={query.status}
        onChange={(status) => go({ status })}
      />
      <ChoiceSelect
        label="Type"
        look="button"
        param={type}
        value={query.type}
        onChange={(type) => go({ type })}
      />
      <OrderSelect
        label="Sort by"
        look="button"
        className="sm:ml-auto"
        param={order}
        value={query.order}
        onChange={(order) => go({ order })}
      />
    </div>
  );
}
