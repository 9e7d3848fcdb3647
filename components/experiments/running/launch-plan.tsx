import { differingStatistics, metricLines } from "#components/experiments/changes.ts";
import { personName } from "#components/kit/person-name.ts";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";

type Plan = NonNullable<ExperimentRecord["launch_plan"]>;
type Change = Plan["changes"][number];

/** The present primary metrics, as the launch plan lists them. */
const primaryMetrics = ({ metrics, saved_metrics }: ExperimentRecord) => [
  ...metrics,
  ...saved_metrics
    .filter(({ metadata }) => metadata.type !== "secondary")
    .map(({ query, name }) => ({ ...query, name })),
];

const PARTS: Record<
  Change["field"],
  { what: string; sides: (plan: Plan, now: ExperimentRecord) => string[] }
> = {
  description: {
    what: "Hypothesis",
    sides: (plan, now) => [plan.description || "None", now.description || "None"],
  },
  metrics: {
    what: "Primary metrics",
    sides: (plan, now) => [metricLines(plan.metrics), metricLines(primaryMetrics(now))],
  },
  stats_config: {
    what: "Statistics",
    sides: (plan, now) => differingStatistics(plan.stats_config, now.stats_config),
  },
};

/** The hypothesis as it was at launch, and whatever of the plan was changed afterwards beside its first wording. */
export function LaunchPlan({ experiment }: { experiment: ExperimentRecord }) {
  const { launch_plan: plan } = experiment;
  if (!plan) return null;
  const by = personName(plan.launched_by);
  // Below, its first wording is shown beside the present one.
  const isReworded = plan.changes.some(({ field }) => field === "description");
  return (
    <div className="flex flex-col gap-3 text-sm">
      <div className="flex flex-col gap-1">
        {isReworded ? null : (
          <p className="whitespace-pre-wrap break-words">
            {plan.description || <span className="text-muted">No hypothesis was written before launch.</span>}
          </p>
        )}
        <p className="text-faint text-xs">
          {isReworded ? "Launched" : "As written at launch,"} <RelativeTime date={plan.launched_at} />
          {by ? ` by ${by}` : ""}
        </p>
      </div>
      {plan.changes.length > 0 ? (
        <ul aria-label="Changed after launch" className="divide-y rounded-lg border border-warning-line">
          {plan.changes.map((change) => (
            <Changed key={change.field} change={change} plan={plan} experiment={experiment} />
          ))}
        </ul>
      ) : null}
    </div>
  );
}

/** The same as a card of a page. */
export const LaunchPlanCard = ({ experiment }: { experiment: ExperimentRecord }) =>
  experiment.launch_plan ? (
    <Card title="Hypothesis">
      <LaunchPlan experiment={experiment} />
    </Card>
  ) : null;

type ChangedProps = { change: Change; plan: Plan; experiment: ExperimentRecord };

function Changed({ change, plan, experiment }: ChangedProps) {
  const { what, sides } = PARTS[change.field];
  const [before = "", after = ""] = sides(plan, experiment);
  const by = personName(change.by);
  return (
    <li className="flex flex-col gap-1.5 px-3 py-2.5">
      <p className="flex flex-wrap items-baseline gap-x-1.5">
        <span className="font-medium">{what}</span>
        <span className="text-warning-text text-xs">
          changed after launch
          {change.at ? (
            <>
              , <RelativeTime date={change.at} />
            </>
          ) : null}
          {by ? ` by ${by}` : ""}
        </span>
      </p>
      <dl className="grid gap-x-5 gap-y-2 sm:grid-cols-2">
        <Side term="At launch">{before}</Side>
        <Side term="Now">{after}</Side>
      </dl>
    </li>
  );
}

const Side = ({ term, children }: { term: string; children: string }) => (
  <div className="min-w-0">
    <dt className="text-faint text-xs">{term}</dt>
    <dd className="whitespace-pre-wrap break-words">{children}</dd>
  </div>
);
