import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, expect, inject, it } from "vitest";
import { createTestDatabase, withDatabase } from "#lib/db/testing.ts";

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

async function eventually<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  told: () => string,
): Promise<T> {
  for (const deadline = Date.now() + 25_000; Date.now() < deadline; await delay(10)) {
    const found = await probe();
    if (found !== undefined) return found;
  }
  throw new Error(`Waited too long. The server said: ${told()}`);
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
  request.write(body.slice(0, 500));
  // The server has the first half once it answers a request sent after it.
  await call(started, key, "GET", "/api/projects/1/feature_flags/");
  const stopped = end(started.child, "SIGTERM");
  await eventually(
    () =>
      fetch(started.address).then(
        () => undefined,
        () => true,
      ),
    started.output,
  );
  request.end(body.slice(500));
  const [response]: IncomingMessage[] = await once(request, "response");
  expect(response?.statusCode).toBe(201);
  response?.resume();
  expect(await stopped).toBe(0);
});

it.each(["one embedded server", "DATABASE_URL"])(
  "two processes on %s agree within a second",
  async (where) => {
    const key = "phx_a-key-that-the-operator-chose";
    const database = await createTestDatabase();
    const { url, address } = inject("server");
    const shared = withDatabase(
      url ?? `postgres://${address.user}@localhost/x?host=${address.host}&port=${address.port}`,
      database.description,
    );
    const env = {
      BOOTSTRAP_PERSONAL_API_KEY: key,
      ...(where === "DATABASE_URL" ? { DATABASE_URL: shared } : { DATA_DIR: join(folder, "two") }),
    };
    const one = await start(env);
    const other = await start(env);
    const flags = "/api/projects/1/feature_flags/";
    const { json: flag } = await call(one, key, "POST", flags, { key: "shared", active: true });
    const token = (await call(one, key, "GET", "/api/projects/1/")).json.api_token;
    const served = async () =>
      (await call(other, key, "POST", "/flags/?v=2", { token, distinct_id: "someone" })).json.flags?.shared
        ?.enabled;
    await eventually(async () => (await served()) === true || undefined, other.output);
    for (const active of [false, true]) {
      expect((await call(one, key, "PATCH", `${flags}${flag.id}/`, { active })).status).toBe(200);
      const changed = performance.now();
      await eventually(async () => ((await served()) ?? false) === active || undefined, other.output);
      expect(performance.now() - changed).toBeLessThan(1_000);
    }
    await end(one.child, "SIGTERM");
    expect(
      await eventually(
        async () => (await call(other, key, "GET", flags)).status === 200 || undefined,
        other.output,
      ),
    ).toBe(true);
    await end(other.child, "SIGTERM");
    await database.close();
  },
);

it("stops with one sentence and no stack when it cannot start", async () => {
  const { child, output } = run({ PORT: "none" });
  await once(child, "close");
  expect(child.exitCode).toBe(1);
  expect(output()).toBe('PORT must be a whole number from 0 to 65535; it is "none".\n');
});
