import type { Receipt, RelayState, SdkRelay, State } from "#lib/flags/sdk_instances/schema.ts";
import { formatCount, formatDuration, plural } from "#lib/platform/format.ts";

/** "Served by 412 of 412 instances after 0.8 s" */
export function servedInWords({ served, total, served_after_ms }: Receipt): string {
  const after = served_after_ms === null ? "" : ` after ${formatDuration(served_after_ms / 1_000)}`;
  return `Served by ${formatCount(served)} of ${plural(total, "instance")}${after}`;
}

export const versionInWords = (version: number | null): string =>
  version === null ? "without the flag" : `on version ${formatCount(version)}`;

type Words = { label: string; tone: "success" | "info" | "warning" | "danger" | "neutral" };

/** What a state is called, and what it means. */
export const STATE_WORDS: Record<State, Words> = {
  confirmed: { label: "Up to date", tone: "success" },
  sent: { label: "Sent", tone: "info" },
  undelivered: { label: "Answers lost", tone: "danger" },
  waiting: { label: "Due", tone: "info" },
  behind: { label: "Behind", tone: "warning" },
  unknown: { label: "Unknown", tone: "neutral" },
  silent: { label: "Silent", tone: "neutral" },
};

/** The same of relays. */
const RELAY_STATE_WORDS: Record<RelayState, Words> = {
  current: { label: "Up to date", tone: "success" },
  behind: { label: "Behind", tone: "warning" },
  unreachable: { label: "Not reachable", tone: "danger" },
  stopped: { label: "Stopped", tone: "neutral" },
};

/** "Behind by 2 versions" */
export function relayInWords({ state, behind_by }: SdkRelay): Words {
  const words = RELAY_STATE_WORDS[state];
  if (state !== "behind" || behind_by === null) return words;
  return { ...words, label: `Behind by ${plural(behind_by, "version")}` };
}
