"use client";

import { ListFilter, Rows3, Rows4 } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import { rememberDensity } from "#components/frame/theme.ts";
import { ChoiceSegments, ChoiceSelect, OrderSelect } from "#components/kit/list/controls.tsx";
import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { type Go, useList } from "#components/kit/list/use-list.ts";
import { Button } from "#components/ui/button.tsx";
import { Tag } from "#components/ui/display/badge.tsx";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Popover } from "#components/ui/overlay/popover.tsx";
import { flagList, type ListQuery } from "./list-query.ts";
import { useFacets } from "./use-facets.ts";

const { status, type, runtime, order } = flagList.params;

type Props = { projectId: string; query: ListQuery };

/** Search, state and filters of the list; all of it is in the URL. How dense it is stays with the browser. */
export function ListFilters({
  projectId,
  query,
  compact,
  children,
}: Props & { compact: boolean; children: ReactNode }) {
  const { go, pending } = useList(flagList, projectId, query);
  const router = useRouter();
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <UrlSearch
        label="Search flags by key or description"
        placeholder="Search key or description"
        value={query.search}
        pending={pending}
        onSearch={(search) => go({ search })}
      />
      <ChoiceSegments
        label="Status"
        param={status}
        value={query.status}
        onChange={(status) => go({ status })}
      />
      <MoreFilters projectId={projectId} query={query} go={go} />
      {children}
      <ActiveFilters projectId={projectId} query={query} go={go} />
      <IconButton
        icon={compact ? Rows3 : Rows4}
        label={compact ? "Show more of each flag" : "Show each flag in one line"}
        className="ml-auto max-sm:hidden"
        onClick={() => {
          rememberDensity(!compact);
          router.refresh();
        }}
      />
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
      {query.type ? <Tag onRemove={() => go({ type: "" })}>{label(type.options, query.type)}</Tag> : null}
      {query.runtime ? (
        <Tag onRemove={() => go({ runtime: "" })}>{label(runtime.options, query.runtime)}</Tag>
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

type MoreProps = Props & { go: Go<ListQuery> };

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
          <ChoiceSelect param={type} value={query.type} onChange={(type) => go({ type })} />
        </Field>
        <Field label="Evaluated">
          <ChoiceSelect param={runtime} value={query.runtime} onChange={(runtime) => go({ runtime })} />
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
          <OrderSelect param={order} value={query.order} onChange={(order) => go({ order })} />
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
