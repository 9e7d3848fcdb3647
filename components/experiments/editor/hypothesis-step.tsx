"use client";

import { useFormContext } from "react-hook-form";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import type { ExperimentForm } from "./form-values.ts";
import type { StepProps } from "./steps.ts";

const LONGEST = 3_000;

/** The name and the hypothesis. */
export function HypothesisStep({ values, experiment, problemOf }: StepProps) {
  const { register } = useFormContext<ExperimentForm>();
  const left = LONGEST - values.description.length;
  const isLaunched = experiment !== null && experiment.launch_plan !== null;
  return (
    <>
      <Field label="Name" required error={problemOf("name")}>
        <Input autoComplete="off" placeholder="Shorter checkout form" maxLength={400} {...register("name")} />
      </Field>
      <Field
        label="Hypothesis"
        error={problemOf("description")}
        description={
          isLaunched
            ? "The wording at launch stays on record. Results and reports show any change beside it."
            : "What changes, for whom, which metric moves, and why. The wording at launch stays on record."
        }
        hint={left < 300 ? `${left} characters left` : undefined}
      >
        <Textarea
          rows={6}
          maxLength={LONGEST}
          placeholder="If the form asks for four fields instead of nine, more visitors finish their order, because most leave at the address. We expect at least 5% more paid orders, and no more returns."
          {...register("description")}
        />
      </Field>
    </>
  );
}
