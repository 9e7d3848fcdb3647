"use client";

import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { Proposed } from "#components/conditions/who_changes/use-who-changes.ts";
import { ChangeDialog } from "#components/feature_flags/changes/change-dialog.tsx";
import { attempt, findProblem, problemOf } from "#components/kit/action.ts";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { heldRequest } from "#components/kit/held.ts";
import { clockOf, clockText, Moments, tomorrow } from "#components/kit/moments.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { timeZone } from "#lib/engines/time-zone.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import { findCronProblem, nextMoment, type Recurrence } from "#lib/flags/scheduled_changes/moments.ts";
import type { ScheduledChangeCreate } from "#lib/flags/scheduled_changes/schema.ts";
import { formatMomentIn } from "#lib/platform/format.ts";

/** A change that is known already, such as the unsaved changes of the form. */
type KnownChange = {
  payload: ScheduledChangeCreate["payload"];
  /** Whether it can recur. */
  recurs: boolean;
  proposed: Proposed;
  /** Whether they can change what people get. */
  counts: boolean;
  differences: readonly Difference[];
};

export type ScheduleActions = Pick<FlagActions, "schedule" | "cancelSchedule">;

type Props = {
  projectId: string;
  timezone: string;
  flag: { id: number; key: string; active: boolean };
  /** What is scheduled; null: turning the flag on or off. */
  form: KnownChange | null;
  actions: ScheduleActions;
  onClose: () => void;
  /** Also where a policy holds it: what was edited is in a change request then. */
  onScheduled?: (isHeld: boolean) => void;
};

const SHOWN = 3;

const REPEATS = [
  { value: "never", label: "Does not repeat" },
  { value: "daily", label: "Every day" },
  { value: "weekdays", label: "Every weekday, Monday to Friday" },
  { value: "weekly", label: "Every week" },
  { value: "monthly", label: "Every month" },
  { value: "cron", label: "By a cron expression" },
] as const;
type Repeat = (typeof REPEATS)[number]["value"];

function cronOf(repeat: Repeat, clock: number, expression: string): string | null {
  if (repeat === "cron") return expression.trim();
  const at = new Date(clock);
  return repeat === "weekdays" ? `${at.getUTCMinutes()} ${at.getUTCHours()} * * 1-5` : null;
}

const intervalOf = (repeat: Repeat) =>
  repeat === "daily" || repeat === "weekly" || repeat === "monthly" ? repeat : null;

type Plan = { first: Date; recurrence: Recurrence; moments: Date[] };

/** What the fields mean; a text where they mean nothing. */
function planOf(
  { at, repeat, expression }: { at: string; repeat: Repeat; expression: string },
  timezone: string,
  now: number,
): Plan | string {
  const clock = clockOf(at);
  if (Number.isNaN(clock)) return "Choose a date and a time.";
  const start = new Date(timeZone(timezone).momentOf(clock));
  const cron_expression = cronOf(repeat, clock, expression);
  const problem = cron_expression === null ? null : findCronProblem(cron_expression);
  if (problem) return problem;
  const recurrence = { recurrence_interval: intervalOf(repeat), cron_expression, timezone, first: start };
  const first = cron_expression === null ? start : nextMoment(recurrence, new Date(start.getTime() - 1));
  if (!first || first.getTime() <= now) return "Choose a date and time in the future.";
  const moments = [first];
  while (repeat !== "never" && moments.length < SHOWN) {
    const next = nextMoment({ ...recurrence, first }, moments.at(-1) ?? first);
    if (!next) break;
    moments.push(next);
  }
  return { first, recurrence: { ...recurrence, first }, moments };
}

