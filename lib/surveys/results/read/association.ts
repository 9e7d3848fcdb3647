import { holm } from "#lib/engines/statistics/corrections.ts";
import { chiSquareUpper, normalUpper } from "#lib/engines/statistics/distributions.ts";

/** Counts of a table, as rows of cells. */
export type Table = readonly (readonly number[])[];

export type Association = {
  name: "chi_square" | "fisher";
  statistic: number | null;
  degrees_of_freedom: number | null;
  p_value: number;
  cramers_v: number | null;
};

/** Lower expected counts make the chi-square test unreliable (Cochran). */
export const SMALL_EXPECTED = 5;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const columnSums = (table: Table): number[] =>
  (table[0] ?? []).map((_, j) => sum(table.map((row) => row[j] ?? 0)));

/** Expected counts if rows and columns were independent; null for an empty table. */
function expectedCounts(table: Table): number[][] | null {
  const rows = table.map(sum);
  const columns = columnSums(table);
  const total = sum(rows);
  return total > 0 ? rows.map((row) => columns.map((column) => (row * column) / total)) : null;
}

/** Logarithms of factorials, 0! to n!. */
function logFactorials(n: number): number[] {
  const logs = [0];
  for (let i = 1; i <= n; i++) logs.push((logs[i - 1] ?? 0) + Math.log(i));
  return logs;
}

/**
 * Fisher's exact test of a 2 × 2 table, two-sided: the probability of all tables with the same margins that
 * are at most as likely as this one.
 *
 * @returns p in (0, 1]
 */
export function fisherExact(a: number, b: number, c: number, d: number): number {
  const [row, column, total] = [a + b, a + c, a + b + c + d];
  const logs = logFactorials(total);
  const choose = (n: number, k: number) => (logs[n] ?? 0) - (logs[k] ?? 0) - (logs[n - k] ?? 0);
  const chance = (k: number) =>
    Math.exp(choose(row, k) + choose(total - row, column - k) - choose(total, column));
  const [least, most] = [Math.max(0, row + column - total), Math.min(row, column)];
  // Equally likely tables differ in the last bits.
  const limit = chance(a) * (1 + 1e-9);
  let p = 0;
  for (let k = least; k <= most; k++) if (chance(k) <= limit) p += chance(k);
  return Math.min(1, p);
}

/** Nonempty rows and columns. */
function withoutEmpty(table: Table): Table {
  const columns = columnSums(table);
  return table.filter((row) => sum(row) > 0).map((row) => row.filter((_, j) => (columns[j] ?? 0) > 0));
}

const FISHER_MAX = 100_000;

/**
 * Tests whether the rows and columns of a table are associated: Fisher's exact test for a 2 × 2 table
 * with a small expected count, Pearson's chi-square otherwise. Empty rows and columns are ignored.
 *
 * @returns null if fewer than two rows or columns are left
 */
export function testAssociation(table: Table): Association | null {
  const full = withoutEmpty(table);
  const expected = expectedCounts(full);
  const [rows, columns] = [full.length, full[0]?.length ?? 0];
  if (!expected || rows < 2 || columns < 2) return null;
  const total = sum(full.map(sum));
  let statistic = 0;
  for (const [i, row] of full.entries())
    for (const [j, count] of row.entries()) {
      const e = expected[i]?.[j] ?? 0;
      statistic += (count - e) ** 2 / e;
    }
  const cramers_v = Math.sqrt(statistic / (total * (Math.min(rows, columns) - 1)));
  const isSmall = expected.some((row) => row.some((e) => e < SMALL_EXPECTED));
  if (rows === 2 && columns === 2 && isSmall && total <= FISHER_MAX) {
    const [[a = 0, b = 0] = [], [c = 0, d = 0] = []] = full;
    const p_value = fisherExact(a, b, c, d);
    return { name: "fisher", statistic: null, degrees_of_freedom: null, p_value, cramers_v };
  }
  const degrees_of_freedom = (rows - 1) * (columns - 1);
  const p_value = chiSquareUpper(statistic, degrees_of_freedom);
  return { name: "chi_square", statistic, degrees_of_freedom, p_value, cramers_v };
}

/** Two-sided p of a cell against the rest of its row and column: exact where an expected count is small. */
export function cellProbability(count: number, row: number, column: number, total: number): number | null {
  if (row === 0 || column === 0 || row === total || column === total) return null;
  const rest = [row - count, column - count, total - row - column + count] as const;
  const expected = Math.min(row, total - row) * (Math.min(column, total - column) / total);
  if (expected < SMALL_EXPECTED && total <= FISHER_MAX) return fisherExact(count, ...rest);
  const variance = ((row * column) / total) * (1 - row / total) * (1 - column / total);
  return Math.min(1, 2 * normalUpper(Math.abs(count - (row * column) / total) / Math.sqrt(variance)));
}

/** Holm's correction of the p-values; null stays null. */
export function corrected(pValues: readonly (number | null)[]): (number | null)[] {
  const adjusted = holm(pValues.filter((p) => p !== null));
  let next = 0;
  return pValues.map((p) => (p === null ? null : (adjusted[next++] ?? null)));
}
