/** The first moment of a day in a time zone, ISO 8601. */
export function startOfDay(date: string, timeZone: string, plusDays = 0): string {
  const guess = Date.parse(`${date}T00:00:00Z`) + plusDays * 86_400_000;
  // Twice, as the difference to UTC can change between the guess and the real moment.
  const first = guess - offsetAt(guess, timeZone);
  return new Date(guess - offsetAt(first, timeZone)).toISOString();
}

/** How far a time zone is ahead of UTC at a moment, in milliseconds. */
function offsetAt(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  }).formatToParts(moment);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const [year, month, dayOfMonth] = [part("year"), part("month"), part("day")];
  const local = Date.UTC(year, month - 1, dayOfMonth, part("hour"), part("minute"), part("second"));
  return local - Math.floor(moment / 1000) * 1000;
}
