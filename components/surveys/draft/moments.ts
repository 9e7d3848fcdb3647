import { formatLocalDay } from "#lib/platform/format.ts";

const two = (number: number) => String(number).padStart(2, "0");

/** A moment as the value of a datetime input, in the reader's time zone. */
export function localText(iso: string | null): string {
  const date = iso === null ? null : new Date(iso);
  if (!date || Number.isNaN(date.getTime())) return "";
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The moment of such an input; null if empty or incomplete. */
export function momentOf(text: string): string | null {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? null : date.toISOString().replace(".000Z", "Z");
}

/** "2 Mar 2026", in the reader's own time zone. */
export const dayText = (date: Date | string): string => formatLocalDay(new Date(date).getTime());
