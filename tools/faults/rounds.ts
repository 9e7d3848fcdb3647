import { randomFrom } from "#tools/random.ts";
import type { Server } from "./stage.ts";

/** What became of one round. */
export type Report = {
  /** Which fault; after a comma, when or how. */
  what: string;
  /** From the end of the fault until everything was served again, in ms. */
  recovered_after: number;
  /** What was not as it has to be, in words. */
  problems: string[];
  /** What was measured, a line each. */
  details?: readonly string[];
};

export type Seeded = {
  /** Consecutive seeds take turns at what there is to choose from. */
  turn: <T>(list: readonly T[]) => T;
  /** From 0 to 1. */
  random: () => number;
};

/** A kind of fault. */
export type Kind = {
  name: string;
  /** Why it cannot be played here; null if it can. */
  leftOut?(): string | null;
  /** Prepares what rounds have in common. `server` is one that kinds share. */
  open(
    server: () => Promise<Server>,
  ): Promise<{ round(seeded: Seeded): Promise<Report>; close(): Promise<void> }>;
};

export type Summary = {
  name: string;
  /** Why it was not played. */
  left_out: string | null;
  rounds: number;
  seconds: number;
  failed: { seed: number; report: Report }[];
  slowest_recovery: number;
  /** How many rounds there were of each fault. */
  faults: Map<string, number>;
};

type Options = {
  /** How many at most. */
  rounds: number;
  /** Of the first one; the next one has the next. */
  seed: number;
  seconds: number;
  onRound?: (seed: number, report: Report) => void;
};

/** So many rounds share what was prepared: what they leave behind makes the checks slower. */
const TOGETHER = 25;

function seededBy(seed: number): Seeded {
  const random = randomFrom(Math.imul(seed, 0x9e3779b1));
  return {
    random,
    turn: (list) => {
      const found = list[seed % list.length];
      if (found === undefined) throw new Error("There is nothing to choose from.");
      return found;
    },
  };
}

/** Plays rounds of a kind with consecutive seeds, until there were enough or the time is over. */
export async function play(
  kind: Kind,
  server: () => Promise<Server>,
  { rounds, seed, seconds, onRound }: Options,
): Promise<Summary> {
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1_000;
  const summary: Summary = {
    name: kind.name,
    left_out: kind.leftOut?.() ?? null,
    rounds: 0,
    seconds: 0,
    failed: [],
    slowest_recovery: 0,
    faults: new Map(),
  };
  let stage: Awaited<ReturnType<Kind["open"]>> | undefined;
  while (summary.left_out === null && summary.rounds < rounds && passed() < seconds) {
    stage ??= await kind.open(server);
    const own = seed + summary.rounds;
    const report = await stage.round(seededBy(own)).catch((error: unknown) => ({
      what: "broken off",
      recovered_after: 0,
      problems: [String(error instanceof Error ? error.stack : error).slice(0, 8_000)],
    }));
    summary.rounds += 1;
    summary.slowest_recovery = Math.max(summary.slowest_recovery, Math.round(report.recovered_after));
    const [fault = ""] = report.what.split(",");
    summary.faults.set(fault, (summary.faults.get(fault) ?? 0) + 1);
    if (report.problems.length > 0) summary.failed.push({ seed: own, report });
    onRound?.(own, report);
    // What a failed round leaves behind is not the next one's to explain.
    if (report.problems.length === 0 && summary.rounds % TOGETHER !== 0) continue;
    await stage.close();
    stage = undefined;
  }
  await stage?.close();
  summary.seconds = passed();
  return summary;
}
