"use client";

import { useEffect, useRef, useState } from "react";
import { useSeenEvents } from "#components/conditions/events/use-seen.ts";
import { type Plan, planByRule, planFromEvents, planningOf } from "#components/experiments/planning.ts";
import { metricsIn } from "#components/experiments/saved-uses.ts";
import { writeStats } from "#components/experiments/stats-draft.ts";
import { metricName } from "#components/metrics/metric-words.ts";
import { useUnit } from "#components/metrics/use-group-types.ts";
import { PREVIEW_DAYS, type PreviewFrom, usePreview } from "#components/metrics/use-preview.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { Skeleton } from "#components/ui/display/skeleton.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import type { Json } from "#lib/engines/json.ts";
import { amountText } from "#lib/engines/statistics/numbers.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import { SAMPLE_TYPES, type Settings } from "#lib/engines/statistics/types.ts";
import { readMetricType, valueUnitOf } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { unitWord } from "#lib/experiments/results/unit-words.ts";
import { formatCount, formatShortPercent, plural } from "#lib/platform/format.ts";
import { previewFrom } from "./metrics-step.tsx";
import { PlanBasis } from "./plan-basis.tsx";
import { PowerCurve } from "./power-curve.tsx";
import type { StepProps } from "./steps.ts";

const SUGGESTED_EFFECT = 5;
const LONG_DAYS = 60;

/** How many people and days it takes to detect the minimum effect. */
export function PlanStep(props: StepProps) {
  const { values, change } = props;
  const metrics = metricsIn(values, "metrics").filter((metric) => metric.kind === "ExperimentMetric");
  const [chosen, setChosen] = useState(0);
  const metric = metrics[chosen] ?? metrics[0];
  const effect = values.effect ?? SUGGESTED_EFFECT;
  const [from, setFrom] = useState<PreviewFrom>(() => previewFrom(values, props.experiment));
  return (
    <>
      {metric ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Metric">
            <Select
              value={String(metrics.indexOf(metric))}
              onValueChange={(index) => setChosen(Number(index))}
              options={metrics.map((each, index) => ({ value: String(index), label: metricName(each) }))}
            />
          </Field>
          <EffectField effect={effect} onChange={(value) => change({ effect: value })} />
          <FromField projectId={props.projectId} from={from} onChange={setFrom} />
        </div>
      ) : (
        <Callout>Add a primary metric first: its recent values determine how many people you need.</Callout>
      )}
      {metric ? <Calculation {...props} metric={metric} effect={effect} from={from} /> : null}
    </>
  );
}

function EffectField({ effect, onChange }: { effect: number; onChange: (value: number) => void }) {
  const [typed, setTyped] = useState<string>();
  return (
    <Field
      label="Minimum detectable effect"
      hint="Smaller changes would not be worth the work. Half the effect takes four times the people."
    >
      <Input
        inputMode="decimal"
        suffix="%"
        value={typed ?? String(effect)}
        onBlur={() => setTyped(undefined)}
        onChange={(event) => {
          const text = event.target.value.replace(",", ".");
          setTyped(text);
          const value = Number(text);
          if (text !== "" && Number.isFinite(value) && value > 0) onChange(value);
        }}
      />
    </Field>
  );
}

const DEFAULT_START = "$pageview";

/** Whose events the preview counts: people who would have been exposed. */
function FromField({
  projectId,
  from,
  onChange,
}: {
  projectId: string;
  from: PreviewFrom;
  onChange: (from: PreviewFrom) => void;
}) {
  const events = useSeenEvents(projectId);
  const flag = from.feature_flag_key;
  return (
    <Field
      label="Who would have been exposed"
      description="All who did this recently. Choose an event that happens where the change will be."
    >
      <Combobox
        value={flag ? `Evaluated ${flag}` : (from.exposure_event ?? DEFAULT_START)}
        onValueChange={(event) => {
          const { feature_flag_key: _, ...rest } = from;
          onChange({ ...rest, exposure_event: event });
        }}
        onSearch={events.setSearch}
        loading={events.loading}
        options={events.options}
        freeText="Use event"
        searchPlaceholder="Search events"
      />
    </Field>
  );
}

type CalculationProps = StepProps & { metric: Record<string, unknown>; effect: number; from: PreviewFrom };

