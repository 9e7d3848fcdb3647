import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchService, cpuSeconds } from "./service.ts";

/** One kind of work: how wrk asks for it. */
export type Work = {
  name: string;
  path: string;
  /** Lua that overrides what wrk sends. */
  script?: string;
  headers?: Record<string, string>;
  /** What one request counts for, where that is not one. */
  units?: { per_request: number; of: string };
};

/** What was measured: per second and, in milliseconds, per request. */
export type Figures = {
  rps: number;
  p50: number;
  p99: number;
  cpu_node: number;
  cpu_postgres: number;
  failed: number;
};

const MS: Record<string, number> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 };

const milliseconds = (text: string) => {
  const [, number, unit] = /([\d.]+)(us|ms|s|m)/.exec(text) ?? [];
  return Number(number) * (MS[unit ?? ""] ?? Number.NaN);
};

function output(command: string, args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
    });
    child.once("error", () => reject(new Error(`${command} is needed: apt-get install ${command}`)));
    child.once("exit", () => resolve(text));
  });
}

const found = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? "";

async function runOnce(
  service: BenchService,
  work: Work,
  options: { seconds: number; connections: number },
): Promise<Figures> {
  const headers = Object.entries({ Authorization: `Bearer ${service.key}`, ...work.headers });
  const args = ["-t1", `-c${options.connections}`, `-d${options.seconds}s`, "--timeout", "30s", "--latency"];
  for (const [name, value] of headers) args.push("-H", `${name}: ${value}`);
  if (work.script) {
    const file = join(tmpdir(), `switchyard-bench-${process.pid}.lua`);
    await writeFile(file, work.script);
    args.push("-s", file);
  }
  const before = cpuSeconds(service.pid);
  const text = await output("wrk", [...args, service.base + work.path]);
  const after = cpuSeconds(service.pid);
  const requests = Number(found(text, /(\d+) requests in/)) || 1;
  return {
    rps: Number(found(text, /Requests\/sec:\s+([\d.]+)/)),
    p50: milliseconds(found(text, /^ +50% +(\S+)/m)),
    p99: milliseconds(found(text, /^ +99% +(\S+)/m)),
    cpu_node: ((after.node - before.node) * 1_000) / requests,
    cpu_postgres: ((after.database - before.database) * 1_000) / requests,
    failed: Number(found(text, /Non-2xx or 3xx responses: (\d+)/)),
  };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** The median of several runs, figure by figure; failures are added up. */
export async function measure(
  service: BenchService,
  work: Work,
  options: { seconds: number; connections: number; runs: number },
): Promise<Figures> {
  const runs: Figures[] = [];
  for (let i = 0; i < options.runs; i++) runs.push(await runOnce(service, work, options));
  const of = (name: keyof Figures) => median(runs.map((run) => run[name]));
  return {
    rps: of("rps"),
    p50: of("p50"),
    p99: of("p99"),
    cpu_node: of("cpu_node"),
    cpu_postgres: of("cpu_postgres"),
    failed: runs.reduce((sum, run) => sum + run.failed, 0),
  };
}
