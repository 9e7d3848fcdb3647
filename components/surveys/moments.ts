const two = (number: number) => String(number).padStart(2, "0");

/** A moment as a box for date and time takes it: in the reader's own time zone. */
export function localText(iso: string | null): string {
  const date = iso === null ? null : new Date(iso);
  if (!date || Number.isNaN(date.getTime())) return "";
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The moment that such a box says; null for an empty or half-written one. */
export function momentOf(text: string): string | null {
  const date = new Date(text);
  return text === "" || Number.isNaN(date.getTime()) ? null : date.toISOString().replace(".000Z", "Z");
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** "2 Mar 2026", in the reader's own time zone. */
export const dayText = (date: Date | string): string => day.format(new Date(date));
