"use client";

import type { Route } from "next";
import { useState } from "react";
import { useFormContext } from "react-hook-form";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import {
  findEligibilityProblem,
  keyFrom,
  type Variant,
  variantsOfFlag,
} from "#components/experiments/variants.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useGroupTypes } from "#components/metrics/use-group-types.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { ShareBar } from "#components/ui/display/share-bar.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import type { HoldoutRecord } from "#lib/experiments/experiments/schema.ts";
import { unitWord } from "#lib/experiments/results/unit-words.ts";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { ExperimentForm } from "./form-values.ts";
import { HoldoutField } from "./holdout-field.tsx";
import { SplitEditor } from "./split-editor.tsx";
import type { StepProps } from "./steps.ts";

type Props = StepProps & {
  holdouts: readonly HoldoutRecord[];
  onFlag: number;
  actions: ExperimentActions;
};

type StepPart = Omit<StepProps, "experiment">;

/** The flag that splits people, its variants with their shares, and who is held out. */
export function VariantsStep(props: Props) {
  return (
    <>
      {props.experiment ? <StoredFlag {...props} /> : <ChooseFlag {...props} />}
      <HoldoutField {...props} />
    </>
  );
}

function ChooseFlag({ projectId, values, change, problemOf }: Props) {
  const { register } = useFormContext<ExperimentForm>();
  const suggestion = keyFrom(values.name);
  return (
    <>
      <Field label="Feature flag" as="group">
        <RadioCards
          columns={2}
          value={values.flag}
          onValueChange={(flag) => change({ flag, key: flag === "new" ? suggestion : "" })}
          options={[
            { value: "new", label: "A new flag", description: "Created with the values, off until launch." },
            {
              value: "existing",
              label: "An existing flag",
              description: "It needs variants, control first. It is not changed.",
            },
          ]}
        />
      </Field>
      {values.flag === "new" ? (
        <>
          <Field
            label="Flag key"
            description="Your code evaluates the flag by this key."
            required
            error={problemOf("key")}
          >
            <Input
              mono
              autoComplete="off"
              spellCheck={false}
              placeholder={suggestion || "shorter-checkout-form"}
              {...register("key")}
              onFocus={() => values.key === "" && suggestion !== "" && change({ key: suggestion })}
            />
          </Field>
          <Field label="Variants" as="group" error={problemOf("variants")}>
            <SplitEditor variants={values.variants} onChange={(variants) => change({ variants })} />
          </Field>
          <UnitField {...{ projectId, values, change }} />
        </>
      ) : (
        <ExistingFlag {...{ projectId, values, change, problemOf }} />
      )}
    </>
  );
}

const PEOPLE = "people";

/** Whether people are compared, or whole groups of them; not asked where there are no groups. */
function UnitField({ projectId, values, change }: Pick<Props, "projectId" | "values" | "change">) {
  const types = useGroupTypes(projectId);
  if (types.length === 0 && values.group === null) return null;
  return (
    <Field
      label="Compare"
      description="Everybody in a group gets the same variant, and each group counts once. Your code has to say which group a person belongs to."
    >
      <Select
        value={values.group === null ? PEOPLE : String(values.group)}
        onValueChange={(value) => change({ group: value === PEOPLE ? null : Number(value) })}
        options={[
          { value: PEOPLE, label: "People" },
          ...types.map(({ group_type, group_type_index }) => ({
            value: String(group_type_index),
            label: unitWord(group_type).replace(/^./, (letter) => letter.toUpperCase()),
          })),
        ]}
      />
    </Field>
  );
}

function ExistingFlag({ projectId, values, change, problemOf }: StepPart) {
  const [search, setSearch] = useState("");
  const found = useEndpoint<typeof flagContract.list>("/api/projects/{project_id}/feature_flags/", {
    params: { project_id: projectId },
    query: { search, limit: "50" },
  });
  const flags = found.data?.results ?? [];
  const chosen = flags.find((flag) => flag.key === values.key);
  const problem = chosen && findEligibilityProblem(chosen.filters);
  const running = chosen?.experiment_set.length ?? 0;
  return (
    <>
      <Field
        label="Flag"
        required
        error={problem ? `${chosen.key} cannot be used. ${problem}` : problemOf("key")}
      >
        <Combobox
          mono
          value={values.key || null}
          onValueChange={(key) => {
            const flag = flags.find((each) => each.key === key);
            change({ key, ...(flag && { variants: variantsOfFlag(flag.filters) }) });
          }}
          onSearch={setSearch}
          loading={found.isFetching}
          placeholder="Choose a flag"
          searchPlaceholder="Search by key or description"
          empty="No flag matches"
          options={flags.map((flag) => ({
            value: flag.key,
            description: findEligibilityProblem(flag.filters) ?? (flag.name || "Usable"),
            hint: findEligibilityProblem(flag.filters) ? "not usable" : flag.active ? "on" : "off",
          }))}
        />
      </Field>
      {chosen && !problem ? (
        <>
          <Split variants={variantsOfFlag(chosen.filters)} flagKey={chosen.key} />
          <Callout tone={chosen.active ? "warning" : "info"}>
            {chosen.active
              ? "The flag is on: people already get its variants. They count from launch onwards."
              : "The flag is off. Launching the experiment turns it on."}
            {running > 0
              ? ` ${running === 1 ? "Another experiment uses" : `${running} other experiments use`} it; people keep their variants in all of them.`
              : ""}
          </Callout>
        </>
      ) : null}
    </>
  );
}

const Split = ({ variants, flagKey }: { variants: readonly Variant[]; flagKey: string }) => (
  <ShareBar
    kind="legend"
    label={`Variants of ${flagKey}`}
    shares={variants.map(({ key, rollout_percentage }) => ({ name: key, percent: rollout_percentage }))}
  />
);

/** The flag of a saved experiment; its split can be changed while the experiment is a values. */
function StoredFlag({ projectId, experiment, values, change, problemOf, onFlag }: Props) {
  if (!experiment) return null;
  const { feature_flag: flag } = experiment;
  const editable =
    experiment.status === "draft" && onFlag <= 1 && Boolean(experiment.parameters?.feature_flag_variants);
  const why =
    experiment.status !== "draft"
      ? "The split is fixed after launch: changing it would mix people who were split differently. To change it, stop the experiment and duplicate it."
      : onFlag > 1
        ? "Other experiments use this flag, so its split cannot be changed here."
        : "The flag existed before the experiment. Change it on its own page.";
  return (
    <>
      <p className="text-sm">
        People are split by{" "}
        <TextLink
          href={`/project/${projectId}/feature_flags/${flag.id}` as Route}
          className="font-mono text-xs"
        >
          {flag.key}
        </TextLink>
        {flag.active ? ", which is on." : ", which is off until launch."}
      </p>
      {editable ? (
        <>
          <Field label="Variants" as="group" error={problemOf("variants")}>
            <SplitEditor variants={values.variants} onChange={(variants) => change({ variants })} />
          </Field>
          <UnitField {...{ projectId, values, change }} />
        </>
      ) : (
        <>
          <Split variants={values.variants} flagKey={flag.key} />
          <Callout>{why}</Callout>
        </>
      )}
    </>
  );
}
