import { Callout } from "#components/ui/display/callout.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Code, CodeBlock } from "#components/ui/display/code-block.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { InstanceStatus } from "#lib/app/instance_status/schema.ts";
import { formatCount } from "#lib/platform/format.ts";
import { isOld, periodText, sizeText } from "./figures.ts";

type Schedule = InstanceStatus["backup_schedule"];
type Props = { backup: InstanceStatus["last_backup"]; schedule: Schedule; now: number };

/** The latest backup, and how to take and restore one. */
export function BackupCard({ backup, schedule, now }: Props) {
  const day = new Date(now).toISOString().slice(0, 10);
  return (
    <Card
      id="backup"
      title="Backup"
      description="A consistent snapshot of everything, taken while the service runs."
    >
      <div className="flex flex-col gap-4 text-sm">
        {schedule?.last_error ? (
          <Callout tone="danger" title="The last scheduled backup failed">
            <p>{schedule.last_error}</p>
            {schedule.next_at ? (
              <p>
                The next try is due <RelativeTime date={schedule.next_at} />.
              </p>
            ) : null}
          </Callout>
        ) : null}
        {backup === null ? (
          <Callout tone="warning" title="No backup has been taken yet">
            If this machine is lost, so is everything in the database.
          </Callout>
        ) : (
          <>
            {isOld(backup.created_at, now) ? (
              <Callout tone="warning" title="The latest backup is more than a week old" />
            ) : null}
            <p>
              The latest was taken <RelativeTime date={backup.created_at} className="font-medium" />:{" "}
              <span className="tabular">{formatCount(backup.rows)}</span> rows, {sizeText(backup.bytes)}, in{" "}
              <Code>{backup.file}</Code>.{" "}
              {backup.verified_at
                ? "It was read back, and every checksum was right."
                : "It has not been verified."}
            </p>
          </>
        )}
        <ScheduleText schedule={schedule} />
        <Command
          title="Take a backup"
          command={`npm run backup -- switchyard-${day}.backup`}
          note="Run it in the project folder on the server, with the same settings. It works with either kind of database."
        />
        <Command
          title="Restore a backup"
          command={`npm run restore -- ${backup?.file ?? `switchyard-${day}.backup`}`}
          note="The whole file is checked first; then everything is replaced, or nothing. Backups of older versions are upgraded."
        />
        <p className="text-muted text-xs">
          Keep <Code>DATA_DIR/secrets</Code>, or <Code>ENCRYPTION_KEY</Code>, in another safe place: it is not
          part of the backup, and encrypted payloads cannot be read without it.
        </p>
      </div>
    </Card>
  );
}

/** When backups are made without anybody's help. */
function ScheduleText({ schedule }: { schedule: Schedule }) {
  if (schedule === null)
    return (
      <p className="text-pretty">
        No backups are made on a schedule. Set <Code>BACKUP_EVERY=24h</Code> on the server to make one each
        day.
      </p>
    );
  const { every_seconds, keep, place, next_at, last_error } = schedule;
  return (
    <p className="text-pretty">
      One is made every {periodText(every_seconds)} and stored in a {place}; the latest {formatCount(keep)}{" "}
      are kept.
      {last_error ? null : next_at ? (
        <>
          {" "}
          The next is due <RelativeTime date={next_at} className="font-medium" />.
        </>
      ) : (
        " One is being made now."
      )}
    </p>
  );
}

function Command({ title, command, note }: { title: string; command: string; note: string }) {
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="font-medium text-sm">{title}</h3>
      <CodeBlock code={command} label={`${title}: command`} wrap />
      <p className="text-pretty text-muted text-xs">{note}</p>
    </div>
  );
}
