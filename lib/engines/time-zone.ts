const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;
const REMEMBERED_MAX = 100_000;

/** What a time zone's clocks show. Their time is in milliseconds since 1970, as if it were UTC. */
export type TimeZone = {
  /** How far the clocks are ahead of UTC at a moment, in milliseconds. */
  offsetAt(at: number): number;
  clockAt(at: number): number;
  /** The first moment at which the clocks show a time; for one that they skip, the moment after the gap. */
  momentOf(clock: number): number;
};

function createTimeZone(name: string): TimeZone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    era: "short",
  });
  // Offsets change on quarters of an hour only, so that one question serves all moments of a quarter.
  const offsets = new Map<number, number>();
  const ask = (at: number): number => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    const year = parts.era?.startsWith("B") ? 1 - Number(parts.year) : Number(parts.year);
    const local = Date.UTC(
      year,
      Number(parts.month) - 1,
      Number(parts.day),
      Number(parts.hour),
      Number(parts.minute),
      Number(parts.second),
    );
    return local - Math.floor(at / 1_000) * 1_000;
  };
  const offsetAt = (at: number): number => {
    const quarter = Math.floor(at / QUARTER_MS);
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    if (offsets.size > REMEMBERED_MAX) offsets.clear();
    const offset = ask(quarter * QUARTER_MS);
    offsets.set(quarter, offset);
    return offset;
  };
  const clockAt = (at: number) => at + offsetAt(at);
  return {
    offsetAt,
    clockAt,
    momentOf(clock) {
      // Clocks change by at most a day at once.
      const possible = [-1.5, 1.5].map((days) => clock - offsetAt(clock + days * DAY_MS));
      const found = possible.filter((at) => clockAt(at) === clock);
      if (found.length > 0) return Math.min(...found);
      let at = Math.floor(Math.min(...possible) / QUARTER_MS) * QUARTER_MS;
      while (clockAt(at) < clock) at += QUARTER_MS;
      return at;
    },
  };
}

const zones = new Map<string, TimeZone>();

/** An IANA time zone. */
export function timeZone(name: string): TimeZone {
  const known = zones.get(name);
  if (known) return known;
  const zone = createTimeZone(name);
  zones.set(name, zone);
  return zone;
}