/** Schedules a change of a flag, after showing whose value it would change now. */
export function ScheduleDialog({ projectId, timezone, flag, form, actions, onClose, onScheduled }: Props) {
  const zone = timeZone(timezone);
  const [now] = useState(() => Date.now());
  const [active, setActive] = useState(!flag.active);
  const [at, setAt] = useState(() => clockText(tomorrow(zone.clockAt(now))));
  const [repeat, setRepeat] = useState<Repeat>("never");
  const [expression, setExpression] = useState("0 9 * * 1");
  const [until, setUntil] = useState("");
  const [guard, setGuard] = useState(true);
  const plan = planOf({ at, repeat, expression }, timezone, now);
  const isCronWrong = typeof plan === "string" && repeat === "cron" && findCronProblem(expression) !== null;

  async function confirm(): Promise<string | undefined> {
    if (typeof plan === "string") return plan;
    const { first, recurrence } = plan;
    const result = await attempt(() =>
      actions.schedule(projectId, {
        record_id: String(flag.id),
        model_name: "FeatureFlag",
        payload: form ? form.payload : { operation: "update_status", value: active },
        scheduled_at: first.toISOString(),
        is_recurring: repeat !== "never",
        recurrence_interval: recurrence.recurrence_interval,
        cron_expression: recurrence.cron_expression,
        end_date:
          repeat === "never" || until === "" ? null : new Date(zone.momentOf(clockOf(until))).toISOString(),
        guard,
      }),
    );
    if (heldRequest(result) !== null) onScheduled?.(true);
    if (!result.ok) return problemOf(result);
    const { id } = result.data;
    toast.withUndo(
      `Scheduled for ${formatMomentIn(first.getTime(), timezone)}`,
      () => findProblem(() => actions.cancelSchedule(projectId, id)),
      "The schedule was cancelled",
    );
    onScheduled?.(false);
    return undefined;
  }

  return (
    <ChangeDialog
      projectId={projectId}
      flagKey={flag.key}
      proposed={form ? form.proposed : { id: flag.id, active }}
      counts={form?.counts ?? true}
      instead={form && !form.counts ? null : undefined}
      heading="Whose value it would change now"
      title={
        <>
          Schedule a change of <span className="font-mono text-base">{flag.key}</span>
        </>
      }
      confirmLabel="Schedule"
      onClose={onClose}
      onConfirm={confirm}
    >
      {form ? (
        <section aria-label="What changes" className="flex flex-col gap-1.5">
          <h3 className="font-medium text-sm">What changes</h3>
          <DifferencesList label="What changes" differences={form.differences} />
        </section>
      ) : (
        <Field as="group" label="What">
          <Segmented
            label="What"
            className="self-start"
            value={active ? "on" : "off"}
            options={[
              { value: "on", label: "Turn on" },
              { value: "off", label: "Turn off" },
            ]}
            onValueChange={(value) => setActive(value === "on")}
          />
        </Field>
      )}
      <Field
        label="When"
        aside={timezone}
        error={typeof plan === "string" && !isCronWrong ? plan : undefined}
        hint={typeof plan === "string" ? undefined : <Moments moments={plan.moments} timezone={timezone} />}
      >
        <Input type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
      </Field>
      {form?.recurs === false ? null : (
        <Field label="Repeat">
          <Select value={repeat} options={REPEATS} onValueChange={setRepeat} />
        </Field>
      )}
      {repeat === "cron" ? (
        <Field
          label="Cron expression"
          description={`Minute, hour, day of month, month, day of week, in the time zone ${timezone}.`}
          error={isCronWrong && typeof plan === "string" ? plan : undefined}
        >
          <Input
            mono
            autoComplete="off"
            spellCheck={false}
            value={expression}
            onChange={(event) => setExpression(event.target.value)}
          />
        </Field>
      ) : null}
      {repeat === "never" ? null : (
        <Field label="Until" optional aside={timezone}>
          <Input type="datetime-local" value={until} onChange={(event) => setUntil(event.target.value)} />
        </Field>
      )}
      <Checkbox
        checked={guard}
        onCheckedChange={(checked) => setGuard(checked === true)}
        label="Stop if things have changed by then"
        description="Nothing happens if somebody has edited the same fields, or if more than twice as many people would be affected (and more than 1% of all people more)."
      />
    </ChangeDialog>
  );
}
