const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;
const LONGEST = 366 * DAY;

const CLOCK = /^(?:(\d{1,9}) (?:days?,? )?)?(?:(?:(\d{1,9}):)?(\d{1,9}):)?(\d{1,9})(?:\.\d{1,9})?$/;
const ISO = /^P(?=.)(?:(\d{1,9})D)?(?:T(?=.)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})S)?)?$/;

/**
 * The seconds of a duration as the public service reads it: days and a time ("14 00:00:00"), ISO 8601 ("P14D"), or
 * seconds.
 *
 * @returns null for anything else, less than a minute or more than a year
 */
export function parseLifetime(text: string): number | null {
  const found = CLOCK.exec(text.trim()) ?? ISO.exec(text.trim());
  if (!found) return null;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1, 5).map((part) => Number(part ?? 0));
  const total = days * DAY + hours * HOUR + minutes * MINUTE + seconds;
  return total >= MINUTE && total <= LONGEST ? total : null;
}

/** The same as the public service writes it: "14 00:00:00", "12:00:00". */
export function formatLifetime(seconds: number): string {
  const days = Math.floor(seconds / DAY);
  const clock = [(seconds % DAY) / HOUR, (seconds % HOUR) / MINUTE, seconds % MINUTE]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
  return days > 0 ? `${days} ${clock}` : clock;
}