function Calculation({ projectId, experiment, values, change, metric, effect, from }: CalculationProps) {
  const { stats } = values;
  const unit = useUnit(projectId, values.group);
  const [expected, setExpected] = useState<number>();
  const config = writeStats(null, stats);
  const preview = usePreview(projectId, metric, from, stats.cuped ? { cuped: config.cuped } : undefined);
  const reading = { variants: values.variants, baseline: stats.baseline, settings: readSettings(config) };
  const found = preview.state === "counted" ? preview.found : null;
  const counted = found ? planFromEvents(metric, found, effect, reading) : null;
  const guessed = found && !counted && expected ? planByRule(metric, expected, effect, reading) : null;
  const plan = counted === "impossible" ? null : (counted ?? guessed);
  const launched = experiment !== null && experiment.status !== "draft";
  // The plan of a launched experiment is kept unless another effect is entered.
  const replan = !launched || effect !== experiment.parameters?.minimum_detectable_effect;
  usePlanInDraft(replan ? plan : null, effect, change);
  if (preview.state === "counting") return <Skeleton className="h-40 w-full" />;
  if (preview.state === "failed")
    return <Callout tone="warning">Recent events could not be counted: {preview.problem}</Callout>;
  if (found?.problem) return <Callout tone="warning">{found.problem}</Callout>;
  if (counted === "impossible")
    return (
      <Callout tone="warning">
        An effect of {effect}% is not possible for this metric. Choose a smaller one.
      </Callout>
    );
  const shown = plan ? <Planned metric={metric} plan={plan} settings={reading.settings} unit={unit} /> : null;
  if (counted) return shown;
  return (
    <>
      <RuleOfThumb metric={metric} expected={expected} isImpossible={plan === null} onChange={setExpected} />
      {shown}
    </>
  );
}

/** Copies the plan into the values, so that it is saved with it. */
function usePlanInDraft(plan: Plan | null, effect: number, change: StepProps["change"]) {
  const latest = useRef(change);
  latest.current = change;
  const planJson = plan && JSON.stringify({ sample: plan.sample, days: plan.days, source: plan.source });
  useEffect(() => {
    if (planJson !== null) latest.current({ effect, ...JSON.parse(planJson) });
  }, [planJson, effect]);
}

type RuleOfThumbProps = {
  metric: Record<string, unknown>;
  expected: number | undefined;
  isImpossible: boolean;
  onChange: (expected: number | undefined) => void;
};

/** Without stored events, an expected value has to be entered. */
function RuleOfThumb({ metric, expected, isImpossible, onChange }: RuleOfThumbProps) {
  const [typed, setTyped] = useState("");
  const planning = planningOf(metric);
  const type = readMetricType(metric);
  if (!planning?.calculator)
    return (
      <Callout tone="warning" title="No events stored yet">
        Nobody did what this {type} counts in the last {PREVIEW_DAYS} days, and {type}s have no rule of thumb.
        You can launch without a planned end.
      </Callout>
    );
  const share = planning.isShare;
  return (
    <>
      <Callout tone="warning" title="Rule of thumb: no events stored yet">
        Nobody did what this metric counts in the last {PREVIEW_DAYS} days, so its variance is unknown.
        PostHog's formula assumes a typical variance, which can be far too small for revenue. Plan again once
        there are events, or launch without a planned end.
      </Callout>
      <Field
        label={share ? "Expected rate without the change" : "Expected value per person without the change"}
        className="max-w-80"
        {...(expected !== undefined && isImpossible
          ? {
              error: share
                ? "Enter a rate that leaves room for the effect, below 100%."
                : "Enter a number above 0.",
            }
          : {})}
      >
        <Input
          inputMode="decimal"
          {...(share && { suffix: "%" })}
          value={typed}
          onChange={(event) => {
            const text = event.target.value.replace(",", ".");
            setTyped(event.target.value);
            const value = Number(text);
            const isNumber = text.trim() !== "" && Number.isFinite(value);
            onChange(isNumber ? value / (share ? 100 : 1) : undefined);
          }}
        />
      </Field>
    </>
  );
}

type PlannedProps = { metric: Json; plan: Plan; settings: Settings; unit: string };

const titled = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase());

function Planned({ metric, plan, settings, unit }: PlannedProps) {
  const { baseline, target, sample, days, effect, input } = plan;
  const value = (each: number) =>
    SAMPLE_TYPES[input.type].isShare ? formatShortPercent(each) : amountText(each, valueUnitOf(metric));
  return (
    <>
      <dl className="grid gap-x-6 gap-y-3 rounded-lg border bg-surface px-4 py-3 shadow-card sm:grid-cols-3">
        <div>
          <dt className="text-muted text-xs">Without the change → with the effect</dt>
          <dd className="tabular font-semibold text-lg">
            {value(baseline)} → {value(target)}
          </dd>
        </div>
        <div>
          <dt className="text-muted text-xs">{titled(unitWord(unit))} needed across all variants</dt>
          <dd className="tabular font-semibold text-lg">{formatCount(sample)}</dd>
        </div>
        <div>
          <dt className="text-muted text-xs">At the pace of the last {PREVIEW_DAYS} days</dt>
          <dd className="tabular font-semibold text-lg">{days === null ? "Unknown" : plural(days, "day")}</dd>
        </div>
      </dl>
      <PlanBasis plan={plan} settings={settings} unit={unit} />
      {days !== null && days > LONG_DAYS ? (
        <Callout tone="warning" title="That is a long time">
          Plan for a larger effect, choose a metric closer to the change, or include more people. Over months,
          other things change too.
        </Callout>
      ) : null}
      <PowerCurve
        input={input}
        sample={sample}
        effect={effect}
        isRuleOfThumb={plan.source.kind === "rule_of_thumb"}
      />
    </>
  );
}
