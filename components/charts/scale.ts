const STEPS = [1, 2, 2.5, 5, 10];

/**
 * Round ticks that cover [low, high].
 *
 * @param count about how many
 * @param whole no fractions: for counts
 * @returns ascending ticks, at least two; the first is <= low and the last >= high
 */
export function niceTicks(low: number, high: number, count = 5, whole = false): number[] {
  const span = high > low ? high - low : Math.abs(high) || 1;
  const rough = span / Math.max(1, count - 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = STEPS.find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  const step = whole ? Math.max(1, Math.ceil(factor * power)) : factor * power;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, place) => tidy((first + place) * step));
}

const tidy = (value: number) => Number(value.toPrecision(12));

const DAY_MS = 86_400_000;
const SPANS = [1, 2, 7, 14, 28, 56, 91, 182, 365].map((days) => days * DAY_MS);

/** Days to write under a time axis, evenly apart and not more than `most`. Milliseconds. */
export function dayTicks(first: number, last: number, most: number): number[] {
  const step = SPANS.find((each) => (last - first) / each < Math.max(1, most)) ?? 2 * 365 * DAY_MS;
  const ticks: number[] = [];
  for (let at = first; at <= last; at += step) ticks.push(at);
  return ticks;
}
