"use client";

import { Plus, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { NumberInput } from "#components/ui/form/number-input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { Json } from "#lib/engines/json.ts";
import { STEPS_MAX } from "#lib/experiments/metric_kinds/funnel.ts";
import { type AnyMetricType, readMetricType, UNKNOWN } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { emptyStep } from "#lib/experiments/metric_kinds/metric-schema.ts";
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
      <CapFields metric={metric} change={change} />
    </>
  );
}

const LOWER = 0.01;
const UPPER = 0.99;

/** Where extreme values are cut off, so that one customer cannot decide the outcome. */
function CapFields({ metric, change }: Omit<FieldsProps, "projectId">) {
  const { lower_bound_percentile: lower, upper_bound_percentile: upper } = metric;
  const bound = (name: "lower_bound_percentile" | "upper_bound_percentile", usual: number, label: string) => {
    const value = metric[name];
    const isOn = typeof value === "number";
    return (
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Checkbox
          label={label}
          checked={isOn}
          onCheckedChange={(on) =>
            change({
              [name]: on === true ? usual : undefined,
              // Most people do nothing: with their zeros, the percentile may well be zero.
              ...(name === "upper_bound_percentile" && { ignore_zeros: on === true || undefined }),
            })
          }
        />
        {isOn ? (
          <NumberInput
            label={`${label}: percentile`}
            value={percentOf(value)}
            onValueChange={(percent) => change({ [name]: percent / 100 })}
            className="w-24"
          />
        ) : null}
      </div>
    );
  };
  return (
    <Field
      label="Extreme values"
      as="group"
      description="Limited to a percentile of all values, so that one customer cannot decide the outcome."
    >
      <div className="flex flex-col gap-2.5">
        {bound("upper_bound_percentile", UPPER, "Cap values above a percentile")}
        {bound("lower_bound_percentile", LOWER, "Raise values below a percentile")}
        {typeof upper === "number" ? (
          <Checkbox
            label="Ignore zeros for the upper percentile"
            description="Otherwise it can be zero where few people do anything."
            checked={metric.ignore_zeros === true}
            onCheckedChange={(on) => change({ ignore_zeros: on === true || undefined })}
          />
        ) : null}
        {typeof lower === "number" && typeof upper === "number" && lower >= upper ? (
          <FieldError>The lower percentile must be below the upper one.</FieldError>
        ) : null}
      </div>
    </Field>
  );
}

/** A fraction in percent, without the error of binary fractions. */
const percentOf = (fraction: number): number => Number((100 * fraction).toPrecision(10));

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
  const isUnordered = metric.funnel_order_type === "unordered";
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted text-xs">
        Exposure comes first. A person converts by then completing every step
        {steps.length < 2 ? "" : isUnordered ? ", in any order" : ", in this order"}.
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
      {steps.length > 1 ? (
        <Field label="Order of the steps" as="group">
          <Segmented
            label="Order of the steps"
            value={isUnordered ? "unordered" : "ordered"}
            onValueChange={(funnel_order_type) => change({ funnel_order_type })}
            options={[
              { value: "ordered", label: "As listed" },
              { value: "unordered", label: "Any order" },
            ]}
          />
        </Field>
      ) : null}
    </div>
  );
}

/** How long a window of time can be said to be. */
export const UNITS = ["minute", "hour", "day", "week", "month"].map((value) => ({
  value,
  label: `${value}s`,
}));

/** The whole number in a text; 0 where there is none. */
export const wholeIn = (text: string): number => Math.max(0, Math.floor(Number(text) || 0));

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
      <Field
        label="Measured from"
        as="group"
        description="Which start event counts where a person has several."
      >
        <Segmented
          label="Measured from"
          value={metric.start_handling === "last_seen" ? "last_seen" : "first_seen"}
          onValueChange={(start_handling) => change({ start_handling })}
          options={[
            { value: "first_seen", label: "The first start" },
            { value: "last_seen", label: "The latest start" },
          ]}
        />
      </Field>
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
