import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, it } from "vitest";
import { COMPILED, eventually } from "#testing/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "start-"));
const dataDir = join(folder, "data");
const processes = new Set<ChildProcess>();

afterEach(async () => {
  await Promise.all([...processes].map((child) => end(child, "SIGKILL")));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Started = { child: ChildProcess; output: () => string; address: string };

function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "start.ts"), "--api-only"], {
    // The run's own DATABASE_URL is not the one that these processes are about.
    env: {
      ...COMPILED,
      NODE_ENV: "production",
      PATH: process.env.PATH,
      PORT: "0",
      DATA_DIR: dataDir,
      RATE_LIMIT_PER_MINUTE: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  processes.add(child);
  child.once("exit", () => processes.delete(child));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  return { child, output: () => text };
}

async function start(env: Record<string, string> = {}): Promise<Started> {
  const { child, output } = run(env);
  const address = await eventually(() => /Address {3}(\S+)/.exec(output())?.[1], output);
  return { child, output, address };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
  return child.exitCode;
}

async function call({ address }: Started, key: string, method: string, path: string, body?: unknown) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(address + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}

it("shows the first credentials once, keeps what was written when it is killed, and stops everything on SIGTERM", async () => {
  const first = await start();
  const key = /phx_\w+/.exec(first.output())?.[0] ?? "";
  const token = /phc_\w+/.exec(first.output())?.[0] ?? "";
  expect(first.output()).toContain("shown only once");
  expect([key, token]).not.toContain("");
  const made = await call(first, key, "POST", "/api/projects/1/feature_flags/", {
    key: "kept",
    active: true,
  });
  expect(made.status).toBe(201);
  await end(first.child, "SIGKILL");

  const second = await start();
  expect(second.output()).not.toMatch(/phx_|phc_/);
  expect(await call(second, key, "GET", `/api/projects/1/feature_flags/${made.json.id}/`)).toMatchObject({
    status: 200,
    json: { key: "kept" },
  });
  expect(await end(second.child, "SIGTERM")).toBe(0);
  expect(existsSync(join(dataDir, "postgres", "18", "postmaster.pid"))).toBe(false);
});

it("answers the request in progress before it stops", async () => {
  const key = "phx_a-key-that-the-operator-chose";
  const started = await start({ DATA_DIR: join(folder, "drain"), BOOTSTRAP_PERSONAL_API_KEY: key });
  expect(started.output()).not.toContain(key);
  const body = JSON.stringify({ key: "slow", name: "x".repeat(1_000) });
  const request = httpRequest(`${started.address}/api/projects/1/feature_flags/`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "content-length": body.length,
    },
  });
  const answered = once(request, "response");
  request.write(body.slice(0, 500));
  // The server has the first half once it answers a request sent after it.
  await call(started, key, "GET", "/api/projects/1/feature_flags/");
  const stopped = end(started.child, "SIGTERM");
  // A connection that is made at the moment in which the last process closes its listener gets no answer.
  const isRefused = () =>
    fetch(started.address, { signal: AbortSignal.timeout(1_000) }).then(
      () => undefined,
      () => true,
    );
  await eventually(isRefused, started.output);
  request.end(body.slice(500));
  const [response]: IncomingMessage[] = await answered;
  expect(response?.statusCode).toBe(201);
  response?.resume();
  expect(await stopped).toBe(0);
});

it("stops with one sentence and no stack when it cannot start", async () => {
  const { child, output } = run({ PORT: "none" });
  await once(child, "close");
  expect(child.exitCode).toBe(1);
  expect(output()).toBe('PORT must be a whole number from 0 to 65535; it is "none".\n');
});
