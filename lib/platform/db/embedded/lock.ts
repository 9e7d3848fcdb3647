import { createHash } from "node:crypto";
import { rmSync, statSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "#lib/platform/config.ts";
import { errorCode } from "#lib/platform/db/errors.ts";

/**
 * Runs `work` while no other process works on the same folder. The lock is a socket's name, which the
 * kernel frees however its holder ends.
 *
 * @throws StartError when another process keeps the lock for five minutes
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquire(lockName(folder), folder);
  try {
    return await work();
  } finally {
    await new Promise((done) => lock.close(done));
  }
}

function lockName(folder: string): string {
  const { dev, ino } = statSync(folder);
  const hash = createHash("sha256").update(`${dev}:${ino}`).digest("hex").slice(0, 24);
  // Linux has names that are no files and so leave nothing behind.
  return process.platform === "linux" ? `\0switchyard-${hash}` : join(tmpdir(), `sy-${hash}.lock`);
}

async function acquire(name: string, folder: string): Promise<Server> {
  for (const deadline = performance.now() + 300_000; performance.now() < deadline; await delay(25)) {
    const server = await listen(name);
    if (server) return server;
    if (!name.startsWith("\0") && !(await answers(name))) rmSync(name, { force: true });
  }
  throw new StartError(`Another process has been busy in ${folder} for five minutes: stop it first.`);
}

function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error) => (errorCode(error) === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen({ path, exclusive: true }, () => resolve(server.unref()));
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });
}
