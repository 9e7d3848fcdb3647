"use client";

import type { Route } from "next";
import { useState } from "react";
import { Callout } from "#components/ui/callout.tsx";
import { Combobox } from "#components/ui/combobox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import { ShareBar } from "#components/ui/share-bar.tsx";
import { TextLink } from "#components/ui/text-link.tsx";
import { useEndpoint } from "#components/use-endpoint.ts";
import type { HoldoutRecord } from "#lib/experiments/schema.ts";
import { flagContract } from "#lib/feature_flags/contract.ts";
import type { StepProps } from "./editor.tsx";
import type { ExperimentActions } from "./experiment_actions.ts";
import { HoldoutField } from "./holdout_field.tsx";
import { SplitEditor } from "./split_editor.tsx";
import { eligibilityProblem, keyFrom, type Variant, variantsOfFlag } from "./variants.ts";

type Props = StepProps & {
  holdouts: readonly HoldoutRecord[];
  onFlag: number;
  actions: ExperimentActions;
};

/** The flag that splits people, its variants with their shares, and who is held out. */
export function VariantsStep(props: Props) {
  return (
    <>
      {props.experiment ? <StoredFlag {...props} /> : <ChooseFlag {...props} />}
      <HoldoutField {...props} />
    </>
  );
}

function ChooseFlag({ projectId, draft, change }: Props) {
  const suggestion = keyFrom(draft.name);
  return (
    <>
      <Field label="Feature flag" as="group">
        <RadioCards
          columns={2}
          value={draft.flag}
          onValueChange={(flag) => change({ flag, key: flag === "new" ? suggestion : "" })}
          options={[
            { value: "new", label: "A new flag", description: "Made with the draft, off until you launch." },
            {
              value: "existing",
              label: "A flag you have",
              description: "It needs variants, control first; it is used as it is.",
            },
          ]}
        />
      </Field>
      {draft.flag === "new" ? (
        <>
          <Field label="Key of the flag" description="Your code asks for it by this name." required>
            <Input
              mono
              autoComplete="off"
              spellCheck={false}
              placeholder={suggestion || "shorter-checkout-form"}
              value={draft.key}
              onFocus={() => draft.key === "" && suggestion !== "" && change({ key: suggestion })}
              onChange={(event) => change({ key: event.target.value })}
            />
          </Field>
          <Field label="Variants" as="group">
            <SplitEditor variants={draft.variants} onChange={(variants) => change({ variants })} />
          </Field>
        </>
      ) : (
        <ExistingFlag {...{ projectId, draft, change }} />
      )}
    </>
  );
}

function ExistingFlag({ projectId, draft, change }: Pick<Props, "projectId" | "draft" | "change">) {
  const [search, setSearch] = useState("");
  const found = useEndpoint(flagContract.list, {
    params: { project_id: projectId },
    query: { search, limit: "50" },
  });
  const flags = found.data?.results ?? [];
  const chosen = flags.find((flag) => flag.key === draft.key);
  const problem = chosen && eligibilityProblem(chosen.filters);
  const running = chosen?.experiment_set.length ?? 0;
  return (
    <>
      <Field
        label="Which flag"
        required
        error={problem ? `${chosen.key} cannot be used. ${problem}` : undefined}
      >
        <Combobox
          mono
          value={draft.key || null}
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
            description: eligibilityProblem(flag.filters) ?? (flag.name || "Can be used"),
            hint: eligibilityProblem(flag.filters) ? "not usable" : flag.active ? "on" : "off",
          }))}
        />
      </Field>
      {chosen && !problem ? (
        <>
          <Split variants={variantsOfFlag(chosen.filters)} flagKey={chosen.key} />
          <Callout tone={chosen.active ? "warning" : "info"}>
            {chosen.active
              ? "The flag is on: people get its variants already. Whoever was asked for it before the launch counts from the launch on."
              : "The flag is off. Launching the experiment switches it on."}
            {running > 0
              ? ` ${running === 1 ? "Another experiment stands" : `${running} other experiments stand`} on it; people keep their variants in all of them.`
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

/** Of a saved experiment: its own flag can still be split anew while it is a draft. */
function StoredFlag({ projectId, experiment, draft, change, onFlag }: Props) {
  if (!experiment) return null;
  const { feature_flag: flag } = experiment;
  const editable =
    experiment.status === "draft" && onFlag <= 1 && Boolean(experiment.parameters?.feature_flag_variants);
  const why =
    experiment.status !== "draft"
      ? "The experiment is launched: other variants or shares would mix people who were split differently. Stop it and make a copy to change them."
      : onFlag > 1
        ? "Other experiments stand on this flag, so it is not split from here."
        : "The flag was there before the experiment; change it on its own page.";
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
        {flag.active ? ", which is on." : ", which is off until the launch."}
      </p>
      {editable ? (
        <Field label="Variants" as="group">
          <SplitEditor variants={draft.variants} onChange={(variants) => change({ variants })} />
        </Field>
      ) : (
        <>
          <Split variants={draft.variants} flagKey={flag.key} />
          <Callout>{why}</Callout>
        </>
      )}
    </>
  );
}
