"use client";

import { ChoiceSegments, OrderSelect } from "#components/kit/list/controls.tsx";
import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { useList } from "#components/kit/list/use-list.ts";
import { Tag } from "#components/ui/display/badge.tsx";
import { experimentList, type ListQuery } from "./list-query.ts";

const { status, order } = experimentList.params;

type Props = { projectId: string; query: ListQuery; flagKey: string | null };

/** Search, status and order of the list, all part of the URL. */
export function ListFilters({ projectId, query, flagKey }: Props) {
  const { go, pending } = useList(experimentList, projectId, query);
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
        <ChoiceSegments
          label="Status"
          param={status}
          value={query.status}
          onChange={(status) => go({ status })}
          className="max-w-none"
        />
      </div>
      <OrderSelect
        label="Sort by"
        look="button"
        size="sm"
        param={order}
        value={query.order}
        onChange={(order) => go({ order })}
      />
      {query.flag ? <Tag onRemove={() => go({ flag: "" })}>{`Flag ${flagKey ?? query.flag}`}</Tag> : null}
    </div>
  );
}
