"use client";

import { useMemo } from "react";
import { TimeChart } from "#components/charts/time_chart.tsx";
import { Card } from "#components/ui/card.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { Select } from "#components/ui/select.tsx";
import { parseMoment } from "#lib/surveys/dates.ts";
import { type SamplingDay, samplingPlan } from "#lib/surveys/recurrence.ts";
import { useBuilder, useProblem } from "./builder_context.tsx";
import { WholeInput } from "./whole_input.tsx";

const UNITS = [
  { value: "day", label: "days" },
  { value: "week", label: "weeks" },
  { value: "month", label: "months of 30 days" },
] as const;

/** Plans that are drawn; longer ones are only told. */
const DAYS_DRAWN = 400;
const figure = new Intl.NumberFormat("en");
const today = () => `${new Date().toISOString().slice(0, 10)}T00:00:00Z`;

/** Responses spread over days, with the plan that follows. */
export function SamplingCard() {
  const { draft, putFields } = useBuilder();
  const { response_sampling_limit: limit } = draft.fields;
  const on = limit !== null && limit !== undefined;
  return (
    <Card
      title="Sampling"
      description="Spreads the responses over time, so that not only the first visitors answer."
    >
      <div className="flex flex-col gap-4">
        <Checkbox
          label="Ask only a share of people each day"
          description="Everybody is reached by the last day."
          checked={on}
          onCheckedChange={(next) =>
            putFields(
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
  const { draft, putFields, readOnly } = useBuilder();
  const { fields } = draft;
  return (
    <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
      <Field label="Responses wanted" error={useProblem("response_sampling_limit")}>
        <WholeInput
          value={fields.response_sampling_limit}
          onValueChange={(next) => putFields({ response_sampling_limit: next ?? 0 })}
        />
      </Field>
      <Field label="Over" error={useProblem("response_sampling_interval")}>
        <WholeInput
          value={fields.response_sampling_interval}
          onValueChange={(next) => putFields({ response_sampling_interval: next })}
        />
      </Field>
      <Field label="Unit" error={useProblem("response_sampling_interval_type")}>
        <Select
          disabled={readOnly}
          value={fields.response_sampling_interval_type ?? undefined}
          options={UNITS}
          onValueChange={(next) => putFields({ response_sampling_interval_type: next })}
        />
      </Field>
      <Field label="From" error={useProblem("response_sampling_start_date")} hint="A day in UTC.">
        <Input
          type="date"
          value={fields.response_sampling_start_date?.slice(0, 10) ?? ""}
          onChange={(event) =>
            putFields({
              response_sampling_start_date: event.target.value ? `${event.target.value}T00:00:00Z` : null,
            })
          }
        />
      </Field>
    </div>
  );
}

function planOf(fields: ReturnType<typeof useBuilder>["draft"]["fields"]): SamplingDay[] | null {
  const start = fields.response_sampling_start_date;
  const interval = fields.response_sampling_interval ?? 0;
  if (interval > 3_650) return null;
  return samplingPlan({ ...fields, response_sampling_start_date: start ? parseMoment(start) : null });
}

/** The computed plan: how many responses are wanted by each day, and which share of people is asked. */
function PlanChart() {
  const { fields } = useBuilder().draft;
  const plan = useMemo(() => planOf(fields), [fields]);
  const last = plan?.at(-1);
  if (!plan || !last)
    return (
      <p className="text-muted text-sm">
        Say how many responses, over how long and from when, to see the plan.
      </p>
    );
  const each = plan[0]?.daily_response_limit ?? 0;
  const caption = `${figure.format(last.daily_response_limit)} responses over ${figure.format(plan.length)} days, about ${figure.format(each)} a day; ${plan[0]?.rollout_percentage} % of people are asked on the first day, everybody on the last.`;
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
          name: "Responses wanted by then",
          points: plan.map((day) => ({ at: day.date.slice(0, 10), value: day.daily_response_limit })),
        },
      ]}
    />
  );
}
