"use client";

import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { Json } from "#lib/engines/json.ts";
import { STEPS_MAX } from "#lib/experiments/metric_kinds/funnel.ts";
import { type AnyMetricType, readMetricType, UNKNOWN } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { emptyStep } from "#lib/experiments/metric_kinds/metric-schema.ts";
import { metricName } from "./metric-words.ts";
import { SourceEditor } from "./source-editor.tsx";

type FieldsProps = { projectId: string; metric: Json; change: (part: Json) => void };

const objectOf = (value: unknown): Json => (value ?? {}) as Json;

function MeanFields({ projectId, metric, change }: FieldsProps) {
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
        description="Values above the 99th percentile count as that percentile, so that one customer cannot decide the outcome."
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

function RatioFields({ projectId, metric, change }: FieldsProps) {
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
}

function FunnelFields({ projectId, metric, change }: FieldsProps) {
  const steps = (Array.isArray(metric.series) ? metric.series : []) as Json[];
  const set = (series: Json[]) => change({ series });
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted text-xs">
        Exposure comes first. People convert when they then complete every step
        {steps.length > 1 ? ", in this order" : ""}.
      </p>
      {steps.map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step has no identity but its index
        <div key={index} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <SourceEditor
              projectId={projectId}
              counted={false}
              label={`Step ${index + 1}`}
              source={step}
              onChange={(next) => set(steps.map((each, i) => (i === index ? next : each)))}
            />
          </div>
          {steps.length > 1 ? (
            <IconButton
              icon={Trash2}
              label={`Remove step ${index + 1}`}
              className="mt-5"
              onClick={() => set(steps.filter((_, i) => i !== index))}
            />
          ) : null}
        </div>
      ))}
      <Button
        size="sm"
        icon={Plus}
        className="w-fit"
        disabled={steps.length >= STEPS_MAX}
        onClick={() => set([...steps, emptyStep()])}
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
        label="Start event"
        source={objectOf(metric.start_event)}
        onChange={(start_event) => change({ start_event })}
      />
      <SourceEditor
        projectId={projectId}
        counted={false}
        label="Return event"
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
        <Field label="After the start">
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

const UnknownFields = () => (
  <p className="text-muted text-xs">This metric is of another form. Choose a kind to define it again.</p>
);

const FIELDS: Record<AnyMetricType, (props: FieldsProps) => ReactNode> = {
  funnel: FunnelFields,
  mean: MeanFields,
  ratio: RatioFields,
  retention: RetentionFields,
  [UNKNOWN]: UnknownFields,
};

/** The fields that differ between kinds of metrics. */
export function KindFields(props: FieldsProps) {
  const Fields = FIELDS[readMetricType(props.metric)];
  return <Fields {...props} />;
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
      <Field label="Goal" as="group">
        <Segmented
          label="Goal"
          value={metric.goal === "decrease" ? "decrease" : "increase"}
          onValueChange={(goal) => change({ goal })}
          options={[
            { value: "increase", label: "Higher is better" },
            { value: "decrease", label: "Lower is better" },
          ]}
        />
      </Field>
      <Field label="Conversion window">
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
