import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { DifferencesList } from "#components/kit/editor/differences-list.tsx";
import { personName } from "#components/kit/person-name.ts";
import { Status } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { ScheduledChange } from "#lib/flags/scheduled_changes/schema.ts";
import { isPaused, operationWords, recurrenceWords } from "#lib/flags/scheduled_changes/words.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { formatCount, formatMomentIn } from "#lib/platform/format.ts";
import { ScheduleActions } from "./schedule-actions.tsx";
import { proposedBy, scheduledDifferences } from "./schedule-words.ts";

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

function ScheduleRow({ projectId, flag, schedule, names, access, actions }: RowProps) {
  const { executed_at, failure_reason, expected_impact, payload } = schedule;
  const recurrence = recurrenceWords(schedule);
  const by = personName(schedule.created_by);
  const differences = executed_at ? [] : scheduledDifferences(flag, payload, names);
  // A one-off that failed can still be run.
  const mayAct = !flag.deleted && (executed_at === null || (recurrence === null && failure_reason !== null));
  const facts = [
    recurrence,
    schedule.end_date &&
      recurrence &&
      `until ${formatMomentIn(Date.parse(schedule.end_date), schedule.timezone)}`,
    by && `by ${by}`,
    expected_impact && !executed_at && impactWords(expected_impact),
  ].filter(Boolean);
  return (
    <li id={`schedule-${schedule.id}`} className="flex flex-col gap-2 px-4 py-3 text-sm">
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
      {access.may_write && mayAct ? (
        <ScheduleActions
          projectId={projectId}
          flag={{ id: flag.id, key: flag.key }}
          schedule={{
            id: schedule.id,
            words: operationWords(payload),
            recurs: recurrence !== null,
            isPaused: isPaused(schedule),
            isFinished: executed_at !== null,
            proposed: proposedBy(flag, schedule),
          }}
          actions={actions}
        />
      ) : null}
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
