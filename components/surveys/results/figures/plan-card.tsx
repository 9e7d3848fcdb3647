import { TimeChart } from "#components/charts/time/time-chart.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { formatCount } from "#lib/platform/format.ts";
import type { SurveyResults } from "#lib/surveys/results/schema.ts";
import type { SurveyRecord } from "#lib/surveys/surveys/schema.ts";
import { forecast, paceOf, planOf, reachedBy } from "./plan.ts";

type Props = {
  survey: SurveyRecord;
  /** Without filters. */
  results: SurveyResults;
  /** Milliseconds since the epoch. */
  now: number;
  isRunning: boolean;
};

/** How far the survey is on the way to its target: a sampling plan, or the number of responses at which it stops. */
export function PlanCard({ survey, results, now, isRunning }: Props) {
  const plan = planOf(survey);
  const limit = survey.responses_limit;
  const pace = paceOf(results.over_time, now);
  const until = (wanted: number) => (isRunning ? ` ${forecast(results.total, wanted, pace, now)}` : "");
  if (!plan)
    return limit ? (
      <Card title="Response limit">
        <p className="text-sm">
          {`${formatCount(results.total)} of ${formatCount(limit)} responses.${until(limit)}`}
        </p>
      </Card>
    ) : null;
  const reached = reachedBy(plan, results.over_time, now);
  const { at, value } = reached.at(-1) ?? { at: "", value: 0 };
  const planned = plan.find(({ date }) => date.startsWith(at))?.daily_response_limit ?? 0;
  const target = plan.at(-1)?.daily_response_limit ?? 0;
  return (
    <Card>
      <TimeChart
        title="Sampling plan"
        level={2}
        caption={`${formatCount(value)} responses so far; ${formatCount(planned)} were planned by then, ${formatCount(target)} in all.${limit ? until(limit) : ""}`}
        height={220}
        measure={{ unit: "count" }}
        fromZero
        series={[
          {
            key: "planned",
            colorIndex: 1,
            dashIndex: 1,
            name: "Planned",
            points: plan.map((day) => ({ at: day.date.slice(0, 10), value: day.daily_response_limit })),
          },
          { key: "reached", colorIndex: 0, name: "Responses", points: reached },
        ]}
      />
    </Card>
  );
}
