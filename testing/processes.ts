import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");

/** For programs that are started many times: compiled once, and with the imports that package.json gives command lines. */
export const COMPILED = {
  NODE_COMPILE_CACHE: join(tmpdir(), "switchyard-test-compiled"),
  NODE_OPTIONS: `--import ${pathToFileURL(join(ROOT, "lib/platform/quick-imports.ts")).href}`,
};

/** What the operator of these processes chose. */
export const PERSONAL_API_KEY = "phx_the-key-of-several-processes";
export const PROJECT_TOKEN = "phc_the-token-of-several-processes";

/** Polls until there is something; `details` is shown when it takes more than 90 seconds. */
export async function eventually<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  details: () => string = () => "",
): Promise<T> {
  for (const deadline = Date.now() + 90_000; Date.now() < deadline; await delay(10)) {
    const found = await probe();
    if (found !== undefined) return found;
  }
  throw new Error(`Waited too long. ${details()}`);
}

/** Those that go on; none of them outlives the program that started it. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Ends a process that was started here, and waits until it has. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  }
  return child.exitCode;
}

/**
 * Starts a Switchyard as an operator does, on a free port unless `env` says another; resolves once it is ready.
 *
 * @param root the folder of the project, or of a copy of it
 * @param more.nodeOptions options of Node itself
 * @param more.signal kills it, however far it is
 */
export async function startProcess(
  env: Record<string, string>,
  options: string[] = ["--api-only"],
  root = ROOT,
  { nodeOptions = [], signal }: { nodeOptions?: readonly string[]; signal?: AbortSignal } = {},
) {
  const child = spawn(process.execPath, [...nodeOptions, join(root, "lib/app/server/start.ts"), ...options], {
    cwd: root,
    // Nothing of the run's own environment: its DATABASE_URL is not the one that these processes are about.
    env: {
      ...COMPILED,
      NODE_ENV: "production",
      PATH: process.env.PATH,
      PORT: "0",
      PROCESSES: "1",
      RATE_LIMIT_PER_MINUTE: "0",
      BOOTSTRAP_PERSONAL_API_KEY: PERSONAL_API_KEY,
      BOOTSTRAP_PROJECT_TOKEN: PROJECT_TOKEN,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    killSignal: "SIGKILL",
    ...(signal && { signal }),
  });
  child.on("error", () => undefined);
  running.add(child);
  child.once("exit", () => running.delete(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const ready = () => {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`It ended by itself. It said: ${output}`);
    return /Address {3}(\S+)/.exec(output)?.[1];
  };
  const address = await eventually(ready, () => `It said: ${output}`).catch(async (error: unknown) => {
    await end(child, "SIGKILL");
    throw error;
  });

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { authorization: `Bearer ${PERSONAL_API_KEY}` },
  ) => {
    const response = await fetch(address + path, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape
    const json: any = text && JSON.parse(text);
    return { status: response.status, json, text, headers: response.headers };
  };
  return { child, address, call, output: () => output, end: (signal: NodeJS.Signals) => end(child, signal) };
}

export type Process = Awaited<ReturnType<typeof startProcess>>;
