import { plural } from "#lib/platform/format.ts";
import type { AuditStatus } from "./schema.ts";

/** Sealing takes a second; what waits longer than this waits for a reason. */
const LATE_SECONDS = 60;

/** Something about the audit log that somebody has to look into, and how. */
export type Alarm = { title: string; lines: string[]; advice: string };

/** What is wrong with the audit log, the worst first. */
export function findAlarms({ unsealed, verification, file, witness }: AuditStatus): Alarm[] {
  const alarms: Alarm[] = [];
  if (verification && verification.problems.length > 0)
    alarms.push({
      title: "The audit log was changed after it was sealed",
      lines: [
        ...verification.problems.slice(0, 5).map(({ message }) => message),
        ...(verification.problems.length + verification.more > 5
          ? [`And ${plural(verification.problems.length + verification.more - 5, "other problem")}.`]
          : []),
      ],
      advice:
        "Somebody or something wrote to the database without Switchyard. Export the log now, compare the entries with a backup, and find out who has access to the database.",
    });
  if (unsealed.count > 0 && unsealed.lag_seconds > LATE_SECONDS)
    alarms.push({
      title: `${plural(unsealed.count, "change")} ${unsealed.count === 1 ? "is" : "are"} not sealed`,
      lines: [],
      advice:
        "Until they are, they can be altered unnoticed. Look for “The audit log is not sealed” in the server's log.",
    });
  const problems = [file?.problem, witness?.problem].flatMap((problem) => problem ?? []);
  if (problems.length > 0)
    alarms.push({
      title: "Checkpoints are not stored outside of the database",
      lines: problems,
      advice: "Without them nobody notices when entries are removed from the end of the log.",
    });
  return alarms;
}
