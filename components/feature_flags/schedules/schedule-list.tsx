"use client";

import { Pause, Play, RotateCw, X } from "lucide-react";
import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { ChangeDialog } from "#components/feature_flags/changes/change-dialog.tsx";
import type { Access } from "#components/kit/access.tsx";
import { attempt, findProblem } from "#components/kit/action.ts";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { personName } from "#components/kit/person-name.ts";
import { Button } from "#components/ui/button.tsx";
import { Status } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { ScheduledChange } from "#lib/flags/scheduled_changes/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { formatCount, formatMomentIn } from "#lib/platform/format.ts";
import {
  isPaused,
  operationWords,
  proposedBy,
  recurrenceWords,
  scheduledDifferences,
} from "./schedule-words.ts";

type Props = {
  title: string;
  projectId: string;
  flag: FlagRecord;
  schedules: readonly ScheduledChange[];
  names: Names;
  access: Access;
  actions: FlagActions;
};

/** Scheduled changes of a flag, each with what can be done about it. */
export function ScheduleList({ title, schedules, ...of }: Props) {
  if (schedules.length === 0) return null;
  return (
    <Card title={title} padded={false}>
      <ul aria-label={title} className="divide-y border-t">
        {schedules.map((schedule) => (
          <ScheduleRow key={schedule.id} {...of} schedule={schedule} />
        ))}
      </ul>
    </Card>
  );
}

function impactWords({ changed, total, group_type_index }: NonNullable<ScheduledChange["expected_impact"]>) {
  const unit = group_type_index === null ? "people" : "groups";
  return `expected for ${formatCount(changed)} of ${formatCount(total)} ${unit}`;
}

type RowProps = Omit<Props, "title" | "schedules"> & { schedule: ScheduledChange };

function ScheduleRow(props: RowProps) {
  const { flag, schedule, names, access } = props;
  const { executed_at, failure_reason, expected_impact, payload } = schedule;
  const recurrence = recurrenceWords(schedule);
  const by = personName(schedule.created_by);
  const differences = executed_at ? [] : scheduledDifferences(flag, payload, names);
  const facts = [
    recurrence,
    schedule.end_date &&
      recurrence &&
      `until ${formatMomentIn(Date.parse(schedule.end_date), schedule.timezone)}`,
    by && `by ${by}`,
    expected_impact && !executed_at && impactWords(expected_impact),
  ].filter(Boolean);
  return (
    <li className="flex flex-col gap-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 break-words font-medium">{operationWords(payload)}</span>
        <Outcome schedule={schedule} />
      </div>
      <p className="text-muted text-xs">
        {executed_at ? null : (
          <>
            {formatMomentIn(Date.parse(schedule.scheduled_at), schedule.timezone)} (
            <RelativeTime date={schedule.scheduled_at} />){facts.length > 0 ? " · " : null}
          </>
        )}
        {facts.join(" · ")}
      </p>
      {failure_reason ? (
        <p className="min-w-0 break-words text-danger-text text-xs">
          {executed_at ? null : "Last time: "}
          {failure_reason}
        </p>
      ) : null}
      {differences.length > 0 ? <DifferencesList label="What changes" differences={differences} /> : null}
      {access.may_write ? <RowActions {...props} /> : null}
    </li>
  );
}

/** What became of it, or whether it waits. */
function Outcome({ schedule }: { schedule: ScheduledChange }) {
  const { executed_at, failure_reason } = schedule;
  if (!executed_at) return isPaused(schedule) ? <Status status="paused" /> : <Status status="scheduled" />;
  const when = <RelativeTime date={executed_at} className="text-faint text-xs" />;
  if (recurrenceWords(schedule))
    return (
      <>
        {<Status status="complete">Ended</Status>} {when}
      </>
    );
  return (
    <>
      {failure_reason ? (
        <Status status="deleted">Not applied</Status>
      ) : (
        <Status status="active">Applied</Status>
      )}{" "}
      {when}
    </>
  );
}

function RowActions(props: RowProps) {
  const { projectId, flag, schedule, actions } = props;
  const [asks, setAsks] = useState(false);
  const recurs = recurrenceWords(schedule) !== null;
  const paused = isPaused(schedule);
  const isFinished = schedule.executed_at !== null;
  if (isFinished && (recurs || schedule.failure_reason === null)) return null;

  async function pause() {
    const problem = await findProblem(() =>
      actions.updateSchedule(projectId, schedule.id, { is_recurring: paused }),
    );
    if (problem) toast.error("The schedule was not changed", { description: problem });
  }

  async function cancel() {
    const problem = await findProblem(() => actions.cancelSchedule(projectId, schedule.id));
    if (problem) toast.error("The schedule was not cancelled", { description: problem });
    else
      toast.withUndo(
        "The schedule was cancelled",
        () => findProblem(() => actions.updateSchedule(projectId, schedule.id, { deleted: false })),
        "The schedule is back",
      );
  }

  return (
    <div className="flex flex-wrap gap-2">
      <Button size="sm" icon={Play} onClick={() => setAsks(true)} disabled={flag.deleted}>
        Run now…
      </Button>
      {recurs && !isFinished ? (
        <Button size="sm" variant="ghost" icon={paused ? RotateCw : Pause} onClick={pause}>
          {paused ? "Resume" : "Pause"}
        </Button>
      ) : null}
      {isFinished ? null : (
        <Button size="sm" variant="ghost" icon={X} onClick={cancel}>
          Cancel
        </Button>
      )}
      {asks ? <RunDialog {...props} onClose={() => setAsks(false)} /> : null}
    </div>
  );
}

/** Asks before a scheduled change is made now, in the name of whoever asks. */
function RunDialog({ projectId, flag, schedule, actions, onClose }: RowProps & { onClose: () => void }) {
  const proposed = proposedBy(schedule);
  async function run(): Promise<string | undefined> {
    const result = await attempt(() => actions.runSchedule(projectId, schedule.id));
    if (!result.ok) return result.error.detail;
    toast.success(`${flag.key} was changed`);
    return undefined;
  }
  return (
    <ChangeDialog
      projectId={projectId}
      flagKey={flag.key}
      proposed={proposed ?? { id: flag.id }}
      counts={proposed !== null}
      instead={proposed ? undefined : null}
      heading="Whose value changes"
      title="Run this change now?"
      description={
        recurrenceWords(schedule)
          ? "It also runs at its next moment."
          : "It is made at once and does not run again."
      }
      confirmLabel="Run now"
      onClose={onClose}
      onConfirm={run}
    >
      <p className="font-medium text-sm">{operationWords(schedule.payload)}</p>
    </ChangeDialog>
  );
}
