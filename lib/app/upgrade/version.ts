import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { connectionEnvironment, StartError } from "#lib/platform/config.ts";
import { type Migration, readMigrations } from "#lib/platform/db/migrate.ts";
import type { CleanUp } from "./clean-up.ts";

/** A version of Switchyard in a folder. */
export type Version = {
  folder: string;
  /** Its number and last migration. */
  description: string;
  migrationsFolder: string;
  migrations: Migration[];
};

const packageSchema = z.object({ name: z.literal("switchyard"), version: z.string() });

/** @throws StartError when there is no Switchyard in the folder, or one without its packages */
export function readVersion(folder: string): Version {
  const version = versionIn(folder);
  if (existsSync(join(folder, "node_modules"))) return version;
  throw new StartError(`The packages of the Switchyard in ${folder} are not installed: run npm ci there.`);
}

function versionIn(folder: string): Version {
  const migrationsFolder = join(folder, "lib", "platform", "db", "migrations");
  try {
    const { version } = packageSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
    const migrations = readMigrations(migrationsFolder);
    const description = `${version} (${migrations.at(-1)?.tag ?? "no migrations"})`;
    return { folder, description, migrationsFolder, migrations };
  } catch {
    throw new StartError(`There is no Switchyard in ${folder}.`);
  }
}

/** Migrations may take long. */
const START_LIMIT_MS = 30 * 60_000;
/** What is shown of the output of a version that does not start. */
const OUTPUT_SHOWN = 2_000;

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

export type Started = { address: string; stop(): Promise<void> };

/**
 * Starts a version as an operator does, but for this machine alone; resolves once it is ready.
 *
 * @param env the database and the secrets
 * @throws StartError with what it said when it does not start
 */
export async function startVersion(
  { folder, description }: Version,
  env: Record<string, string>,
  cleanUp: CleanUp,
): Promise<Started> {
  const port = await findFreePort();
  const address = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [join(folder, "lib/app/server/start.ts"), "--api-only"], {
    cwd: folder,
    env: connectionEnvironment({
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      PROCESSES: "1",
      SPOOL: "off",
      RATE_LIMIT_PER_MINUTE: "0",
      SDK_RATE_LIMIT_PER_MINUTE: "0",
      EVENT_RATE_LIMIT_PER_MINUTE: "0",
      ...env,
    }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = (output + text).slice(-OUTPUT_SHOWN);
    });
  const ended = once(child, "close");
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const stop = async () => {
    if (!hasEnded()) child.kill("SIGTERM");
    await ended;
  };
  cleanUp.later(stop);
  for (const deadline = Date.now() + START_LIMIT_MS; Date.now() < deadline && !hasEnded(); await delay(100)) {
    const answer = await fetch(`${address}/readyz`).catch(() => null);
    if (answer?.status === 200) return { address, stop };
  }
  throw new StartError(
    `Version ${description} in ${folder} does not start. It said:\n${output.trim() || "nothing"}`,
  );
}
