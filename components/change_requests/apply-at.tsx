"use client";

import { CalendarClock, X } from "lucide-react";
import { useState } from "react";
import type { RequestActions } from "#app/project/[project_id]/change_requests/request-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt, problemOf } from "#components/kit/action.ts";
import { clockOf, clockText, Moments, tomorrow } from "#components/kit/moments.tsx";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { timeZone } from "#lib/engines/time-zone.ts";

type Props = {
  projectId: string;
  request: { id: string; apply_at: string | null };
  timezone: string;
  access: Access;
  actions: RequestActions;
};

/** Chooses when a request is applied, or that it is not applied by itself. */
export function ApplyAtButton(props: Props) {
  const { request, access } = props;
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Permit access={access}>
        <Button icon={CalendarClock} {...refused(access)} onClick={() => access.may_write && setAsks(true)}>
          {request.apply_at ? "Reschedule…" : "Schedule…"}
        </Button>
      </Permit>
      {asks ? <ApplyAtDialog {...props} onClose={() => setAsks(false)} /> : null}
    </>
  );
}

function ApplyAtDialog({ projectId, request, timezone, actions, onClose }: Props & { onClose: () => void }) {
  const zone = timeZone(timezone);
  const [now] = useState(() => Date.now());
  const [at, setAt] = useState(() =>
    clockText(request.apply_at ? zone.clockAt(Date.parse(request.apply_at)) : tomorrow(zone.clockAt(now))),
  );
  const clock = clockOf(at);
  const moment = Number.isNaN(clock) ? null : new Date(zone.momentOf(clock));
  const problem =
    moment === null
      ? "Choose a date and a time."
      : moment.getTime() <= now
        ? "Choose a time in the future."
        : undefined;

  async function confirm(): Promise<string | undefined> {
    if (problem !== undefined || !moment) return problem;
    const result = await attempt(() => actions.schedule(projectId, request.id, moment.toISOString()));
    if (!result.ok) return problemOf(result);
    toast.success(result.data.message);
    return undefined;
  }
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Schedule this request"
      description="It is checked again before it is applied. If its effect has changed by then, the request lapses and nothing changes."
      confirmLabel="Schedule"
      onConfirm={confirm}
    >
      <Field
        label="When"
        aside={timezone}
        error={problem}
        hint={moment && !problem ? <Moments moments={[moment]} timezone={timezone} /> : undefined}
      >
        <Input type="datetime-local" value={at} onChange={(event) => setAt(event.target.value)} />
      </Field>
    </ConfirmDialog>
  );
}

type CancelProps = Omit<Props, "timezone" | "request"> & { requestId: string; size?: "sm" | "md" };

/** Cancels the schedule of a request. */
export function CancelMoment({ projectId, requestId, access, actions, size = "md" }: CancelProps) {
  const [busy, setBusy] = useState(false);
  async function cancel() {
    if (!access.may_write) return;
    setBusy(true);
    const result = await attempt(() => actions.schedule(projectId, requestId, null));
    setBusy(false);
    if (result.ok) toast.success("The schedule was cancelled", { description: "The request stays open." });
    else toast.error("The schedule was not cancelled", { description: result.error.detail });
  }
  return (
    <Permit access={access}>
      <Button
        size={size}
        variant="ghost"
        className="self-start"
        icon={X}
        loading={busy}
        {...refused(access)}
        onClick={() => void cancel()}
      >
        Cancel the schedule
      </Button>
    </Permit>
  );
}
