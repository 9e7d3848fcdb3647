import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type BenchService, cpuSeconds, seedFlags, startService } from "./service.ts";

const STREAMS = 5_000;
const OPENING_AT_ONCE = 200;
const CHANGES = 10;
const BOUND_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

const { STREAMS_PORT = "4198", PROCESSES = "1" } = process.env;

/** An open stream: plain sockets, so that the readers need as little as possible of the machine. */
type Reader = { socket: Socket; lastId: string; onEvent: (() => void) | null };

function openReader({ base, token }: BenchService): Promise<Reader> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const reader: Reader = { socket, lastId: "", onEvent: null };
    socket.setEncoding("latin1");
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("A stream was refused or closed.")));
    socket.write(`GET /flags/stream/?token=${token} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
    let isOpen = false;
    socket.on("data", (text: string) => {
      if (!isOpen && !text.startsWith("HTTP/1.1 200")) return reject(new Error(text.slice(0, 200)));
      isOpen = true;
      resolve(reader);
      if (!text.includes("\ndata: ")) return;
      reader.lastId = /id: ([\w-]+)\nevent/.exec(text)?.[1] ?? "";
      reader.onEvent?.();
    });
  });
}

async function openAll(service: BenchService): Promise<Reader[]> {
  const readers: Reader[] = [];
  while (readers.length < STREAMS) {
    const count = Math.min(OPENING_AT_ONCE, STREAMS - readers.length);
    readers.push(...(await Promise.all(Array.from({ length: count }, () => openReader(service)))));
  }
  return readers;
}

/** Changes a flag; milliseconds from the request until each reader has an event of it. */
async function measureChange(
  service: BenchService,
  readers: readonly Reader[],
  flag: number,
  n: number,
): Promise<number[]> {
  const began = performance.now();
  const times: number[] = [];
  const all = new Promise<void>((resolve) => {
    for (const reader of readers)
      reader.onEvent = () => {
        reader.onEvent = null;
        times.push(performance.now() - began);
        if (times.length === readers.length) resolve();
      };
  });
  await service.api("PATCH", `/api/projects/1/feature_flags/${flag}/`, { name: `Change ${n}` });
  await Promise.race([all, delay(LONGEST_WAIT_MS, undefined, { ref: false })]);
  if (times.length < readers.length)
    throw new Error(`Only ${times.length} of ${readers.length} streams heard of a change.`);
  return times;
}

/** Memory of a process that has no siblings, in kilobytes. */
const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);

const at = (sorted: readonly number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** How long a change takes until it is at all of many open streams. */
export async function benchStreams(): Promise<void> {
  const service = await startService(Number(STREAMS_PORT), PROCESSES);
  let readers: Reader[] = [];
  try {
    const [flag = 0] = await seedFlags(service, 100);
    const memory = memoryOf(service.pid);
    const opening = performance.now();
    readers = await openAll(service);
    const openedMs = performance.now() - opening;
    const each = (memoryOf(service.pid) - memory) / STREAMS;
    // Events of the flags that were just made reach those who have only come.
    await delay(1_500);
    const before = cpuSeconds(service.pid);
    const times: number[] = [];
    for (let n = 0; n < CHANGES; n++) times.push(...(await measureChange(service, readers, flag, n)));
    const after = cpuSeconds(service.pid);
    const sorted = times.toSorted((a, b) => a - b);
    const [p50, p99, max] = [at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1)];
    const cpu = ((after.node - before.node) * 1_000) / CHANGES;
    console.info(
      `${STREAMS} streams, opened in ${(openedMs / 1_000).toFixed(1)} s, ${each.toFixed(0)} kB of memory each; ${CHANGES} changes, from the request to each stream: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (bound ${BOUND_MS} ms${p99 > BOUND_MS ? ", MISSED" : ""}), longest ${max.toFixed(0)} ms; ${cpu.toFixed(0)} ms of CPU per change.`,
    );
  } finally {
    for (const { socket } of readers) socket.destroy();
    await service.stop();
  }
}
