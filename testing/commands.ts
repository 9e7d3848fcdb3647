import { spawn } from "node:child_process";
import { once } from "node:events";
import { inject } from "vitest";
import type { Database } from "#lib/platform/db/connect.ts";
import { withDatabase } from "#lib/platform/db/connection-string.ts";
import { COMPILED } from "./processes.ts";

/**
 * Runs a command line on a test's database, as if it had been typed in `folder`.
 *
 * @param program its file
 */
export async function runProgram(database: Database, folder: string, program: string, ...args: string[]) {
  const { url, address } = inject("server");
  const socket = `postgres://${address.user}@localhost/x?host=${address.host}&port=${address.port}`;
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      ...COMPILED,
      NODE_ENV: "production",
      PATH: process.env.PATH,
      INIT_CWD: folder,
      DATABASE_URL: withDatabase(url ?? socket, database.description),
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text) => {
      output += text;
    });
  const [code] = await once(child, "close");
  return { code, output };
}
