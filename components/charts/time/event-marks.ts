import { type TimeEvent, timeOf } from "./time-data.ts";

/** About the width of a letter of a mark's text, and the room between two texts, in pixels. */
const LETTER = 6;
const GAP = 8;
const OFFSET = 7;

/** Where the marks of one moment are drawn. */
export type EventMark = {
  x: number;
  /** null where it would run into another one: pointing at the day tells it. */
  text: string | null;
  /** Whether the text is to the left of the line. */
  isLeft: boolean;
};

/**
 * The marks of events: one for each moment, with a text where there is room for it.
 *
 * @param xOf where a moment is
 * @param range the ends of the plot
 */
export function placeMarks(
  events: readonly TimeEvent[],
  xOf: (time: number) => number,
  [from, to]: readonly [number, number],
): EventMark[] {
  const byTime = Map.groupBy(events, ({ at }) => timeOf(at));
  const taken: [number, number][] = [];
  return [...byTime]
    .sort(([a], [b]) => a - b)
    .map(([time, members]) => ({ x: xOf(time), labels: [...new Set(members.map(({ label }) => label))] }))
    .filter(({ x }) => x >= from - 1 && x <= to + 1)
    .map(({ x, labels: [first = "", ...others] }) => {
      const text = others.length > 0 ? `${first} +${others.length}` : first;
      const width = text.length * LETTER;
      const isLeft = x + OFFSET + width > to;
      const span: [number, number] = isLeft ? [x - OFFSET - width, x] : [x, x + OFFSET + width];
      const isFree = taken.every(([start, end]) => span[1] + GAP < start || span[0] - GAP > end);
      if (isFree) taken.push(span);
      return { x, text: isFree ? text : null, isLeft };
    });
}
