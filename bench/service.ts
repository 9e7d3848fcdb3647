import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const KEY = "phx_bench00000000000000000000000000";
const TOKEN = "phc_bench00000000000000000000000000";
const SEEDING_AT_ONCE = 8;

/** A service of our own under load: its address, its credentials and where its CPU time is spent. */
export type BenchService = {
  base: string;
  /** Where its embedded database is. */
  folder: string;
  key: string;
  token: string;
  pid: number;
  api: (method: string, path: string, body?: unknown) => Promise<{ id: number; api_token: string }>;
  stop: () => Promise<void>;
};

async function until(ready: () => Promise<boolean>, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (Date.now() < deadline && child.exitCode === null) {
    if (await ready().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The service did not start; its output is above.");
}

/** Starts the service as `npm start` does, without pages, on a fresh embedded database, rate limits off. */
export async function startService(port: number, processes = "1"): Promise<BenchService> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const child = spawn(process.execPath, ["lib/app/server/start.ts", "--api-only"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      PORT: String(port),
      PROCESSES: processes,
      HOST: "127.0.0.1",
      DATA_DIR: folder,
      BOOTSTRAP_PERSONAL_API_KEY: KEY,
      BOOTSTRAP_PROJECT_TOKEN: TOKEN,
      RATE_LIMIT_PER_MINUTE: "0",
      SDK_RATE_LIMIT_PER_MINUTE: "0",
      EVENT_RATE_LIMIT_PER_MINUTE: "0",
    },
  });
  const base = `http://127.0.0.1:${port}`;
  const api: BenchService["api"] = async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<{ id: number; api_token: string }>;
  };
  const stop = async () => {
    if (child.exitCode === null) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(async () => (await fetch(`${base}/readyz`)).ok, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { base, folder, key: KEY, token: TOKEN, pid: child.pid ?? 0, api, stop };
}

/** Flags, each a rollout to half of the people with one condition. */
export async function seedFlags(service: BenchService, count: number, projectId = 1): Promise<number[]> {
  const ids: number[] = [];
  const numbers = Array.from({ length: count }, (_, n) => n);
  const seedNext = async (): Promise<void> => {
    for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) {
      const properties = [{ key: "id", type: "person", operator: "is_not", value: [`blocked-${n}`] }];
      const key = `bench-flag-${String(n).padStart(5, "0")}`;
      const filters = { groups: [{ properties, rollout_percentage: 50 }] };
      const flag = await service.api("POST", `/api/projects/${projectId}/feature_flags/`, {
        key,
        name: `Bench flag ${n}`,
        filters,
      });
      ids[n] = flag.id;
    }
  };
  await Promise.all(Array.from({ length: SEEDING_AT_ONCE }, seedNext));
  return ids;
}

const TICKS_PER_SECOND = 100;

function ticksOf(pid: number): { parent: number; ticks: number; isNode: boolean } | null {
  try {
    const [name = "", rest = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
    const fields = rest.split(" ");
    // utime and stime, and the same of children that have ended.
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return { parent: Number(fields[1]), ticks, isNode: /\((node|MainThread)/.test(name) };
  } catch {
    return null;
  }
}

/** CPU seconds that a process and all below it have used so far: those of Node, and those of the database. */
export function cpuSeconds(pid: number): { node: number; database: number } {
  const all = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), ticksOf(Number(name))] as const),
  );
  const isBelow = (id: number): boolean => {
    const parent = all.get(id)?.parent ?? 0;
    return id === pid || parent === pid || (parent > 1 && isBelow(parent));
  };
  const ours = [...all].flatMap(([id, stat]) => (stat && isBelow(id) ? stat : []));
  const secondsOf = (isNode: boolean) =>
    ours.reduce((sum, stat) => sum + (stat.isNode === isNode ? stat.ticks : 0), 0) / TICKS_PER_SECOND;
  return { node: secondsOf(true), database: secondsOf(false) };
}
