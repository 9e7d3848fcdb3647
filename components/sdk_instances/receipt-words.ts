import type { Receipt, State } from "#lib/flags/sdk_instances/schema.ts";
import { formatCount, formatDuration, plural } from "#lib/platform/format.ts";

/** "Served by 412 of 412 instances after 0.8 s" */
export function servedInWords({ served, total, served_after_ms }: Receipt): string {
  const after = served_after_ms === null ? "" : ` after ${formatDuration(served_after_ms / 1_000)}`;
  return `Served by ${formatCount(served)} of ${plural(total, "instance")}${after}`;
}

export const versionInWords = (version: number | null): string =>
  version === null ? "without the flag" : `on version ${formatCount(version)}`;

/** What a state is called, and what it means. */
export const STATE_WORDS: Record<
  State,
  { label: string; tone: "success" | "info" | "warning" | "danger" | "neutral" }
> = {
  confirmed: { label: "Up to date", tone: "success" },
  sent: { label: "Sent", tone: "info" },
  undelivered: { label: "Answers lost", tone: "danger" },
  waiting: { label: "Due", tone: "info" },
  behind: { label: "Behind", tone: "warning" },
  silent: { label: "Silent", tone: "neutral" },
};
