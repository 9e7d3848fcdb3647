/**
 * Writes engine.json, the script that reports carry. Runs after `npm install` and before the dashboard is built; run
 * `npm run build:report` after changing the engine while the service runs.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleEngine } from "./bundle.ts";

export async function writeEngine(): Promise<void> {
  const engine = await bundleEngine();
  writeFileSync(join(import.meta.dirname, "engine.json"), `${JSON.stringify(engine, null, 2)}\n`);
}

if (import.meta.main) await writeEngine();
