/** Longer lists are not compared place by place: the table of it would grow with the product of their lengths. */
const TABLE_MAX = 4_000_000;

/** Pairs of places (old, new) of what stays the same between two lists, the longest such run in order. */
export function findUnchanged(before: readonly string[], after: readonly string[]): Map<number, number> {
  const pairs = new Map<number, number>();
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) pairs.set(start, start++);
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const [rows, columns] = [before.length - start - end, after.length - start - end];
  if (rows * columns <= TABLE_MAX) {
    const [old, next] = [before.slice(start, start + rows), after.slice(start, start + columns)];
    for (const [i, j] of longestRun(old, next)) pairs.set(start + i, start + j);
  }
  for (let left = end; left > 0; left--) pairs.set(before.length - left, after.length - left);
  return pairs;
}

function* longestRun(before: readonly string[], after: readonly string[]): Generator<[number, number]> {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) yield [i++, j++];
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
}

export type DiffLine = { kind: "same" | "removed" | "added"; text: string };

/** Two texts line by line: what is only in the first comes before what is only in the second. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, next] = [before.split("\n"), after.split("\n")];
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  const close = (toOld: number, toNext: number) => {
    for (; i < toOld; i++) lines.push({ kind: "removed", text: old[i] ?? "" });
    for (; j < toNext; j++) lines.push({ kind: "added", text: next[j] ?? "" });
  };
  for (const [oldPlace, nextPlace] of findUnchanged(old, next)) {
    close(oldPlace, nextPlace);
    lines.push({ kind: "same", text: old[i++] ?? "" });
    j++;
  }
  close(old.length, next.length);
  return lines;
}
