"use client";

import { Plus, Trash2 } from "lucide-react";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Input } from "#components/ui/input.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Select } from "#components/ui/select.tsx";
import { metricName } from "./metric_words.ts";
import { SourceEditor } from "./source_editor.tsx";

type Json = Record<string, unknown>;

type FieldsProps = { projectId: string; metric: Json; change: (part: Json) => void };

const objectOf = (value: unknown): Json => (value ?? {}) as Json;

/** What is counted, as far as it differs from kind to kind. */
export function KindFields({ projectId, metric, change }: FieldsProps) {
  if (metric.metric_type === "funnel") return <FunnelFields {...{ projectId, metric, change }} />;
  if (metric.metric_type === "retention") return <RetentionFields {...{ projectId, metric, change }} />;
  if (metric.metric_type === "ratio")
    return (
      <>
        <SourceEditor
          projectId={projectId}
          label="Numerator"
          source={objectOf(metric.numerator)}
          onChange={(numerator) => change({ numerator })}
        />
        <SourceEditor
          projectId={projectId}
          label="Denominator"
          source={objectOf(metric.denominator)}
          onChange={(denominator) => change({ denominator })}
        />
      </>
    );
  return (
    <>
      <SourceEditor
        projectId={projectId}
        label="Event"
        source={objectOf(metric.source)}
        onChange={(source) => change({ source })}
      />
      <Checkbox
        label="Cap extreme values"
        description="The largest 1 % count as the value at the 99th percentile, so that a single customer does not decide."
        checked={typeof metric.upper_bound_percentile === "number"}
        onCheckedChange={(on) =>
          change({
            upper_bound_percentile: on === true ? 0.99 : undefined,
            ignore_zeros: on === true || undefined,
          })
        }
      />
    </>
  );
}

const STEPS_MAX = 20;

function FunnelFields({ projectId, metric, change }: FieldsProps) {
  const steps = (Array.isArray(metric.series) ? metric.series : []) as Json[];
  const set = (series: Json[]) => change({ series });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted text-xs">
        The exposure comes first. Somebody converts who then does every step
        {steps.length > 1 ? ", in this order" : ""}.
      </p>
      {steps.map((step, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step has no identity but its place
        <div key={place} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <SourceEditor
              projectId={projectId}
              counted={false}
              label={`Step ${place + 1}`}
              source={step}
              onChange={(next) => set(steps.map((each, i) => (i === place ? next : each)))}
            />
          </div>
          {steps.length > 1 ? (
            <IconButton
              icon={Trash2}
              label={`Remove step ${place + 1}`}
              className="mt-5"
              onClick={() => set(steps.filter((_, i) => i !== place))}
            />
          ) : null}
        </div>
      ))}
      <Button
        size="sm"
        icon={Plus}
        className="w-fit"
        disabled={steps.length >= STEPS_MAX}
        onClick={() => set([...steps, { kind: "EventsNode", event: "", properties: [] }])}
      >
        Add a step
      </Button>
    </div>
  );
}

const UNITS = ["hour", "day", "week", "month"].map((value) => ({ value, label: `${value}s` }));

const wholeIn = (text: string): number => Math.max(0, Math.floor(Number(text) || 0));

function RetentionFields({ projectId, metric, change }: FieldsProps) {
  return (
    <>
      <SourceEditor
        projectId={projectId}
        counted={false}
        label="Begins with"
        source={objectOf(metric.start_event)}
        onChange={(start_event) => change({ start_event })}
      />
      <SourceEditor
        projectId={projectId}
        counted={false}
        label="Comes back for"
        source={objectOf(metric.completion_event)}
        onChange={(completion_event) => change({ completion_event })}
      />
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
        <Field label="From">
          <Input
            inputMode="numeric"
            value={String(metric.retention_window_start ?? 1)}
            onChange={(event) => change({ retention_window_start: wholeIn(event.target.value) })}
          />
        </Field>
        <Field label="To">
          <Input
            inputMode="numeric"
            value={String(metric.retention_window_end ?? 7)}
            onChange={(event) => change({ retention_window_end: wholeIn(event.target.value) })}
          />
        </Field>
        <Field label="After it began">
          <Select
            value={String(metric.retention_window_unit ?? "day")}
            onValueChange={(retention_window_unit) => change({ retention_window_unit })}
            options={UNITS}
          />
        </Field>
      </div>
    </>
  );
}

const FOREVER = "0";
const WINDOWS = [
  { value: FOREVER, label: "Until the experiment ends" },
  { value: "1", label: "1 day" },
  { value: "3", label: "3 days" },
  { value: "7", label: "7 days" },
  { value: "14", label: "14 days" },
  { value: "30", label: "30 days" },
];

/** What every metric has: which way is better, for how long, its name. */
export function CommonFields({ metric, change }: Omit<FieldsProps, "projectId">) {
  const days = metric.conversion_window_unit === "day" ? String(metric.conversion_window ?? 0) : FOREVER;
  const known = WINDOWS.some((each) => each.value === days);
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Better is" as="group">
        <Segmented
          label="Better is"
          value={metric.goal === "decrease" ? "decrease" : "increase"}
          onValueChange={(goal) => change({ goal })}
          options={[
            { value: "increase", label: "More" },
            { value: "decrease", label: "Less" },
          ]}
        />
      </Field>
      <Field label="Counted after the first exposure for">
        <Select
          value={known ? days : FOREVER}
          onValueChange={(value) =>
            change(
              value === FOREVER
                ? { conversion_window: undefined, conversion_window_unit: undefined }
                : { conversion_window: Number(value), conversion_window_unit: "day" },
            )
          }
          options={WINDOWS}
        />
      </Field>
      <Field label="Name" optional className="sm:col-span-2">
        <Input
          placeholder={metricName({ ...metric, name: "" })}
          value={typeof metric.name === "string" ? metric.name : ""}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
    </div>
  );
}
