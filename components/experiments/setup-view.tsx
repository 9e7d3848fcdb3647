import type { Route } from "next";
import type { ReactNode } from "react";
import { exposureText } from "#components/experiments/metrics/exposure-words.ts";
import { SavedBadge } from "#components/experiments/metrics/saved-badge.tsx";
import { LaunchPlan } from "#components/experiments/running/launch-plan.tsx";
import { kindWord, metricName, metricText } from "#components/metrics/metric-words.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { ShareBar } from "#components/ui/display/share-bar.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { formatCount, formatNumber } from "#lib/platform/format.ts";
import { readSource, sourceText, spreadText } from "./plan-source.ts";
import { statsFacts } from "./stats-draft.ts";
import { splitOfExperiment } from "./variants.ts";

type Props = { projectId: string; experiment: ExperimentRecord; may_write: boolean };
type Raw = Record<string, unknown>;

/** An experiment's setup, in words. */
export function SetupView({ projectId, experiment, may_write }: Props) {
  const edit = (step: string) =>
    may_write ? (
      <ButtonLink
        size="sm"
        variant="ghost"
        href={`/project/${projectId}/experiments/${experiment.id}/edit?step=${step}` as Route}
      >
        Edit<span className="sr-only"> {step}</span>
      </ButtonLink>
    ) : null;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Hypothesis" actions={edit("hypothesis")}>
          {experiment.launch_plan ? (
            <LaunchPlan experiment={experiment} />
          ) : (
            <p className="whitespace-pre-wrap break-words text-sm">
              {experiment.description || <span className="text-muted">None yet.</span>}
            </p>
          )}
        </Card>
        <Card title="Who counts as exposed" actions={edit("exposure")}>
          <p className="text-sm">{exposureText(experiment.exposure_criteria, experiment.feature_flag_key)}</p>
        </Card>
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <Card title="Variants" actions={edit("variants")}>
          <VariantFacts projectId={projectId} experiment={experiment} />
        </Card>
        <Card title="Statistics" actions={edit("statistics")}>
          <Facts items={statsFacts(experiment.stats_config)} />
        </Card>
      </div>
      <Card title="Metrics" actions={edit("metrics")} className="lg:col-span-2">
        <Metrics experiment={experiment} />
      </Card>
      <Card title="Plan" actions={edit("plan")} className="lg:col-span-2">
        <Plan parameters={experiment.parameters} />
      </Card>
    </div>
  );
}

function VariantFacts({ projectId, experiment }: { projectId: string; experiment: ExperimentRecord }) {
  const { feature_flag: flag, holdout } = experiment;
  const variants = splitOfExperiment(experiment);
  return (
    <div className="flex flex-col gap-3 text-sm">
      <ShareBar
        kind="legend"
        label={`Variants of ${flag.key}`}
        shares={variants.map(({ key, rollout_percentage }) => ({ name: key, percent: rollout_percentage }))}
      />
      <p className="text-muted text-xs">
        Split by{" "}
        <TextLink href={`/project/${projectId}/feature_flags/${flag.id}` as Route} className="font-mono">
          {flag.key}
        </TextLink>
        {flag.active ? ", which is on" : ", which is off"}.{" "}
        {holdout ? `People in the holdout “${holdout.name}” see none of them.` : "Nobody is held out."}
      </p>
    </div>
  );
}

function Metrics({ experiment }: { experiment: ExperimentRecord }) {
  const shared = (type: string) =>
    experiment.saved_metrics
      .filter(({ metadata }) => (metadata.type === "secondary") === (type === "secondary"))
      .map(({ query, name }): Raw => ({ ...query, name, saved: true }));
  const primary = [...experiment.metrics, ...shared("primary")];
  const secondary = [...experiment.metrics_secondary, ...shared("secondary")];
  if (primary.length + secondary.length === 0)
    return <p className="text-muted text-sm">None yet. Add a metric to measure the outcome.</p>;
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <MetricList title="Primary" metrics={primary} />
      <MetricList title="Secondary" metrics={secondary} />
    </div>
  );
}

function MetricList({ title, metrics }: { title: string; metrics: readonly Raw[] }) {
  return (
    <section>
      <h3 className="mb-2 font-medium text-muted text-xs">{title}</h3>
      {metrics.length === 0 ? <p className="text-faint text-sm">None</p> : null}
      <ul className="flex flex-col gap-3">
        {metrics.map((metric, index) => (
          <li key={String(metric.uuid ?? index)} className="flex flex-col gap-0.5 text-sm">
            <span className="flex flex-wrap items-center gap-1.5">
              <span className="break-words font-medium">{metricName(metric)}</span>
              <Badge>{kindWord(metric)}</Badge>
              {metric.goal === "decrease" ? <Badge tone="info">lower is better</Badge> : null}
              {metric.saved ? <SavedBadge /> : null}
            </span>
            <span className="break-words text-muted text-xs">{metricText(metric)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Plan({ parameters }: { parameters: Raw | null }) {
  const source = readSource(parameters?.recommended_sample_size_source);
  const deviation = source && spreadText(source);
  const given = (name: string, unit: (value: number) => string): ReactNode => {
    const value = parameters?.[name];
    return typeof value === "number" ? unit(value) : <span className="text-faint">Not planned</span>;
  };
  return (
    <Facts
      items={[
        {
          term: "Minimum detectable effect",
          value: given("minimum_detectable_effect", (value) => `${formatNumber(value)}%`),
        },
        { term: "People needed", value: given("recommended_sample_size", formatCount) },
        {
          term: "Days needed",
          value: given("recommended_running_time", (value) => formatCount(Math.ceil(value))),
        },
        ...(source
          ? [
              {
                term: "Based on",
                value: `${sourceText(source)}${deviation ? `, standard deviation ${deviation}` : ""}`,
              },
            ]
          : []),
      ]}
    />
  );
}
