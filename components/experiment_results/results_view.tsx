import { EyeOff, FlaskConical } from "lucide-react";
import type { Route } from "next";
import Link from "next/link";
import { ButtonLink } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { Card } from "#components/ui/card.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { Look } from "#lib/experiment_results/result_schema.ts";
import type { Settings } from "#lib/statistics/types.ts";
import { cupedWords, methodWords } from "#lib/statistics/words.ts";
import { Exposures } from "./exposures.tsx";
import { FunnelSteps } from "./funnel_steps.tsx";
import { Health } from "./health.tsx";
import { InShort } from "./in_short.tsx";
import { peopleHref } from "./links.ts";
import { MetricSeries } from "./metric_series.tsx";
import { MetricTable } from "./metric_table.tsx";
import { type Results, unitWord } from "./model.ts";
import { peekSafeSettings, readPeekSafe } from "./peek_safe.ts";
import { Peeking } from "./peeking.tsx";
import { RecordLook } from "./record_look.tsx";
import { ReportActions } from "./report_actions.tsx";
import type { ResultActions } from "./result_actions.ts";
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
  /** Somebody asked to see hidden metrics all the same. */
  isRevealed: boolean;
  /** Somebody asked for intervals that hold however often one looks. */
  isPeekSafe: boolean;
  actions: ResultActions;
};

/** The results of an experiment: is it sound, what does it say, how did it come about. */
export function ResultsView(props: ResultsViewProps) {
  const { results } = props;
  if (results.state === "not_started")
    return (
      <EmptyState icon={FlaskConical} title="Not launched yet">
        Results begin with the launch: from then on everybody who is given a variant counts.
      </EmptyState>
    );
  if (results.state === "computing") return <Waiting progress={results.progress} />;
  if (!props.isPeekSafe || isSequential(props.settings)) return <Ready {...props} isPeekSafe={false} />;
  const settings = peekSafeSettings(props.settings);
  return <Ready {...props} settings={settings} results={readPeekSafe(results, settings)} />;
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
        {settings.cuped
          ? `, variance reduced by earlier behaviour (CUPED: ${cupedWords(settings.cuped).name})`
          : ""}
        {results.as_of ? (
          <>
            {" · "}counted <RelativeTime date={results.as_of} />
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
            Change the method for good
          </ButtonLink>
        </>
      }
    >
      The same counts, with intervals that hold however often one looks. The API and the report keep the
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
      {multiple.toLocaleString("en")} {unitWord(results.unit)} in several variants (
      {(100 * multiple_share).toFixed(1)} %)
    </Link>
  );
}

function Metrics(props: ResultsViewProps) {
  const { results, settings, events, projectId, experimentId, actions, isPeekSafe } = props;
  const ids = { projectId, experimentId };
  const roles = ["primary", "secondary"] as const;
  const computable = results.metrics.filter(({ problem, variants }) => !problem && variants.length > 0);
  if (results.metrics.length === 0)
    return (
      <EmptyState icon={FlaskConical} title="No metric yet">
        Add a primary metric on the setup page: what should the change move?
      </EmptyState>
    );
  return (
    <>
      <RecordLook {...ids} look={actions.look} />
      <InShort
        metrics={results.metrics}
        baseline={results.settings.baseline_key}
        settings={settings}
        isMismatch={results.health.mismatch?.mismatch ?? false}
      />
      {roles.map((role) => {
        const metrics = results.metrics.filter((metric) => metric.role === role);
        return metrics.length === 0 ? null : (
          <MetricTable
            key={role}
            role={role}
            metrics={metrics}
            variants={results.variants}
            settings={settings}
            {...ids}
          />
        );
      })}
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
      <FunnelSteps {...ids} metrics={computable} variants={results.variants} />
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
        {seen.toLocaleString("en")} of {(sample ?? 0).toLocaleString("en")} {unitWord(results.unit)} so far.
        Looking now is noted in the ledger below and raises the chance of being fooled by luck.
      </EmptyState>
    </Card>
  );
}
