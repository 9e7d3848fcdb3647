import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment, StartError } from "#lib/platform/config.ts";
import { withFolderLock } from "#lib/platform/db/embedded/lock.ts";

const sources = ["app", "components", "lib", "public"];
const files = ["next.config.mjs", "proxy.ts", "package-lock.json", "tsconfig.json", ".postcssrc.json"];

/** Never part of a page, and changed often. */
const irrelevant =
  /\.test\.tsx?$|(^|\/)engine\.json$|(^|\/)fixtures\/|^lib\/(app\/server|platform\/db\/migrations)\//;

/** A digest of all inputs of a build. */
export async function sourceStamp(root: string): Promise<string> {
  const found = await Promise.all(sources.map((folder) => filesBelow(root, folder)));
  const paths = [...found.flat(), ...files.filter((file) => existsSync(join(root, file)))].sort();
  const contents = await Promise.all(paths.map((path) => readFile(join(root, path))));
  const hash = createHash("sha256").update(process.version);
  paths.forEach((path, i) => {
    hash.update(`${path}\0${contents[i]?.length}\0`).update(contents[i] ?? "");
  });
  return hash.digest("hex");
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  if (!existsSync(join(root, folder))) return [];
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !irrelevant.test(path));
}

/**
 * Builds the dashboard unless the existing build matches the sources.
 *
 * @returns whether it built
 * @throws StartError when the build fails; its output has been printed
 */
export function ensureBuild(root: string): Promise<boolean> {
  return withFolderLock(root, async () => {
    const stampFile = join(root, ".next", "switchyard-stamp");
    const stamp = await sourceStamp(root);
    const isBuilt = existsSync(join(root, ".next", "BUILD_ID")) && existsSync(stampFile);
    if (isBuilt && readFileSync(stampFile, "utf8") === stamp) return false;
    console.info("Building the dashboard (the first start, or its sources have changed) ...");
    await build(root);
    writeFileSync(stampFile, stamp);
    return true;
  });
}

async function build(root: string): Promise<void> {
  // Loaded only here: a process that does not build does without the bundler.
  const { writeEngine } = await import("#lib/experiments/report/build-engine.ts");
  await writeEngine();
  const program = join(root, "node_modules", "next", "dist", "bin", "next");
  const child = spawn(process.execPath, [program, "build"], {
    cwd: root,
    env: childEnvironment({ NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk));
  const abandon = () => child.kill();
  process.once("exit", abandon);
  const code = await new Promise((resolve) => child.once("close", resolve));
  process.off("exit", abandon);
  if (code === 0) return;
  console.error(Buffer.concat(output).toString("utf8"));
  throw new StartError("The dashboard could not be built; see the build output above.");
}

if (import.meta.main) {
  try {
    const hasBuilt = await ensureBuild(join(import.meta.dirname, "..", "..", ".."));
    if (!hasBuilt) console.info("The dashboard is already built from these sources.");
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  }
}
