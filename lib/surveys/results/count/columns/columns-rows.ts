import { NONE } from "#lib/surveys/results/ingest/answer-codes.ts";
import type { SurveyColumns } from "./columns.ts";
import { tally } from "./columns-count.ts";

const uuidText = (columns: SurveyColumns, row: number): string => {
  const hex = Array.from({ length: 4 }, (_, place) =>
    columns.responses.uuids.word(row, place).toString(16).padStart(8, "0"),
  ).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** Tests whether rows are within the last days: as few days as hold `most` rows. */
function sinceDay(days: ArrayLike<number>, rows: Uint32Array, most: number): (row: number) => boolean {
  let [count, first] = [0, 0];
  for (const [day, n] of [...tally(days, rows)].sort(([a], [b]) => b - a)) {
    first = day;
    count += n;
    if (count >= most) break;
  }
  return (row) => (days[row] ?? 0) >= first;
}

/** The events of the newest rows whose code for a question passes a test. */
export function newestRows(
  columns: SurveyColumns,
  rows: Uint32Array,
  most: number,
  question: number,
  holds: (code: string) => boolean,
): string[] {
  const { day, second, questions } = columns.responses;
  const moment = (row: number) => day.at(row) * 86_400 + second.at(row);
  let newest = rows;
  if (rows.length > most) {
    const lately = rows.filter(sinceDay(day.data, rows, most));
    const moments = Float64Array.from(lately, moment).sort();
    const from = moments[lately.length - most] ?? 0;
    newest = lately.filter((row) => moment(row) >= from);
  }
  const column = questions[question];
  const wanted = column?.codes.list.map(holds) ?? [];
  return [...newest].flatMap((row) =>
    wanted[column?.column.at(row) ?? 0] === true ? [uuidText(columns, row)] : [],
  );
}

/** Counts pairs of answer codes of two questions in some rows, among those who answered both. */
export function tallyPairs(columns: SurveyColumns, rows: Uint32Array, first: number, second: number) {
  const [a, b] = [columns.responses.questions[first], columns.responses.questions[second]];
  if (!a || !b) return [];
  const width = b.codes.list.length;
  const [left, right] = [a.column.data, b.column.data];
  const counts = new Map<number, number>();
  for (const row of rows) {
    const [x, y] = [left[row] ?? 0, right[row] ?? 0];
    if (x === 0 || y === 0) continue;
    counts.set(x * width + y, (counts.get(x * width + y) ?? 0) + 1);
  }
  return [...counts].map(([key, n]) => ({
    a: a.codes.list[Math.floor(key / width)] ?? NONE,
    b: b.codes.list[key % width] ?? NONE,
    n,
  }));
}
