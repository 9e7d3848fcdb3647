"use client";

import { Checkbox } from "#components/ui/checkbox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Select } from "#components/ui/select.tsx";
import { CUPED_ESTIMATORS } from "#lib/statistics/types.ts";
import { cupedWords } from "#lib/statistics/words.ts";
import type { StepProps } from "./editor.tsx";
import { LEVELS, type StatsDraft } from "./stats_draft.ts";

/** How results are told, and how certain they have to be. */
export function StatisticsStep({ draft, change }: StepProps) {
  const { stats, variants } = draft;
  const set = (part: Partial<StatsDraft>) => change({ stats: { ...stats, ...part } });
  const bayesian = stats.method === "bayesian";
  return (
    <>
      <Field label="Method" as="group">
        <RadioCards
          columns={2}
          value={stats.method}
          onValueChange={(method) => set({ method })}
          options={[
            {
              value: "bayesian",
              label: "Bayesian",
              description: "“96 % chance that test is better, and the lift is between 1 % and 7 %.”",
            },
            {
              value: "frequentist",
              label: "Frequentist",
              description: "“p = 0.03; the 95 % confidence interval of the lift is 1 % to 7 %.”",
            },
          ]}
        />
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={bayesian ? "Credible intervals of" : "Confidence of"} as="group">
          <Segmented
            label="Level"
            value={String(stats.level)}
            onValueChange={(level) => set({ level: Number(level) })}
            options={[...new Set([...LEVELS, stats.level])].map((level) => ({
              value: String(level),
              label: `${Number((level * 100).toFixed(2))} %`,
            }))}
          />
        </Field>
        <Field label="Differences are told" as="group">
          <Segmented
            label="Differences are told"
            value={stats.difference}
            onValueChange={(difference) => set({ difference })}
            options={[
              { value: "RELATIVE", label: "In percent" },
              { value: "ABSOLUTE", label: "In the metric's unit" },
            ]}
          />
        </Field>
        <Field label="Compared with">
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
          description="Wider, and true on every day: choose them when you will look before the planned end and might stop early."
          checked={stats.sequential}
          onCheckedChange={(on) => set({ sequential: on === true })}
        />
      )}
      <Checkbox
        label="CUPED"
        description="Takes out what people did before the experiment, so that effects show sooner. For counts, sums and conversions in order."
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
        <Field label="Looks back" className="max-w-40">
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
