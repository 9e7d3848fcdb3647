"use client";

import { Callout } from "#components/ui/callout.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { Combobox } from "#components/ui/combobox.tsx";
import { Field } from "#components/ui/field.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import type { ExposureDraft } from "./draft.ts";
import type { StepProps } from "./editor.tsx";
import { EventFilters } from "./event_filters.tsx";
import { useSeenEvents } from "./use_seen.ts";

/** From when on somebody counts, and what of those who got several variants. */
export function ExposureStep({ projectId, experiment, draft, change }: StepProps) {
  const { exposure, key } = draft;
  const set = (part: Partial<ExposureDraft>) => change({ exposure: { ...exposure, ...part } });
  const launched = experiment !== null && experiment.status !== "draft";
  return (
    <>
      {launched ? (
        <Callout tone="warning">
          The experiment is launched. Who counts is decided anew for all of its time once you save.
        </Callout>
      ) : null}
      <Field label="Somebody counts from" as="group">
        <RadioCards
          value={exposure.kind}
          onValueChange={(kind) => set({ kind })}
          options={[
            {
              value: "flag",
              label: "The first time they are asked for the flag",
              description: `$feature_flag_called with ${key || "its key"}: SDKs send it by themselves. Right where the flag is asked just where the change is.`,
            },
            {
              value: "event",
              label: "The first time they do something",
              description:
                "An event of your own that carries the flag's value: for flags that are asked for long before anybody sees the change.",
            },
          ]}
        />
      </Field>
      {exposure.kind === "event" ? <ByEvent projectId={projectId} exposure={exposure} set={set} /> : null}
      <Field label="Somebody who got several variants" as="group">
        <RadioCards
          columns={2}
          value={exposure.handling}
          onValueChange={(handling) => set({ handling })}
          options={[
            {
              value: "exclude",
              label: "Is left out",
              description: "Their behaviour belongs to no variant. They are counted beside the results.",
            },
            {
              value: "first_seen",
              label: "Counts with the first",
              description: "Nobody is lost, but effects are blurred a little.",
            },
          ]}
        />
      </Field>
      <Checkbox
        label="Leave out test accounts"
        description="Only events that the project's settings take for those of real users make somebody count."
        checked={exposure.filterTestAccounts}
        onCheckedChange={(on) => set({ filterTestAccounts: on === true })}
      />
    </>
  );
}

type ByEventProps = {
  projectId: string;
  exposure: ExposureDraft;
  set: (part: Partial<ExposureDraft>) => void;
};

function ByEvent({ projectId, exposure, set }: ByEventProps) {
  const events = useSeenEvents(projectId);
  return (
    <div className="flex flex-col gap-2">
      <Field label="Event" required>
        <Combobox
          value={exposure.event || null}
          onValueChange={(event) => set({ event })}
          onSearch={events.setSearch}
          loading={events.loading}
          options={events.options}
          freeText="Any event named"
          placeholder="Choose an event"
          searchPlaceholder="Search events that were seen"
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
