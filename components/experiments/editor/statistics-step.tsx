"use client";

import { LEVELS, type StatsDraft } from "#components/experiments/stats-draft.ts";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { cupedWords } from "#lib/engines/statistics/cuped-words.ts";
import { CUPED_ESTIMATORS } from "#lib/engines/statistics/types.ts";
import { formatShortPercent } from "#lib/platform/format.ts";
import type { StepProps } from "./steps.ts";

/** How results are computed and reported, and how certain they must be. */
export function StatisticsStep({ values, change, problemOf }: StepProps) {
  const { stats, variants } = values;
  const set = (part: Partial<StatsDraft>) => change({ stats: { ...stats, ...part } });
  const bayesian = stats.method === "bayesian";
  return (
    <>
      <Field label="Method" as="group" error={problemOf("stats")}>
        <RadioCards
          columns={2}
          value={stats.method}
          onValueChange={(method) => set({ method })}
          options={[
            {
              value: "bayesian",
              label: "Bayesian",
              description: "“96% chance that test is better, and the lift is between 1% and 7%.”",
            },
            {
              value: "frequentist",
              label: "Frequentist",
              description: "“p = 0.03; the 95% confidence interval of the lift is 1% to 7%.”",
            },
          ]}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={bayesian ? "Credible interval" : "Confidence level"} as="group">
          <Segmented
            label="Level"
            value={String(stats.level)}
            onValueChange={(level) => set({ level: Number(level) })}
            options={[...new Set([...LEVELS, stats.level])].map((level) => ({
              value: String(level),
              label: formatShortPercent(level),
            }))}
          />
        </Field>
        <Field label="Report differences as" as="group">
          <Segmented
            label="Report differences as"
            value={stats.difference}
            onValueChange={(difference) => set({ difference })}
            options={[
              { value: "RELATIVE", label: "Percent" },
              { value: "ABSOLUTE", label: "The metric's unit" },
            ]}
          />
        </Field>
        <Field label="Baseline">
          <Select
            value={stats.baseline}
            onValueChange={(baseline) => set({ baseline })}
            options={variants.map(({ key }) => ({ value: key, label: key }))}
          />
        </Field>
      </div>
      {bayesian ? null : (
        <Checkbox
          label="Sequential intervals"
          description="Wider, but valid at every look. Choose them if you might stop before the planned end."
          checked={stats.sequential}
          onCheckedChange={(on) => set({ sequential: on === true })}
        />
      )}
      <Checkbox
        label="CUPED"
        description="Adjusts for what people did before the experiment, so effects show sooner. For counts, sums and ordered conversions."
        checked={stats.cuped}
        onCheckedChange={(on) => set({ cuped: on === true })}
      />
      {stats.cuped ? (
        <Field label="CUPED estimator" as="group">
          <RadioCards
            columns={2}
            value={stats.estimator}
            onValueChange={(estimator) => set({ estimator })}
            options={CUPED_ESTIMATORS.map((value) => ({
              value,
              label: cupedWords(value).name,
              description: cupedWords(value).means,
            }))}
          />
        </Field>
      ) : null}
      {stats.cuped ? (
        <Field label="Look-back" className="max-w-40">
          <Input
            inputMode="numeric"
            suffix="days"
            className="[&_input]:pr-12"
            value={String(stats.lookback)}
            onChange={(event) =>
              set({ lookback: Math.min(30, Math.max(1, Math.floor(Number(event.target.value) || 1))) })
            }
          />
        </Field>
      ) : null}
    </>
  );
}
