import { Callout } from "#components/ui/callout.tsx";
import { Card } from "#components/ui/card.tsx";
import { Code, CodeBlock } from "#components/ui/code-block.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import type { InstanceStatus } from "#lib/instance_status/schema.ts";
import { isOld, sizeText } from "./figures.ts";

type Props = { backup: InstanceStatus["last_backup"]; now: number };

/** When the data was last saved elsewhere, and how to do so and to go back. */
export function BackupCard({ backup, now }: Props) {
  const day = new Date(now).toISOString().slice(0, 10);
  return (
    <Card
      id="backup"
      title="Backup"
      description="A consistent snapshot of everything, taken while the service runs."
    >
      <div className="flex flex-col gap-4 text-sm">
        {backup === null ? (
          <Callout tone="warning" title="No backup has been taken yet">
            Should this machine be lost, so is everything in the database.
          </Callout>
        ) : (
          <>
            {isOld(backup.created_at, now) ? (
              <Callout tone="warning" title="The latest backup is more than a week old" />
            ) : null}
            <p>
              The latest was taken <RelativeTime date={backup.created_at} className="font-medium" />:{" "}
              <span className="tabular">{backup.rows.toLocaleString("en")}</span> rows,{" "}
              {sizeText(backup.bytes)}, in <Code>{backup.file}</Code>.
            </p>
          </>
        )}
        <Command
          title="Take one"
          command={`npm run backup -- switchyard-${day}.backup`}
          note="In the project’s folder, on the machine that runs it, with the same settings. It works with either kind of database; run it daily, for instance from cron."
        />
        <Command
          title="Go back to one"
          command={`npm run restore -- ${backup?.file ?? `switchyard-${day}.backup`}`}
          note="The file is read to its end and checked first; then everything is replaced at once, or nothing is. A backup of an older version is brought up to date."
        />
        <p className="text-muted text-xs">
          Keep <Code>DATA_DIR/secrets</Code>, or <Code>ENCRYPTION_KEY</Code>, in another safe place: encrypted
          payloads cannot be read without it, and it is no part of a backup.
        </p>
      </div>
    </Card>
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
