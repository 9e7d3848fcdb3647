import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useSeenEvents } from "#components/conditions/events/use-seen.ts";
import { MetricEditor } from "#components/metrics/metric-editor.tsx";
import { metricName, metricText } from "#components/metrics/metric-words.ts";
import { Button } from "#components/ui/button.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { NumberInput } from "#components/ui/form/number-input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { GuardrailDraft } from "./ramp-draft.ts";

const COUNTED: { value: GuardrailDraft["counts"]; label: string; description?: string }[] = [
  { value: "people", label: "Share of people with an event" },
  { value: "events", label: "Events per person" },
  { value: "metric", label: "Another metric", description: "Funnels, sums, ratios, retention" },
];

type GuardrailProps = {
  projectId: string;
  flagKey: string;
  place: number;
  guardrail: GuardrailDraft;
  onChange: (guardrail: GuardrailDraft) => void;
  onRemove: () => void;
};

/** The fields of a guardrail: an event, or a metric of any kind. */
export function GuardrailFields({
  projectId,
  flagKey,
  place,
  guardrail,
  onChange,
  onRemove,
}: GuardrailProps) {
  const [editing, setEditing] = useState(false);
  return (
    <div className="grid gap-x-3 gap-y-2 rounded-lg border px-3 py-2.5 sm:grid-cols-6">
      <Field label={`Guardrail ${place}`} className="sm:col-span-3">
        <Select
          value={guardrail.counts}
          options={COUNTED}
          onValueChange={(counts) => onChange({ ...guardrail, counts })}
        />
      </Field>
      {guardrail.counts === "metric" ? (
        <Field label="Metric" as="group" className="sm:col-span-3">
          <Button className="w-full justify-start truncate" icon={Pencil} onClick={() => setEditing(true)}>
            <span className="truncate">
              {guardrail.metric ? metricName(guardrail.metric) : "Choose a metric…"}
            </span>
          </Button>
        </Field>
      ) : (
        <EventField {...{ projectId, place, guardrail, onChange }} />
      )}
      {guardrail.counts === "metric" && guardrail.metric ? (
        <p className="text-muted text-xs sm:col-span-6">{metricText(guardrail.metric)}</p>
      ) : null}
      <Field label="Harm" className="sm:col-span-2">
        <Select
          value={guardrail.harm}
          options={[
            { value: "increase", label: "It rises" },
            { value: "decrease", label: "It falls" },
          ]}
          onValueChange={(harm) => onChange({ ...guardrail, harm })}
        />
      </Field>
      <Field label="By more than" className="sm:col-span-1">
        <NumberInput
          label={`Margin of guardrail ${place}`}
          value={guardrail.margin}
          onValueChange={(margin) => onChange({ ...guardrail, margin })}
        />
      </Field>
      <Field label="Then" className="sm:col-span-2">
        <Select
          value={guardrail.action}
          options={[
            { value: "roll_back", label: "Roll back" },
            { value: "pause", label: "Pause" },
          ]}
          onValueChange={(action) => onChange({ ...guardrail, action })}
        />
      </Field>
      <IconButton
        icon={Trash2}
        label={`Remove guardrail ${place}`}
        variant="ghost"
        className="self-end justify-self-end"
        onClick={onRemove}
      />
      {editing ? (
        <MetricEditor
          projectId={projectId}
          metric={guardrail.metric}
          from={{ feature_flag_key: flagKey }}
          title={`Metric of guardrail ${place}`}
          saveLabel="Use metric"
          onClose={() => setEditing(false)}
          onSave={(metric) => {
            // What is better the lower it is does harm where it rises.
            onChange({ ...guardrail, metric, harm: metric.goal === "decrease" ? "increase" : "decrease" });
            setEditing(false);
            return undefined;
          }}
        />
      ) : null}
    </div>
  );
}

type EventProps = Pick<GuardrailProps, "projectId" | "place" | "guardrail" | "onChange">;

function EventField({ projectId, place, guardrail, onChange }: EventProps) {
  const events = useSeenEvents(projectId);
  return (
    <Field label={`Event of guardrail ${place}`} className="sm:col-span-3">
      <Combobox
        value={guardrail.event}
        onValueChange={(event) => onChange({ ...guardrail, event })}
        onSearch={events.setSearch}
        loading={events.loading}
        options={events.options}
        freeText="Use event"
        placeholder="Choose an event"
        searchPlaceholder="Search events"
        empty="No event matches"
      />
    </Field>
  );
}
