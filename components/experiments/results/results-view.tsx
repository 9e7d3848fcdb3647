import { EyeOff, FlaskConical } from "lucide-react";
import type { Route } from "next";
import type { ReactNode } from "react";
import type { ResultActions } from "#app/project/[project_id]/experiments/[id]/result-actions.ts";
import { FunnelSteps } from "#components/experiments/results/metric-table/funnel-steps.tsx";
import { InShort } from "#components/experiments/results/metric-table/in-short.tsx";
import { IntervalScales, ScaleSwitch } from "#components/experiments/results/metric-table/interval-cell.tsx";
import { computeCommonScale } from "#components/experiments/results/metric-table/interval-scale.ts";
import { MetricJumps } from "#components/experiments/results/metric-table/metric-jumps.tsx";
import { MetricSeries } from "#components/experiments/results/metric-table/metric-series.tsx";
import { MetricTable } from "#components/experiments/results/metric-table/metric-table.tsx";
import { peekSafeSettings, readPeekSafe } from "#components/experiments/results/peeking/peek-safe.ts";
import { Peeking } from "#components/experiments/results/peeking/peeking.tsx";
import { RecordLook } from "#components/experiments/results/peeking/record-look.tsx";
import { ButtonLink } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Link } from "#components/ui/link.tsx";
import { cupedWords } from "#lib/engines/statistics/cuped-words.ts";
import type { Settings } from "#lib/engines/statistics/types.ts";
import { methodWords } from "#lib/engines/statistics/words.ts";
import type { Look } from "#lib/experiments/results/result-schema.ts";
import { unitCount } from "#lib/experiments/results/unit-words.ts";
import { formatCount, formatPercent } from "#lib/platform/format.ts";
import { Exposures } from "./exposures.tsx";
import { FirstExposure } from "./first-exposure.tsx";
import { Health } from "./health.tsx";
import { peopleHref } from "./links.ts";
import type { Results } from "./model.ts";
import { ReportActions } from "./report-actions.tsx";
import { Waiting } from "./waiting.tsx";

export type ResultsViewProps = {
  projectId: string;
  experimentId: number;
  name: string;
  results: Results;
  settings: Settings;
  /** Whether the key may write into the experiment's history. */
  mayRecord: boolean;
  looks: readonly Look[];
  /** What happened to the experiment, for the time charts. */
  events: readonly { at: string; label: string }[];
  hiding: { isOn: boolean; mayChange: boolean };
  /** Hidden metrics were requested explicitly. */
  isRevealed: boolean;
  /** Sequential intervals were requested. */
  isPeekSafe: boolean;
  /** Who is exposed, in words, and code that evaluates the flag. */
  exposure: { text: string; snippet: ReactNode };
  actions: ResultActions;
};

/** The results of an experiment: is it sound, what does it say, how did it come about. */
export function ResultsView(props: ResultsViewProps) {
  const { results } = props;
  if (results.state === "not_started")
    return (
      <EmptyState icon={FlaskConical} title="Not launched yet">
        Results start at launch and count everybody who gets a variant.
      </EmptyState>
    );
  if (results.state === "computing") return <Waiting progress={results.progress} />;
  if (results.health.total === 0) return <NobodyYet {...props} />;
  if (!props.isPeekSafe || isSequential(props.settings)) return <Ready {...props} isPeekSafe={false} />;
  const settings = peekSafeSettings(props.settings);
  return <Ready {...props} settings={settings} results={readPeekSafe(results, settings)} />;
}

/** Before anybody is exposed there is nothing to read: what is missing, and how to get it. */
function NobodyYet({ results, exposure }: ResultsViewProps) {
  const isEnded = results.status === "stopped";
  const findings = results.health.findings.filter(({ code }) => isEnded || code !== "no_exposures");
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {findings.length > 0 ? <Health findings={findings} splitP={null} multiple={null} /> : null}
      {isEnded ? null : <FirstExposure exposure={exposure.text} snippet={exposure.snippet} />}
    </div>
  );
}

const isSequential = (settings: Settings) =>
  settings.method === "frequentist" && Boolean(settings.sequential);

const homeOf = (projectId: string, experimentId: number) =>
  `/project/${projectId}/experiments/${experimentId}`;

function Ready(props: ResultsViewProps) {
  const { projectId, experimentId, results, settings, events } = props;
  const { exposures, health } = results;
  const isHidden = props.hiding.isOn && results.planned.reached === false && !props.isRevealed;
  const ids = { projectId, experimentId };
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <TopLine {...props} isHidden={isHidden} />
      {props.isPeekSafe ? <PeekSafeNote {...ids} /> : null}
      {settings.cuped === "public_service" && settings.difference_type === "relative" ? (
        <CupedNote {...ids} />
      ) : null}
      <Health
        findings={health.findings}
        splitP={health.mismatch?.p_value ?? null}
        multiple={<Multiple {...props} />}
      />
      {isHidden ? <Hidden {...props} /> : <Metrics {...props} />}
      {exposures ? (
        <Exposures
          {...ids}
          unit={results.unit}
          variants={results.variants}
          timeseries={exposures.timeseries}
          totals={exposures.total_exposures}
          expected={health.mismatch?.expected ?? null}
          phases={health.phases}
          events={events}
        />
      ) : null}
      <Peeking
        {...ids}
        looks={props.looks}
        settings={settings}
        unit={results.unit}
        planned={results.planned}
        peekSafeHref={
          isSequential(settings)
            ? null
            : (`${homeOf(projectId, experimentId)}?peek_safe=1${props.isRevealed ? "&reveal=1" : ""}` as Route)
        }
        total={health.total - health.multiple}
        hiding={{ ...props.hiding, hide: props.actions.hide }}
      />
    </div>
  );
}

