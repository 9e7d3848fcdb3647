import { UserX } from "lucide-react";
import { ExperimentUses } from "#components/experiments/metrics/used-by.tsx";
import { InShort } from "#components/experiments/results/metric-table/in-short.tsx";
import { IntervalScales, ScaleSwitch } from "#components/experiments/results/metric-table/interval-cell.tsx";
import { computeCommonScale } from "#components/experiments/results/metric-table/interval-scale.ts";
import { MetricJumps } from "#components/experiments/results/metric-table/metric-jumps.tsx";
import { MetricTable } from "#components/experiments/results/metric-table/metric-table.tsx";
import type { Row } from "#components/experiments/results/model.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { Card, Facts } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { pValueText } from "#lib/engines/statistics/numbers.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import type { HoldoutListed } from "#lib/experiments/experiments/schema.ts";
import type { HoldoutResults } from "#lib/experiments/results/result-schema.ts";
import { formatCount, formatPercent } from "#lib/platform/format.ts";

/** What the two sides are called, by their keys in the API. */
const SIDES: Readonly<Record<string, string>> = { held_out: "people held out", rest: "everyone else" };

const named = (row: Row): Row => ({ ...row, key: SIDES[row.key] ?? row.key });

type Props = { projectId: string; experiments: HoldoutListed["experiments"]; results: HoldoutResults };

/** People held out against everybody else, over all experiments that used the holdout. */
export function HoldoutResultsView({ projectId, experiments, results }: Props) {
  const { units, since, one_in, split } = results;
  if (since === null)
    return (
      <EmptyState icon={UserX} title="Nothing to compare yet">
        Results start with the first launched experiment that uses the holdout.
      </EmptyState>
    );
  const counted = experiments.filter(({ id }) => results.experiment_ids.includes(id));
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {split?.mismatch ? (
        <Callout tone="danger" title={`The holdout should have ${split.share}% of people`}>
          It has {formatPercent(units.held_out / (units.held_out + units.rest))}, which is not chance (p{" "}
          {pValueText(split.p_value)}). Was its share changed, or are calls of held-out people missing? Do not
          trust the results before you know why.
        </Callout>
      ) : null}
      <Card
        title="Who is compared"
        description="People count from their first call of a flag of these experiments, while the experiment ran. The value of that call decides the side."
      >
        <Facts
          items={[
            { term: "People held out", value: <Side units={units} of="held_out" /> },
            { term: "Everyone else", value: <Side units={units} of="rest" /> },
            { term: "Since", value: <RelativeTime date={since} /> },
            {
              term: "Experiments",
              value: <ExperimentUses projectId={projectId} experiments={counted} />,
            },
          ]}
        />
        {one_in > 1 ? <p className="mt-3 text-muted text-xs">Counted from one person in {one_in}.</p> : null}
      </Card>
      <Compared projectId={projectId} results={results} />
    </div>
  );
}

/** How many people are on a side, and which share of all. */
function Side({ units, of }: { units: HoldoutResults["units"]; of: keyof HoldoutResults["units"] }) {
  const all = units.held_out + units.rest;
  return (
    <span className="tabular">
      {formatCount(units[of])}
      {all > 0 ? <span className="text-muted"> ({formatPercent(units[of] / all)})</span> : null}
    </span>
  );
}

function Compared({ projectId, results }: { projectId: string; results: HoldoutResults }) {
  const settings = readSettings(null);
  const metrics = results.metrics.map((metric) => ({
    ...metric,
    baseline: metric.baseline && named(metric.baseline),
    variants: metric.variants.map(named),
  }));
  if (metrics.length === 0)
    return (
      <EmptyState icon={UserX} title="No metric yet">
        The metrics of the experiments are compared here. They have none so far.
      </EmptyState>
    );
  const common = computeCommonScale(metrics);
  const variants = ["held_out", "rest"].map((key) => ({
    key: SIDES[key] ?? key,
    name: null,
    share: null,
    is_baseline: key === "held_out",
  }));
  return (
    <>
      <InShort
        metrics={metrics}
        baseline="people held out"
        settings={settings}
        isMismatch={results.split?.mismatch ?? false}
      />
      <IntervalScales initial="common">
        <div className="flex flex-wrap items-center justify-between gap-3 empty:hidden">
          <MetricJumps metrics={metrics} />
          {common?.isFarApart ? <ScaleSwitch /> : null}
        </div>
        {(["primary", "secondary"] as const).map((role) => {
          const mine = metrics.filter((metric) => metric.role === role);
          return mine.length === 0 ? null : (
            <MetricTable
              key={role}
              role={role}
              metrics={mine}
              common={common?.scale ?? null}
              variants={variants}
              settings={settings}
              projectId={projectId}
              experimentId={null}
            />
          );
        })}
      </IntervalScales>
    </>
  );
}
