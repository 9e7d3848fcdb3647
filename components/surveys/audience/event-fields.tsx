"use client";

import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import {
  type EventFilter,
  eventsOf,
  filterProblem,
  filtersOf,
  OPERATORS,
  withFilters,
  withNames,
} from "#components/surveys/draft/event-draft.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { Button } from "#components/ui/button.tsx";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { Json } from "#lib/engines/json.ts";
import type { propertyDefinitionContract } from "#lib/people/property_definitions/contract.ts";

type EventsProps = {
  label: string;
  hint: string;
  trigger: unknown;
  onTriggerChange: (trigger: Json | undefined) => void;
};

/** Events by name (seen ones are suggested), with property filters for each. */
export function EventsField({ label, hint, trigger, onTriggerChange }: EventsProps) {
  const { projectId } = useBuilder();
  const [search, setSearch] = useState("");
  const settled = useSettled(search, search).value;
  const seen = useEndpoint<typeof propertyDefinitionContract.events>(
    "/api/projects/{project_id}/event_definitions/",
    { params: { project_id: projectId }, query: { search: settled.trim() || undefined, limit: "50" } },
    { staleTime: 60_000, retry: false },
  );
  const events = eventsOf(trigger);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Field label={label} optional hint={hint}>
        <ChipsInput
          values={events.map(({ name }) => name)}
          onValuesChange={(names) => onTriggerChange(withNames(trigger, names))}
          options={(seen.data?.results ?? []).map((event) => ({ value: event.name }))}
          onSearch={setSearch}
          loading={seen.isFetching && !seen.data}
          freeText="Use event"
          placeholder="order completed…"
        />
      </Field>
      {events.length > 0 ? (
        <ul aria-label={`${label}: conditions`} className="flex flex-col gap-1.5">
          {events.map((event, place) => (
            <EventFilters
              key={event.name}
              name={event.name}
              filters={filtersOf(event)}
              onFiltersChange={(next) => onTriggerChange(withFilters(trigger, place, next))}
            />
          ))}
        </ul>
      ) : null}
    </div>
  );
}

type FiltersProps = {
  name: string;
  filters: EventFilter[];
  onFiltersChange: (filters: EventFilter[]) => void;
};

function EventFilters({ name, filters, onFiltersChange }: FiltersProps) {
  const { readOnly } = useBuilder();
  const [adding, setAdding] = useState<string | null>(null);
  const property = adding?.trim() ?? "";
  const taken = filters.some((filter) => filter.property === property);
  function add() {
    if (property === "" || taken) return;
    onFiltersChange([...filters, { property, operator: "exact", values: [] }]);
    setAdding(null);
  }
  return (
    <li className="flex min-w-0 flex-col gap-2 rounded-md border bg-sunken px-2.5 py-2">
      <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="min-w-0 break-words text-xs">
          <span className="font-medium">{name}</span>
          <span className="text-muted">{filters.length === 0 ? ", with any properties" : " where"}</span>
        </span>
        {readOnly || adding !== null ? null : (
          <Button
            size="sm"
            variant="ghost"
            icon={Plus}
            aria-label={`Add a condition to ${name}`}
            onClick={() => setAdding("")}
          >
            Add a condition
          </Button>
        )}
      </div>
      {filters.map((filter, at) => (
        <FilterRow
          key={filter.property}
          event={name}
          filter={filter}
          onFilterChange={(next) =>
            onFiltersChange(
              next
                ? filters.map((each, place) => (place === at ? next : each))
                : filters.filter((_, place) => place !== at),
            )
          }
        />
      ))}
      {adding === null ? null : (
        <Field
          label={`Property of ${name}`}
          hideLabel
          error={taken ? "This property already has a condition." : undefined}
        >
          <div className="flex gap-1.5">
            <Input
              autoFocus
              mono
              spellCheck={false}
              aria-label={`Property of ${name}`}
              placeholder="amount"
              value={adding}
              onChange={(event) => setAdding(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === "Escape") setAdding(null);
                if (event.key !== "Enter") return;
                event.preventDefault();
                add();
              }}
            />
            <Button size="sm" className="h-8" disabled={property === "" || taken} onClick={add}>
              Add
            </Button>
            <IconButton icon={X} label="Cancel" onClick={() => setAdding(null)} />
          </div>
        </Field>
      )}
    </li>
  );
}

type RowProps = {
  event: string;
  filter: EventFilter;
  onFilterChange: (filter: EventFilter | null) => void;
};

function FilterRow({ event, filter, onFilterChange }: RowProps) {
  const { readOnly } = useBuilder();
  const { property, operator, values } = filter;
  const known = OPERATORS.some(({ value }) => value === operator);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-1.5 sm:grid-cols-[minmax(5rem,8rem)_9rem_minmax(0,1fr)_auto]">
        <span title={property} className="min-w-0 truncate py-2 font-mono text-xs">
          {property}
        </span>
        <Select
          label={`How ${property} of ${event} is compared`}
          className="max-sm:col-span-2"
          disabled={readOnly}
          value={operator}
          options={
            known
              ? OPERATORS
              : [...OPERATORS, { value: operator, label: `${operator} (not supported by browsers)` }]
          }
          onValueChange={(next) => onFilterChange({ ...filter, operator: next })}
        />
        <div className="min-w-0 max-sm:col-span-2">
          <ChipsInput
            label={`What ${property} of ${event} is compared with`}
            values={values}
            onValuesChange={(next) => onFilterChange({ ...filter, values: next })}
            placeholder={operator === "gt" || operator === "lt" ? "100" : "Value…"}
          />
        </div>
        {readOnly ? null : (
          <IconButton
            icon={X}
            className="max-sm:col-start-2 max-sm:row-start-1"
            label={`Remove ${property}`}
            onClick={() => onFilterChange(null)}
          />
        )}
      </div>
      <FieldError>{filterProblem(filter) ?? undefined}</FieldError>
    </div>
  );
}
