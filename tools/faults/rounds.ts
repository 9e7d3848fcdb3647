/** What became of one round. */
export type Report = {
  /** Which fault, and when it came. */
  what: string;
  /** From the end of the fault until everything was served again, in ms. */
  recovered_after: number;
  /** What was not as it has to be, in words. */
  problems: string[];
};

/** A kind of fault. */
export type Kind = {
  name: string;
  /** Why it cannot be played here; null if it can. */
  leftOut?(): string | null;
  /** Prepares what rounds have in common. */
  open(): Promise<{ round(random: () => number): Promise<Report>; close(): Promise<void> }>;
};

export type Summary = {
  name: string;
  rounds: number;
  seconds: number;
  failed: { seed: number; report: Report }[];
  slowest_recovery: number;
  /** Rounds by what happened in them. */
  kinds: Map<string, number>;
};

/** So many rounds share what was prepared: what they leave behind makes the checks slower. */
const TOGETHER = 25;

/** Plays rounds of a kind with consecutive seeds, until there were enough or the time is over. */
export async function play(
  kind: Kind,
  {
    rounds,
    seed,
    seconds,
    randomFrom,
    onFailure,
  }: {
    rounds: number;
    seed: number;
    seconds: number;
    randomFrom: (seed: number) => () => number;
    onFailure: (seed: number, report: Report) => void;
  },
): Promise<Summary> {
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1_000;
  const summary: Summary = {
    name: kind.name,
    rounds: 0,
    seconds: 0,
    failed: [],
    slowest_recovery: 0,
    kinds: new Map(),
  };
  let stage: Awaited<ReturnType<Kind["open"]>> | undefined;
  while (summary.rounds < rounds && passed() < seconds) {
    stage ??= await kind.open();
    const own = seed + summary.rounds;
    const report = await stage.round(randomFrom(Math.imul(own, 0x9e3779b1))).catch((error: unknown) => ({
      what: "broken off",
      recovered_after: 0,
      problems: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    }));
    summary.rounds += 1;
    summary.slowest_recovery = Math.max(summary.slowest_recovery, Math.round(report.recovered_after));
    const [what = ""] = report.what.split(",");
    summary.kinds.set(what, (summary.kinds.get(what) ?? 0) + 1);
    if (report.problems.length > 0) {
      summary.failed.push({ seed: own, report });
      onFailure(own, report);
    }
    // What a failed round leaves behind is not the next one's to explain.
    if (report.problems.length === 0 && summary.rounds % TOGETHER !== 0) continue;
    await stage.close();
    stage = undefined;
  }
  await stage?.close();
  summary.seconds = passed();
  return summary;
}
