"use client";

import { useMemo } from "react";
import { Combobox } from "#components/ui/combobox.tsx";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";

type Props = {
  name: string;
  onNameChange: (name: string) => void;
  timezone: string;
  onTimezoneChange: (timezone: string) => void;
  problem: { attr: string | null; detail: string } | undefined;
  readOnly: boolean;
  /** What a project is: for whoever makes the first one. */
  explained?: boolean;
};

/** What a project is told by: its name, and the time zone in which its days begin and end. */
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
        description="In which days of this project begin and end."
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
