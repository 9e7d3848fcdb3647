"use client";

import { useEffect, useRef, useState } from "react";
import { Callout } from "#components/ui/callout.tsx";
import { Combobox } from "#components/ui/combobox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Select } from "#components/ui/select.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import { settingsOf } from "#lib/statistics/settings.ts";
import type { Settings } from "#lib/statistics/types.ts";
import type { StepProps } from "./editor.tsx";
import { metricName } from "./metric_words.ts";
import { previewFrom } from "./metrics_step.tsx";
import { PlanBasis } from "./plan_basis.tsx";
import { type Plan, planByRule, planFromEvents } from "./planning.ts";
import { PowerCurve } from "./power_curve.tsx";
import { metricsIn } from "./saved_uses.ts";
import { writeStats } from "./stats_draft.ts";
import { PREVIEW_DAYS, type PreviewFrom, usePreview } from "./use_preview.ts";
import { useSeenEvents } from "./use_seen.ts";

const SUGGESTED_EFFECT = 5;
const LONG_DAYS = 60;
const count = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2 });

/** How many people it takes to see the smallest effect worth seeing, and how many days. */
export function PlanStep(props: StepProps) {
  const { draft, change } = props;
  const metrics = metricsIn(draft, "metrics").filter((metric) => metric.kind === "ExperimentMetric");
  const [chosen, setChosen] = useState(0);
  const metric = metrics[chosen] ?? metrics[0];
  const effect = draft.effect ?? SUGGESTED_EFFECT;
  const [from, setFrom] = useState<PreviewFrom>(() => previewFrom(draft, props.experiment));
  return (
    <>
      {metric ? (
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Planned for">
            <Select
              value={String(metrics.indexOf(metric))}
              onValueChange={(place) => setChosen(Number(place))}
              options={metrics.map((each, place) => ({ value: String(place), label: metricName(each) }))}
            />
          </Field>
          <EffectField effect={effect} onChange={(value) => change({ effect: value })} />
          <FromField projectId={props.projectId} from={from} onChange={setFrom} />
        </div>
      ) : (
        <Callout>
          Add a primary metric first: what it was in the past days says how many people it takes.
        </Callout>
      )}
      {metric ? <Calculation {...props} metric={metric} effect={effect} from={from} /> : null}
    </>
  );
}

function EffectField({ effect, onChange }: { effect: number; onChange: (value: number) => void }) {
  const [typed, setTyped] = useState<string>();
  return (
    <Field
      label="Smallest effect worth finding"
      hint="A change smaller than this would not be worth the work. Half of it takes four times the people."
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

/** Whom the past days are counted of: those who would have come across the change. */
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
      label="Who would have taken part"
      description="Whoever did this in the past days; choose what happens where the change will be."
    >
      <Combobox
        value={flag ? `Asked for ${flag}` : (from.exposure_event ?? DEFAULT_START)}
        onValueChange={(event) => onChange({ exposure_event: event })}
        onSearch={events.setSearch}
        loading={events.loading}
        options={events.options}
        freeText="Any event named"
        searchPlaceholder="Search events that were seen"
      />
    </Field>
  );
}

type CalculationProps = StepProps & { metric: Record<string, unknown>; effect: number; from: PreviewFrom };