function TopLine({
  results,
  settings,
  projectId,
  experimentId,
  name,
  mayRecord,
  isHidden,
}: ResultsViewProps & { isHidden: boolean }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="text-muted text-sm">
        {methodWords(settings).method}, against{" "}
        <span className="font-medium text-ink">{results.settings.baseline_key}</span>
        {settings.cuped ? `, with CUPED (${cupedWords(settings.cuped).name})` : ""}
        {results.as_of ? (
          <>
            {" · "}updated <RelativeTime date={results.as_of} />
          </>
        ) : null}
      </p>
      {isHidden ? null : <ReportActions {...{ projectId, experimentId, name, mayRecord }} />}
    </div>
  );
}

function PeekSafeNote({ projectId, experimentId }: { projectId: string; experimentId: number }) {
  return (
    <Callout
      title="Read with sequential intervals"
      actions={
        <>
          <ButtonLink size="sm" href={homeOf(projectId, experimentId) as Route}>
            Back to the experiment's own method
          </ButtonLink>
          <ButtonLink size="sm" href={`${homeOf(projectId, experimentId)}/edit` as Route}>
            Change the method
          </ButtonLink>
        </>
      }
    >
      The same counts, with intervals that stay valid however often you look. The API and the report use the
      experiment's own method.
    </Callout>
  );
}

function CupedNote({ projectId, experimentId }: { projectId: string; experimentId: number }) {
  return (
    <Callout
      tone="warning"
      title="CUPED uses PostHog's formula"
      actions={
        <ButtonLink size="sm" href={`${homeOf(projectId, experimentId)}/edit` as Route}>
          Change the statistics settings
        </ButtonLink>
      }
    >
      {cupedWords("public_service").means} Choose adjusted means before you decide.
    </Callout>
  );
}

function Multiple({ results, projectId, experimentId }: ResultsViewProps) {
  const { multiple, multiple_share } = results.health;
  if (multiple === 0) return <span>Nobody in several variants</span>;
  return (
    <Link
      href={peopleHref(projectId, experimentId, { kind: "multiple" })}
      className="rounded-xs underline-offset-[3px] hover:text-accent-text hover:underline"
    >
      {unitCount(multiple, results.unit)} in several variants ({formatPercent(multiple_share)})
    </Link>
  );
}

function Metrics(props: ResultsViewProps) {
  const { results, settings, events, projectId, experimentId, actions, isPeekSafe } = props;
  const ids = { projectId, experimentId };
  const roles = ["primary", "secondary"] as const;
  // Differences in different units share no scale.
  const common = settings.difference_type === "relative" ? computeCommonScale(results.metrics) : null;
  const computable = results.metrics.filter(({ problem, variants }) => !problem && variants.length > 0);
  if (results.metrics.length === 0)
    return (
      <EmptyState icon={FlaskConical} title="No metric yet">
        Add a primary metric on the setup page to measure the change.
      </EmptyState>
    );
  return (
    <>
      <RecordLook look={actions.look.bind(null, projectId, experimentId)} />
      <InShort
        metrics={results.metrics}
        baseline={results.settings.baseline_key}
        settings={settings}
        isMismatch={results.health.mismatch?.mismatch ?? false}
      />
      <IntervalScales initial={common ? "common" : "own"}>
        <div className="flex flex-wrap items-center justify-between gap-3 empty:hidden">
          <MetricJumps metrics={results.metrics} />
          {common?.isFarApart ? <ScaleSwitch /> : null}
        </div>
        {roles.map((role) => {
          const metrics = results.metrics.filter((metric) => metric.role === role);
          return metrics.length === 0 ? null : (
            <MetricTable
              key={role}
              role={role}
              metrics={metrics}
              common={common?.scale ?? null}
              variants={results.variants}
              settings={settings}
              {...ids}
            />
          );
        })}
      </IntervalScales>
      {computable.length > 0 && !isPeekSafe ? (
        <MetricSeries
          recompute={props.hiding.mayChange ? actions.recompute : null}
          {...ids}
          metrics={computable}
          variants={results.variants}
          settings={settings}
          events={events}
          today={results.status === "stopped" ? null : (results.as_of?.slice(0, 10) ?? null)}
        />
      ) : null}
      <FunnelSteps {...ids} metrics={computable} variants={results.variants} unit={results.unit} />
    </>
  );
}

function Hidden({ results, projectId, experimentId }: ResultsViewProps) {
  const { sample } = results.planned;
  const seen = results.health.total - results.health.multiple;
  return (
    <Card>
      <EmptyState
        kind="plain"
        icon={EyeOff}
        title="Hidden until the planned sample"
        actions={
          <ButtonLink href={`${homeOf(projectId, experimentId)}?reveal=1` as Route}>Show once</ButtonLink>
        }
      >
        {formatCount(seen)} of {unitCount(sample ?? 0, results.unit)} so far. Looking now is recorded below
        and raises the chance of a false positive.
      </EmptyState>
    </Card>
  );
}
