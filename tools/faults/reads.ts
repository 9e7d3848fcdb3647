import { setTimeout as delay } from "node:timers/promises";
import { PERSONAL_API_KEY, PROJECT_TOKEN, type Process } from "#testing/processes.ts";

const READS: readonly [name: string, call: (process: Process) => ReturnType<Process["call"]>][] = [
  [
    "flags",
    (process) => process.call("POST", "/flags?v=2", { token: PROJECT_TOKEN, distinct_id: "nobody" }, {}),
  ],
  [
    "definitions",
    (process) =>
      process.call("GET", "/flags/definitions?send_cohorts", undefined, {
        authorization: `Bearer ${PERSONAL_API_KEY}`,
      }),
  ],
];

/** Evaluates flags and fetches definitions without a pause, which has to go well all the time. */
export function keepReading(processes: () => readonly Process[]) {
  const stopping = new AbortController();
  const problems: string[] = [];
  const times: number[] = [];
  const keep = async (...[name, call]: (typeof READS)[number]) => {
    for (let turn = 0; !stopping.signal.aborted; turn += 1) {
      const list = processes();
      const process = list[turn % list.length];
      const began = performance.now();
      const answer = process && (await call(process).catch(() => undefined));
      times.push(performance.now() - began);
      if (answer?.status !== 200 && problems.length < 10)
        problems.push(`${name}: ${answer ? `${answer.status} ${answer.text.slice(0, 200)}` : "no answer"}`);
      await delay(10);
    }
  };
  const stopped = Promise.all(READS.map((read) => keep(...read)));
  return {
    /** Of all, in ms: how long the slowest per cent took at least. */
    p99: () => {
      const sorted = times.toSorted((a, b) => a - b);
      return sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    },
    stop: async (): Promise<string[]> => {
      stopping.abort();
      await stopped;
      return problems;
    },
  };
}
