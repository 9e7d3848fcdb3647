const steps = [
  ["year", 31_556_952],
  ["month", 2_629_746],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

const words = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/**
 * A moment in words, seen from `now`: "2 days ago", "in 3 hours", "just now".
 *
 * @param date ISO 8601
 * @param now milliseconds since 1970
 * @returns the date itself when it cannot be read
 */
export function relativeTime(date: string, now: number): string {
  const seconds = (Date.parse(date) - now) / 1000;
  if (Number.isNaN(seconds)) return date;
  for (const [unit, size] of steps) {
    if (Math.abs(seconds) >= size) return words.format(Math.trunc(seconds / size), unit);
  }
  return Math.abs(seconds) < 10
    ? "just now"
    : seconds < 0
      ? "less than a minute ago"
      : "in less than a minute";
}

/**
 * The exact moment: in the reader's own time zone when `local`, else in UTC (what a server can know).
 *
 * @param date ISO 8601
 */
export function exactTime(date: string, local: boolean): string {
  const moment = new Date(date);
  if (Number.isNaN(moment.getTime())) return date;
  const style: Intl.DateTimeFormatOptions = {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "short",
  };
  return new Intl.DateTimeFormat("en-GB", local ? style : { ...style, timeZone: "UTC" }).format(moment);
}
