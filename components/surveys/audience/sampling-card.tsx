"use client";

import { useMemo } from "react";
import { TimeChart } from "#components/charts/time/time-chart.tsx";
import type { SurveyDraft } from "#components/surveys/draft/survey-draft.ts";
import { useBuilder, useProblem } from "#components/surveys/editing/builder-context.tsx";
import { WholeInput } from "#components/surveys/editing/whole-input.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { formatCount } from "#lib/platform/format.ts";
import { parseMoment } from "#lib/surveys/surveys/dates.ts";
import { type SamplingDay, samplingPlan } from "#lib/surveys/surveys/recurrence.ts";

const UNITS = [
  { value: "day", label: "days" },
  { value: "week", label: "weeks" },
  { value: "month", label: "months of 30 days" },
] as const;

/** Longest plan in days that is drawn as a chart. */
const DAYS_DRAWN = 400;
const today = () => `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;

/** Sampling settings, with the resulting plan. */
export function SamplingCard() {
  const { draft, put } = useBuilder();
  const { response_sampling_limit: limit } = draft;
  const on = limit !== null && limit !== undefined;
  return (
    <Card
      title="Sampling"
      description="Spreads responses over time, so that they do not all come from the first visitors."
    >
      <div className="flex flex-col gap-4">
        <Checkbox
          label="Ask only a share of people each day"
          description="Everybody is included by the last day."
          checked={on}
          onCheckedChange={(next) =>
            put(
              next === true
                ? {
                    response_sampling_limit: 100,
                    response_sampling_interval: 1,
                    response_sampling_interval_type: "week",
                    response_sampling_start_date: today(),
                  }
                : {
                    response_sampling_limit: null,
                    response_sampling_interval: null,
                    response_sampling_start_date: null,
                  },
            )
          }
        />
        {on ? (
          <>
            <PlanFields />
            <PlanChart />
          </>
        ) : null}
      </div>
    </Card>
  );
}

function PlanFields() {
  const { draft, put, readOnly } = useBuilder();
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      <Field label="Target responses" error={useProblem("response_sampling_limit")}>
        <WholeInput
          value={draft.response_sampling_limit}
          onValueChange={(next) => put({ response_sampling_limit: next ?? 0 })}
        />
      </Field>
      <Field label="Over" error={useProblem("response_sampling_interval")}>
        <WholeInput
          value={draft.response_sampling_interval}
          onValueChange={(next) => put({ response_sampling_interval: next })}
        />
      </Field>
      <Field label="Unit" error={useProblem("response_sampling_interval_type")}>
        <Select
          disabled={readOnly}
          value={draft.response_sampling_interval_type ?? undefined}
          options={UNITS}
          onValueChange={(next) => put({ response_sampling_interval_type: next })}
        />
      </Field>
      <Field label="From" error={useProblem("response_sampling_start_date")} hint="A day in UTC.">
        <Input
          type="date"
          value={draft.response_sampling_start_date?.slice(0, 10) ?? ""}
          onChange={(event) =>
            put({
              response_sampling_start_date: event.target.value ? `${event.target.value}T00:00:00Z` : null,
            })
          }
        />
      </Field>
    </div>
  );
}

function planOf(draft: SurveyDraft): SamplingDay[] | null {
  const start = draft.response_sampling_start_date;
  const interval = draft.response_sampling_interval ?? 0;
  if (interval > 3_650) return null;
  return samplingPlan({ ...draft, response_sampling_start_date: start ? parseMoment(start) : null });
}

/** The computed plan: target responses by day, and the share of people asked. */
function PlanChart() {
  const { draft } = useBuilder();
  const plan = useMemo(() => planOf(draft), [draft]);
  const last = plan?.at(-1);
  if (!plan || !last)
    return (
      <p className="text-muted text-sm">
        Enter the number of responses, the period and the start to see the plan.
      </p>
    );
  const each = plan[0]?.daily_response_limit ?? 0;
  const caption = `${formatCount(last.daily_response_limit)} responses over ${formatCount(plan.length)} days, about ${formatCount(each)} a day; ${plan[0]?.rollout_percentage}% of people are asked on the first day, everybody on the last.`;
  if (plan.length > DAYS_DRAWN) return <p className="text-muted text-sm">{caption}</p>;
  return (
    <TimeChart
      title="Sampling plan"
      level={3}
      caption={caption}
      height={220}
      measure={{ unit: "count" }}
      fromZero
      series={[
        {
          key: "wanted",
          colorIndex: 1,
          name: "Target responses by then",
          points: plan.map((day) => ({ at: day.date.slice(0, 10), value: day.daily_response_limit })),
        },
      ]}
    />
  );
}
