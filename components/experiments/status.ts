import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import { plural } from "#lib/platform/format.ts";

export type ShownStatus = ExperimentRecord["status"] | "archived";

/** An experiment's status as lists and headers show it. */
export const shownStatus = ({
  status,
  archived,
}: Pick<ExperimentRecord, "status" | "archived">): ShownStatus => (archived ? "archived" : status);

export const CONCLUSIONS = [
  { value: "won", label: "Won", description: "A variant is better. Ship it." },
  { value: "lost", label: "Lost", description: "The variants are worse. Keep the current version." },
  { value: "inconclusive", label: "Inconclusive", description: "No clear difference was found." },
  { value: "stopped_early", label: "Stopped early", description: "It ended before there was enough data." },
  { value: "invalid", label: "Invalid", description: "The experiment itself was flawed." },
] as const;

export type Conclusion = (typeof CONCLUSIONS)[number]["value"];

export const CONCLUSION_TONES = {
  won: "success",
  lost: "danger",
  inconclusive: "neutral",
  stopped_early: "warning",
  invalid: "warning",
} as const;

export const conclusionWord = (value: Conclusion): string =>
  CONCLUSIONS.find((each) => each.value === value)?.label ?? value;

const DAY_MS = 86_400_000;

/** Whole days that an experiment has run, today included; null for a draft. */
export function daysRunning(
  { start_date, end_date }: Pick<ExperimentRecord, "start_date" | "end_date">,
  now: number,
): number | null {
  if (!start_date) return null;
  const end = end_date ? Date.parse(end_date) : now;
  return Math.max(0, Math.floor((end - Date.parse(start_date)) / DAY_MS));
}

export const daysText = (days: number): string => plural(days, "day");