function Calculation({ projectId, experiment, draft, change, metric, effect, from }: CalculationProps) {
  const { stats } = draft;
  const [expected, setExpected] = useState<number>();
  const config = writeStats(null, stats);
  const preview = usePreview(projectId, metric, from, stats.cuped ? { cuped: config.cuped } : undefined);
  const reading = { variants: draft.variants, baseline: stats.baseline, settings: settingsOf(config) };
  const found = preview.state === "counted" ? preview.found : null;
  const counted = found ? planFromEvents(metric, found, effect, reading) : null;
  const guessed = found && !counted && expected ? planByRule(metric, expected, effect, reading) : null;
  const plan = counted === "impossible" ? null : (counted ?? guessed);
  const launched = experiment !== null && experiment.status !== "draft";
  // What was planned for a launched experiment stands, unless another effect is asked for.
  const replan = !launched || effect !== experiment.parameters?.minimum_detectable_effect;
  useKeptPlan(replan ? plan : null, effect, change);
  if (preview.state === "counting") return <Skeleton className="h-40 w-full" />;
  if (preview.state === "failed")
    return <Callout tone="warning">The past days could not be counted: {preview.problem}</Callout>;
  if (found?.problem) return <Callout tone="warning">{found.problem}</Callout>;
  if (counted === "impossible")
    return (
      <Callout tone="warning">
        An effect of {effect}% is not possible for this metric. Choose a smaller one.
      </Callout>
    );
  const shown = plan ? <Planned plan={plan} metric={metric} settings={reading.settings} /> : null;
  if (counted) return shown;
  return (
    <>
      <RuleOfThumb metric={metric} expected={expected} isImpossible={plan === null} onChange={setExpected} />
      {shown}
    </>
  );
}

/** What is planned goes into the draft, so that it is saved with it. */
function useKeptPlan(plan: Plan | null, effect: number, change: StepProps["change"]) {
  const latest = useRef(change);
  latest.current = change;
  const kept = plan && JSON.stringify({ sample: plan.sample, days: plan.days, source: plan.source });
  useEffect(() => {
    if (kept !== null) latest.current({ effect, ...JSON.parse(kept) });
  }, [kept, effect]);
}

const isShareMetric = ({ metric_type }: Record<string, unknown>) =>
  metric_type === "funnel" || metric_type === "retention";

type RuleOfThumbProps = {
  metric: Record<string, unknown>;
  expected: number | undefined;
  isImpossible: boolean;
  onChange: (expected: number | undefined) => void;
};

/** Without stored events somebody has to say what the metric will be. */
function RuleOfThumb({ metric, expected, isImpossible, onChange }: RuleOfThumbProps) {
  const [typed, setTyped] = useState("");
  if (metric.metric_type === "ratio")
    return (
      <Callout tone="warning" title="No events stored yet">
        In the last {PREVIEW_DAYS} days nobody did what this ratio counts, and there is no rule of thumb for
        ratios. The experiment can be launched without a planned end.
      </Callout>
    );
  const share = isShareMetric(metric);
  return (
    <>
      <Callout tone="warning" title="Rule of thumb: no events stored yet">
        In the last {PREVIEW_DAYS} days nobody did what this metric counts, so how much people differ is not
        known. PostHog's formula assumes a typical spread, which can be far too small for amounts of money.
        Plan again once there are events. You can also launch without a planned end.
      </Callout>
      <Field
        label={
          share ? "Rate you expect without the change" : "Value per person you expect without the change"
        }
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

type PlannedProps = { plan: Plan; metric: Record<string, unknown>; settings: Settings };

function Planned({ plan, metric, settings }: PlannedProps) {
  const { baseline, target, sample, days, effect, input } = plan;
  const value = (each: number) => (isShareMetric(metric) ? percent.format(each) : number.format(each));
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
          <dt className="text-muted text-xs">People needed, all variants together</dt>
          <dd className="tabular font-semibold text-lg">{count.format(sample)}</dd>
        </div>
        <div>
          <dt className="text-muted text-xs">At the pace of the last {PREVIEW_DAYS} days</dt>
          <dd className="tabular font-semibold text-lg">
            {days === null ? "Not known" : `${count.format(days)} ${days === 1 ? "day" : "days"}`}
          </dd>
        </div>
      </dl>
      <PlanBasis plan={plan} settings={settings} />
      {days !== null && days > LONG_DAYS ? (
        <Callout tone="warning" title="That is long">
          Look for a larger effect, choose a metric nearer to the change, or let more people take part: over
          months, other things change too.
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
