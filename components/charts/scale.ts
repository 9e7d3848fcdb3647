import { DAY_MS } from "#components/charts/time/periods.ts";
import { formatDay, formatFullDay, formatMonth } from "#lib/platform/format.ts";

const STEPS = [1, 2, 2.5, 5, 10];

/**
 * Round ticks that cover [low, high].
 *
 * @param count about how many
 * @param whole no fractions: for counts
 * @returns ascending ticks, at least two; the first is <= low and the last >= high
 */
export function computeNiceTicks(low: number, high: number, count = 5, whole = false): number[] {
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

const SPANS = [1, 2, 7, 14, 28, 56].map((days) => days * DAY_MS);
/** Days further apart than these are named less well than the first days of months. */
const LONGEST = 14 * DAY_MS;
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120];

/** What is written under a time axis, and where. Milliseconds. */
export type TimeTick = { at: number; label: string };

/**
 * Days to write under a time axis, not more than `most`: evenly apart, or the first days of months where the
 * range is long. The year is shown wherever it differs from the tick before.
 */
export function computeTimeTicks(first: number, last: number, most: number): TimeTick[] {
  const step = SPANS.find((each) => (last - first) / each < Math.max(1, most));
  const months = step === undefined || step > LONGEST ? monthTicks(first, last, Math.max(1, most)) : [];
  if (step === undefined || months.length > 1) return months;
  const ticks: TimeTick[] = [];
  const isLong = yearOf(first) !== yearOf(last);
  for (let at = first; at <= last; at += step) {
    const before = ticks.at(-1);
    const isNew = isLong && (before === undefined || yearOf(before.at) !== yearOf(at));
    ticks.push({ at, label: isNew ? formatFullDay(at) : formatDay(at) });
  }
  return ticks;
}

const yearOf = (at: number) => new Date(at).getUTCFullYear();

function monthTicks(first: number, last: number, most: number): TimeTick[] {
  const place = (at: number) => yearOf(at) * 12 + new Date(at).getUTCMonth();
  const span = place(last) - place(first);
  const step = MONTHS.find((each) => span / each <= most) ?? 240;
  const ticks: TimeTick[] = [];
  for (let month = Math.ceil(place(first) / step) * step; month <= place(last); month += step) {
    const at = Date.UTC(Math.floor(month / 12), month % 12, 1);
    if (at >= first && at <= last) ticks.push({ at, label: formatMonth(at) });
  }
  return ticks;
}
