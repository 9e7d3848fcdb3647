"use client";

import { readFilters, writeFilters } from "#components/conditions/events/event-draft.ts";
import { EventFilters } from "#components/conditions/events/event-filters.tsx";
import { useSeenEvents, useSeenProperties } from "#components/conditions/events/use-seen.ts";
import { useGroupTypes } from "#components/metrics/use-group-types.ts";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Select } from "#components/ui/form/select.tsx";
import type { Json } from "#lib/engines/json.ts";
import { unitWord } from "#lib/experiments/results/unit-words.ts";

const MATHS = [
  { value: "total", label: "Number of events" },
  { value: "sum", label: "Sum of a property" },
  { value: "avg", label: "Average of a property" },
  { value: "min", label: "Smallest value of a property" },
  { value: "max", label: "Largest value of a property" },
  { value: "dau", label: "Whether it happened at all" },
  { value: "unique_session", label: "Number of different sessions" },
];

/** Groups of a type that are counted, as one value of the list. */
const GROUPS = "unique_group:";

/** Stands for every event in the list of events. */
const EVERY_EVENT = "\u0000every event";

const OF_PROPERTY = new Set(["sum", "avg", "min", "max"]);

type Props = {
  projectId: string;
  label: string;
  description?: string;
  source: Json;
  onChange: (source: Json) => void;
  /** Whether a number is read from the events; steps of a funnel only happen. */
  counted?: boolean;
};

/** An event that was received, its conditions, and how it is counted. */
export function SourceEditor({ projectId, label, description, source, onChange, counted = true }: Props) {
  const events = useSeenEvents(projectId);
  const event = typeof source.event === "string" && source.event !== "" ? source.event : null;
  const types = useGroupTypes(projectId);
  const isEvery = source.kind === "EventsNode" && source.event === null;
  const { properties, loading } = useSeenProperties(projectId, event);
  const math =
    source.math === "unique_group"
      ? `${GROUPS}${source.math_group_type_index}`
      : typeof source.math === "string"
        ? source.math
        : "total";
  const ofProperty = OF_PROPERTY.has(math);
  const name = label.toLowerCase();
  if (source.kind !== undefined && source.kind !== "EventsNode")
    return (
      <Field label={label} as="group">
        <p className="text-muted text-sm">Created with the API and left unchanged.</p>
      </Field>
    );
  return (
    <div className="flex flex-col gap-2">
      <div className="grid gap-2 sm:grid-cols-2">
        <Field label={label} description={description} className={counted ? undefined : "sm:col-span-2"}>
          <Combobox
            value={isEvery ? EVERY_EVENT : event}
            onValueChange={(chosen) =>
              onChange({ ...source, kind: "EventsNode", event: chosen === EVERY_EVENT ? null : chosen })
            }
            onSearch={events.setSearch}
            loading={events.loading}
            options={[{ value: EVERY_EVENT, label: "Every event" }, ...events.options]}
            freeText="Use event"
            placeholder="Choose an event"
            searchPlaceholder="Search events"
            empty="No event matches"
          />
        </Field>
        {counted ? (
          <Field label={label === "Event" ? "Measure" : `${label} measure`}>
            <Select
              value={math}
              onValueChange={(chosen) =>
                onChange({
                  ...source,
                  math: chosen.startsWith(GROUPS) ? "unique_group" : chosen,
                  math_property: OF_PROPERTY.has(chosen) ? source.math_property : undefined,
                  math_group_type_index: chosen.startsWith(GROUPS)
                    ? Number(chosen.slice(GROUPS.length))
                    : undefined,
                })
              }
              options={[
                ...MATHS,
                ...types.map(({ group_type, group_type_index }) => ({
                  value: `${GROUPS}${group_type_index}`,
                  label: `Number of different ${unitWord(group_type)}`,
                })),
              ]}
            />
          </Field>
        ) : null}
        {counted && ofProperty ? (
          <Field label={label === "Event" ? "Property" : `Property of ${name}`} className="sm:col-start-2">
            <Combobox
              value={typeof source.math_property === "string" ? source.math_property : null}
              onValueChange={(math_property) => onChange({ ...source, math_property })}
              loading={loading}
              freeText="Use property"
              placeholder="Choose a property"
              options={properties
                .filter(({ property_type }) => property_type === "Numeric")
                .map((property) => ({ value: property.name, hint: property.examples[0] }))}
            />
          </Field>
        ) : null}
      </div>
      <EventFilters
        projectId={projectId}
        event={event}
        of={`of ${name}`}
        filters={readFilters(source.properties)}
        onChange={(filters) => onChange({ ...source, properties: keepUnfinished(filters) })}
      />
    </div>
  );
}

/** Rows that are still being typed stay in the form; the API never sees those without a property. */
function keepUnfinished(filters: ReturnType<typeof readFilters>): Json[] {
  return filters.map((filter) => writeFilters([filter])[0] ?? { ...filter, type: "event" });
}
