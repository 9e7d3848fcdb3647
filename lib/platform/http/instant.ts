/** A moment as the API writes it: UTC, six decimals. */
export const instant = (date: Date): string => `${date.toISOString().slice(0, -1)}000Z`;

/** The same for a moment that may be absent. */
export const instantOrNull = (date: Date | null | undefined): string | null => (date ? instant(date) : null);
