import { readFileSync } from "node:fs";

/** Which line of a peer's summary is the same work as one of ours, by how it begins. */
const SAME_WORK: [ours: string, theirs: RegExp, floor: number | null][] = [
  ["health (no database)", /^health/, null],
  ["list, 50 of 1,000 flags", /^admin list, 50 rows/, 20],
  ["list, 100 of 1,000 flags", /^admin list, 100 rows/, null],
  ["list, text search", /^admin list, text search/, 20],
  ["list, all 1,000 flags", /^admin list, whole project/, null],
  ["one flag", /^admin one flag/, 10],
  ["definitions of 1,000 flags", /^client features, all/, 2],
  ["definitions, unchanged (304)", /^client features, If-None-Match/, 5],
  ["1,000 flags for one person", /^frontend evaluation/, 2],
  ["create a flag", /^create toggle/, 4],
];

/** A peer's requests per second for the same work, and how many times as many we want to be. */
export type PeerFigure = { rps: number; floor: number | null };

/**
 * Reads the summary that a peer's own benchmark wrote beside this run: a line per work, "label … N req/s …".
 *
 * @param file absent: nothing to compare with
 */
export function peerFigures(file: string | undefined): Map<string, PeerFigure> {
  if (!file) return new Map();
  const lines = readFileSync(file, "utf8").split("\n");
  return new Map(
    SAME_WORK.flatMap(([ours, theirs, floor]) => {
      const line = lines.find((text) => theirs.test(text));
      const rps = Number(/([\d.]+) req\/s/.exec(line ?? "")?.[1]);
      return rps > 0 ? [[ours, { rps, floor }] as const] : [];
    }),
  );
}
