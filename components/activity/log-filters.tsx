"use client";

import { CalendarRange, X } from "lucide-react";
import { UrlSearch } from "#components/kit/list/url-search.tsx";
import { type Go, useList } from "#components/kit/list/use-list.ts";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Popover } from "#components/ui/overlay/popover.tsx";
import type { ActivityFilters } from "#lib/activity/schema.ts";
import { activityLabel, kindLabel } from "#lib/app/activity/words.ts";
import { type LogQuery, logList } from "./activity-query.ts";

type Props = {
  projectId: string;
  query: LogQuery;
  /** What occurs in the log. */
  occurring: ActivityFilters;
  /** Name of the one record that is shown, where it is only one. */
  record: string | null;
};

const ANY = "any";
type Choice = { value: string; label: string };

/** The current value stays available, even if it no longer occurs. */
const withPresent = (options: Choice[], value: string): Choice[] =>
  value === "" || options.some((option) => option.value === value)
    ? options
    : [...options, { value, label: value }];

/** Search and filters of the log; all of it is in the URL. */
export function LogFilters({ projectId, query, occurring, record }: Props) {
  const { go, pending } = useList(logList, projectId, query);
  const pick = (name: "scope" | "user" | "activity", label: string, any: string, options: Choice[]) => (
    <Select
      label={label}
      size="sm"
      look="button"
      value={query[name] || ANY}
      onValueChange={(value) =>
        go({ [name]: value === ANY ? "" : value, ...(name === "scope" ? { item_id: "" } : {}) })
      }
      options={[{ value: ANY, label: any }, ...withPresent(options, query[name])]}
    />
  );
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <UrlSearch
        label="Search by record name"
        placeholder="Search by name"
        value={query.search}
        pending={pending}
        onSearch={(search) => go({ search })}
        className="w-full sm:w-60"
      />
      {pick(
        "scope",
        "Type",
        "All types",
        occurring.scopes.map((scope) => ({ value: scope, label: kindLabel(scope) })),
      )}
      {pick(
        "activity",
        "Action",
        "Any action",
        occurring.activities.map((each) => ({ value: each, label: activityLabel(each) })),
      )}
      {pick(
        "user",
        "Who",
        "Anyone",
        occurring.users.map((user) => ({
          value: String(user.id),
          label: `${user.first_name} ${user.last_name}`.trim() || user.email,
        })),
      )}
      <Days query={query} go={go} />
      {query.item_id ? (
        <Button size="sm" onClick={() => go({ item_id: "" })}>
          Only {record ?? `no. ${query.item_id}`}
          <X aria-hidden="true" />
          <span className="sr-only">, show all</span>
        </Button>
      ) : null}
      {logList.isFiltered(query) ? (
        <Button size="sm" variant="ghost" onClick={() => go(logList.clear(query))}>
          Clear
        </Button>
      ) : null}
    </div>
  );
}

function Days({ query, go }: { query: LogQuery; go: Go<LogQuery> }) {
  const { from, to } = query;
  const words = from && to ? `${from} to ${to}` : from ? `Since ${from}` : to ? `Until ${to}` : "Any time";
  return (
    <Popover
      label="Days"
      className="w-64"
      trigger={
        <Button size="sm" icon={CalendarRange}>
          {words}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label="From">
          <Input
            type="date"
            max={to || undefined}
            value={from}
            onChange={(event) => go({ from: event.target.value })}
          />
        </Field>
        <Field label="To (inclusive)">
          <Input
            type="date"
            min={from || undefined}
            value={to}
            onChange={(event) => go({ to: event.target.value })}
          />
        </Field>
        {from || to ? (
          <Button size="sm" variant="ghost" onClick={() => go({ from: "", to: "" })}>
            Any time
          </Button>
        ) : null}
      </div>
    </Popover>
  );
}
