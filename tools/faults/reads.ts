import { setTimeout as delay } from "node:timers/promises";
import { PERSONAL_API_KEY, PROJECT_TOKEN, type Process } from "#testing/processes.ts";

const READS: readonly [name: string, call: (process: Process) => ReturnType<Process["call"]>][] = [
  [
    "flags",
    (process) => {
      const person = { distinct_id: "nobody", person_properties: { plan: "free" } };
      return process.call("POST", "/flags?v=2", { token: PROJECT_TOKEN, ...person }, {});
    },
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
export function keepReading({ processes, over }: { processes: readonly Process[]; over: AbortSignal }) {
  const stopping = new AbortController();
  const stop = AbortSignal.any([stopping.signal, over]);
  const problems: string[] = [];
  const times = new Map<string, number[]>(READS.map(([name]) => [name, []]));
  const served = Promise.withResolvers<void>();
  const keep = async (...[name, call]: (typeof READS)[number]) => {
    for (let turn = 0; !stop.aborted; turn += 1) {
      const process = processes[turn % processes.length];
      const began = performance.now();
      const answer = process && (await call(process).catch(() => undefined));
      times.get(name)?.push(performance.now() - began);
      if ([...times.values()].every((each) => each.length > 0)) served.resolve();
      if (answer?.status !== 200 && problems.length < 10)
        problems.push(`${name}: ${answer ? `${answer.status} ${answer.text.slice(0, 200)}` : "no answer"}`);
      await delay(10);
    }
  };
  const stopped = Promise.all(READS.map((read) => keep(...read)));
  return {
    /** Resolves once each read was answered: from then on the answers are in memory. */
    served: served.promise,
    /** How long nine of ten answers with definitions took at most, in ms: nothing they say is read for each request. */
    mostDefinitionsWithin(): number {
      const sorted = times.get("definitions")?.toSorted((a, b) => a - b) ?? [];
      return sorted[Math.floor(sorted.length * 0.9)] ?? 0;
    },
    stop: async (): Promise<string[]> => {
      stopping.abort();
      await stopped;
      return problems;
    },
  };
}
