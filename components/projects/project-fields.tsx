"use client";

import { useMemo } from "react";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";

type Props = {
  name: string;
  onNameChange: (name: string) => void;
  timezone: string;
  onTimezoneChange: (timezone: string) => void;
  problem: { attr: string | null; detail: string } | undefined;
  readOnly: boolean;
  /** Explains projects to first-time users. */
  explained?: boolean;
};

/** A project’s name and time zone. */
export function ProjectFields(props: Props) {
  const { name, onNameChange, timezone, onTimezoneChange, problem, readOnly, explained = false } = props;
  const zones = useMemo(
    () => [...new Set(["UTC", timezone, ...Intl.supportedValuesOf("timeZone")])],
    [timezone],
  );
  return (
    <>
      <Field
        label="Name"
        description={explained ? "A product, or one of its environments: production, staging." : undefined}
        error={problem && problem.attr !== "timezone" ? problem.detail : undefined}
      >
        <Input
          autoFocus={explained}
          autoComplete="off"
          maxLength={200}
          value={name}
          readOnly={readOnly}
          onChange={(event) => onNameChange(event.target.value)}
        />
      </Field>
      <Field
        label="Time zone"
        description="For experiments, schedules, approvals and digests. Flag calls and survey responses are counted by UTC days."
        error={problem?.attr === "timezone" ? problem.detail : undefined}
      >
        <Combobox
          value={timezone}
          onValueChange={onTimezoneChange}
          disabled={readOnly}
          options={zones.map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }))}
          searchPlaceholder="Search a city or region"
        />
      </Field>
    </>
  );
}
