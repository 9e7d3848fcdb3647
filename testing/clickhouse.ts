import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../tools/chdb/server.ts", import.meta.url));

/** A server with the engine of ClickHouse; see tools/chdb. */
export async function startClickHouse() {
  const folder = mkdtempSync(join(tmpdir(), "clickhouse-"));
  const child = spawn(process.execPath, [PROGRAM, folder], { stdio: ["ignore", "pipe", "inherit"] });
  const [line]: Buffer[] = await Promise.race([
    once(child.stdout, "data"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`It ended with ${code}.`))),
  ]);
  const address = `http://127.0.0.1:${String(line).trim()}`;
  const query = async (text: string, database = "default"): Promise<string> => {
    const response = await fetch(`${address}/?database=${database}`, { method: "POST", body: text });
    if (!response.ok) throw new Error(await response.text());
    return response.text();
  };
  let databases = 0;
  return {
    query,
    /** The address of a new, empty database. */
    async createDatabase(): Promise<string> {
      databases += 1;
      const name = `history_${databases}`;
      await query(`CREATE DATABASE ${name}`);
      return `${address}/${name}`;
    },
    async stop(): Promise<void> {
      child.kill("SIGKILL");
      await once(child, "close");
      rmSync(folder, { recursive: true });
    },
  };
}

export type ClickHouse = Awaited<ReturnType<typeof startClickHouse>>;

/** An event as the copy gets it; none of its texts has what would have to be escaped. */
export const copiedLine = (event: {
  project_id: number;
  uuid: string;
  event?: string;
  distinct_id?: string;
  person_id?: number;
  timestamp: string;
  properties?: string;
}): string => {
  const { project_id, uuid, timestamp } = event;
  const { event: name = "seen", distinct_id = "ann", person_id = 0, properties = "{}" } = event;
  return `${[project_id, uuid, name, distinct_id, person_id, timestamp, properties, ""].join("\t")}\n`;
};
