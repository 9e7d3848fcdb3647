"use client";

import { useState } from "react";
import type { PersonActions } from "#app/project/[project_id]/persons/person-actions.ts";
import { valueInWords } from "#components/conditions/outcome-words.ts";
import { attempt, problemOf } from "#components/kit/action.ts";
import { clockOf, clockText, tomorrow } from "#components/kit/moments.tsx";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Spinner } from "#components/ui/display/spinner.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { timeZone } from "#lib/engines/time-zone.ts";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import { variantsOf } from "#lib/people/conditions/words.ts";
import { formatMomentIn, plural } from "#lib/platform/format.ts";

type Value = boolean | string;
type Pin = { value: Value; until: string | null; reason: string };

type Props = {
  projectId: string;
  timezone: string;
  person: { id: string; name: string };
  /** How many distinct ids the person has. */
  idCount: number;
  flag: { id: number; key: string; active: boolean; value: Value };
  /** What they are pinned to; null: nothing. */
  pin: Pin | null;
  actions: PersonActions;
  onClose: () => void;
};

const DAY_MS = 86_400_000;
const ENDS = [
  { value: "1", label: "In a day" },
  { value: "7", label: "In a week" },
  { value: "30", label: "In 30 days" },
  { value: "moment", label: "At a moment" },
  { value: "never", label: "When somebody removes it" },
] as const;
/** Of more values, a list is offered. */
const SEGMENTS_MAX = 3;
const REASON_MAX = 400;
type End = (typeof ENDS)[number]["value"];

/** When a pin ends; null: never. A text where the fields mean nothing. */
function untilOf(end: End, at: string, timezone: string, now: number): Date | null | string {
  if (end === "never") return null;
  if (end !== "moment") return new Date(now + Number(end) * DAY_MS);
  const clock = clockOf(at);
  if (Number.isNaN(clock)) return "Choose a date and a time.";
  const until = new Date(timeZone(timezone).momentOf(clock));
  return until.getTime() > now ? until : "Choose a moment in the future.";
}

/** How its end is chosen at first, and the moment that is offered. */
function firstEnd(pin: Pin | null, timezone: string, now: number): { end: End; at: string } {
  const { clockAt } = timeZone(timezone);
  const at = clockText(pin?.until ? clockAt(Date.parse(pin.until)) : tomorrow(clockAt(now)));
  return { end: pin === null ? "7" : pin.until === null ? "never" : "moment", at };
}

/** Pins the value of a flag for one person. */
export function PinDialog({ projectId, timezone, person, idCount, flag, pin, actions, onClose }: Props) {
  const [now] = useState(() => Date.now());
  const [value, setValue] = useState<Value | undefined>(pin?.value);
  const [{ end, at }, setEnd] = useState(() => firstEnd(pin, timezone, now));
  const [reason, setReason] = useState(pin?.reason ?? "");
  const stored = useEndpoint<typeof flagContract.retrieve>(
    "/api/projects/{project_id}/feature_flags/{id}/",
    { params: { project_id: projectId, id: String(flag.id) } },
    { staleTime: 0, retry: false },
  );
  const values = stored.data ? valuesOf(stored.data) : [];
  const chosen = value ?? values.find((each) => each !== flag.value) ?? false;
  const until = untilOf(end, at, timezone, now);

  async function confirm(): Promise<string | undefined> {
    if (typeof until === "string") return until;
    const body = { person_id: person.id, value: chosen, until: until?.toISOString() ?? null, reason };
    const result = await attempt(() => actions.pin(projectId, flag.id, body));
    if (result.ok) toast.success(`${flag.key} is ${valueInWords(chosen)} for ${person.name}`);
    return problemOf(result);
  }

  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={
        <>
          Pin <span className="break-all font-mono text-base">{flag.key}</span> for {person.name}
        </>
      }
      description="They get this value whatever the targeting says. Nobody else is affected."
      confirmLabel="Pin value"
      blocked={!stored.data || typeof until === "string"}
      onConfirm={confirm}
    >
      {stored.data ? (
        <ValueField values={values} value={chosen} onValueChange={setValue} />
      ) : stored.isError ? (
        <FieldError>{stored.error.message}</FieldError>
      ) : (
        <p className="flex items-center gap-2 text-muted text-sm">
          <Spinner /> Reading the flag…
        </p>
      )}
      <Field label="Ends">
        <Select value={end} options={ENDS} onValueChange={(next) => setEnd({ end: next, at })} />
      </Field>
      {end === "moment" ? (
        <Field label="Moment" aside={timezone} error={typeof until === "string" ? until : undefined}>
          <Input
            type="datetime-local"
            value={at}
            onChange={(event) => setEnd({ end, at: event.target.value })}
          />
        </Field>
      ) : null}
      <Field label="Reason" optional>
        <Input
          value={reason}
          maxLength={REASON_MAX}
          placeholder="For others who edit the flag"
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      {stored.data ? (
        <p className="rounded-md border bg-sunken px-3 py-2 text-muted text-xs">
          {person.name} gets <strong className="font-medium text-ink">{valueInWords(chosen)}</strong>
          {chosen === flag.value ? ", as now," : ` instead of ${valueInWords(flag.value)}`} under{" "}
          {plural(idCount, "distinct id")}
          {until instanceof Date ? `, until ${formatMomentIn(until.getTime(), timezone)}` : ""}.
          {flag.active ? "" : " The flag is off: that takes effect once it is on."}
        </p>
      ) : null}
    </ConfirmDialog>
  );
}

const valuesOf = ({ filters }: FlagRecord): Value[] => {
  const keys = variantsOf(filters).map(({ key }) => key);
  return keys.length > 0 ? [false, ...keys] : [true, false];
};

/** A variant can be called "off". */
const nameOf = (value: Value) => (typeof value === "string" ? `variant ${value}` : String(value));

type ValueProps = {
  values: readonly Value[];
  value: Value;
  onValueChange: (value: Value | undefined) => void;
};

function ValueField({ values, value, onValueChange }: ValueProps) {
  const options = values.map((each) => ({ value: nameOf(each), label: valueInWords(each) }));
  const choose = (name: string) => onValueChange(values.find((each) => nameOf(each) === name));
  const control = { value: nameOf(value), options, onValueChange: choose };
  return options.length > SEGMENTS_MAX ? (
    <Field label="Value">
      <Select {...control} />
    </Field>
  ) : (
    <Field as="group" label="Value">
      <Segmented label="Value" className="self-start" {...control} />
    </Field>
  );
}
