const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;

export type ExpiryState = "never" | "later" | "soon" | "expired";

/** How near the end of a key is; `soon` is within two weeks. */
export function expiryState(expires_at: string | null, now: number): ExpiryState {
  if (expires_at === null) return "never";
  const left = Date.parse(expires_at) - now;
  if (left <= 0) return "expired";
  return left <= SOON_MS ? "soon" : "later";
}

export const EXPIRY_CHOICES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "date", label: "On a date" },
  { value: "never", label: "Never" },
] as const;

export type ExpiryChoice = (typeof EXPIRY_CHOICES)[number]["value"] | "keep";

/**
 * The moment that a choice means.
 *
 * @param date a day, YYYY-MM-DD, for `date`; the key works to the end of it, in the reader's time zone
 * @returns ISO 8601; null for never; undefined where nothing changes or no day was given
 */
export function expiryOf(choice: ExpiryChoice, date: string, now: number): string | null | undefined {
  if (choice === "keep") return undefined;
  if (choice === "never") return null;
  if (choice !== "date") return new Date(now + Number(choice) * DAY_MS).toISOString();
  const end = new Date(`${date}T23:59:59`);
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString();
}
