"use client";

import { useEffect, useRef, useState } from "react";
import { Callout } from "#components/ui/callout.tsx";
import { Combobox } from "#components/ui/combobox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Select } from "#components/ui/select.tsx";
import { Skeleton } from "#components/ui/skeleton.tsx";
import type { StepProps } from "./editor.tsx";
import { metricName } from "./metric_words.ts";
import { previewFrom } from "./metrics_step.tsx";
import { type Plan, planOf } from "./planning.ts";
import { PowerCurve } from "./power_curve.tsx";
import { metricsIn } from "./saved_uses.ts";
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
  const preview = usePreview(projectId, metric, from);
  const found = preview.state === "counted" ? preview.found : null;
  const alpha = 1 - draft.stats.level;
  const plan = found ? planOf(metric, found, effect, Math.max(2, draft.variants.length), alpha) : null;
  const launched = experiment !== null && experiment.status !== "draft";
  // What was planned for a launched experiment stands, unless another effect is asked for.
  const replan = !launched || effect !== experiment.parameters?.minimum_detectable_effect;
  useKeptPlan(replan ? plan : null, effect, change);
  if (preview.state === "counting") return <Skeleton className="h-40 w-full" />;
  if (preview.state === "failed")
    return <Callout tone="warning">The past days could not be counted: {preview.problem}</Callout>;
  if (!plan)
    return (
      <Callout tone="warning">
        {found?.problem ??
          `In the last ${PREVIEW_DAYS} days nobody did what this metric counts, so there is nothing to plan with. The experiment can be launched all the same, without a planned end.`}
      </Callout>
    );
  return (
    <Planned
      plan={plan}
      share={metric.metric_type === "funnel" || metric.metric_type === "retention"}
      effect={effect}
    />
  );
}

/** What is planned goes into the draft, so that it is saved with it. */
function useKeptPlan(plan: Plan | null, effect: number, change: StepProps["change"]) {
  const latest = useRef(change);
  latest.current = change;
  const sample = plan?.sample ?? null;
  const days = plan?.days ?? null;
  useEffect(() => {
    if (sample !== null) latest.current({ effect, sample, days });
  }, [sample, days, effect]);
}

function Planned({ plan, share, effect }: { plan: Plan; share: boolean; effect: number }) {
  const { baseline, sample, days } = plan;
  const value = (each: number) => (share ? percent.format(each) : number.format(each));
  return (
    <>
      <dl className="grid gap-x-6 gap-y-3 rounded-lg border bg-surface px-4 py-3 shadow-card sm:grid-cols-3">
        <div>
          <dt className="text-muted text-xs">From, to at least</dt>
          <dd className="tabular font-semibold text-lg">
            {value(baseline)} → {value(baseline * (1 + effect / 100))}
          </dd>
        </div>
        <div>
          <dt className="text-muted text-xs">People needed, all variants together</dt>
          <dd className="tabular font-semibold text-lg">{count.format(sample)}</dd>
        </div>
        <div>
          <dt className="text-muted text-xs">At the pace of the last {PREVIEW_DAYS} days</dt>
          <dd className="tabular font-semibold text-lg">
            {days === null ? "Nobody new came" : `${count.format(Math.ceil(days))} days`}
          </dd>
        </div>
      </dl>
      {days !== null && days > LONG_DAYS ? (
        <Callout tone="warning" title="That is long">
          Look for a larger effect, choose a metric nearer to the change, or let more people take part: over
          months, other things change too.
        </Callout>
      ) : null}
      <PowerCurve input={plan.curve} effect={effect / 100} />
    </>
  );
}
