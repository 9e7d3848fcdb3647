"use client";

import { EventFilters } from "#components/conditions/events/event-filters.tsx";
import { useSeenEvents } from "#components/conditions/events/use-seen.ts";
import type { ExposureForm } from "#components/experiments/editor/form-values.ts";
import { Callout } from "#components/ui/display/callout.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import type { StepProps } from "./steps.ts";

/** When people count, and how to treat those who got several variants. */
export function ExposureStep({ projectId, experiment, values, change, problemOf }: StepProps) {
  const { exposure, key } = values;
  const set = (part: Partial<ExposureForm>) => change({ exposure: { ...exposure, ...part } });
  const launched = experiment !== null && experiment.status !== "draft";
  return (
    <>
      {launched ? (
        <Callout tone="warning">
          This experiment is already launched. Saving recounts exposures from the first day.
        </Callout>
      ) : null}
      <Field label="People count from" as="group">
        <RadioCards
          value={exposure.kind}
          onValueChange={(kind) => set({ kind })}
          options={[
            {
              value: "flag",
              label: "Their first evaluation of the flag",
              description: `$feature_flag_called for ${key || "this flag"}, which SDKs send automatically. Best when your code evaluates the flag right where the change is.`,
            },
            {
              value: "event",
              label: "An event of your own",
              description:
                "Their first event of this name that carries the flag's value. Best when the flag is evaluated long before anybody sees the change.",
            },
          ]}
        />
      </Field>
      {exposure.kind === "event" ? (
        <ByEvent projectId={projectId} exposure={exposure} set={set} problem={problemOf("exposure")} />
      ) : null}
      <Field label="People who got several variants" as="group">
        <RadioCards
          columns={2}
          value={exposure.handling}
          onValueChange={(handling) => set({ handling })}
          options={[
            {
              value: "exclude",
              label: "Exclude them",
              description: "They belong to no variant and are counted separately.",
            },
            {
              value: "first_seen",
              label: "Use their first variant",
              description: "Keeps everybody, but blurs effects a little.",
            },
          ]}
        />
      </Field>
      <Checkbox
        label="Exclude test accounts"
        description="Ignore test accounts, as defined in the project settings."
        checked={exposure.filterTestAccounts}
        onCheckedChange={(on) => set({ filterTestAccounts: on === true })}
      />
    </>
  );
}

type ByEventProps = {
  projectId: string;
  exposure: ExposureForm;
  set: (part: Partial<ExposureForm>) => void;
  problem: string | undefined;
};

function ByEvent({ projectId, exposure, set, problem }: ByEventProps) {
  const events = useSeenEvents(projectId);
  return (
    <div className="flex flex-col gap-2">
      <Field label="Event" required error={problem}>
        <Combobox
          value={exposure.event || null}
          onValueChange={(event) => set({ event })}
          onSearch={events.setSearch}
          loading={events.loading}
          options={events.options}
          freeText="Use event"
          placeholder="Choose an event"
          searchPlaceholder="Search events"
        />
      </Field>
      <EventFilters
        projectId={projectId}
        event={exposure.event || null}
        of="of the exposure"
        filters={exposure.filters}
        onChange={(filters) => set({ filters })}
      />
    </div>
  );
}
