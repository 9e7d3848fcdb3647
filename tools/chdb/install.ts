/**
 * `node tools/chdb/install.ts`: the engine of ClickHouse for tests, which the npm package chdb has as a library. It takes
 * half a gigabyte, so it is no dependency of the project: it is installed once, in a cache outside of it.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const VERSION = "3.4.0";
const cache = join(homedir(), ".cache", "switchyard");

/** The folder of the package, installed unless it is there. */
export function installChdb(): string {
  const target = join(cache, `chdb-${VERSION}`);
  if (!existsSync(target)) {
    mkdirSync(cache, { recursive: true });
    const draft = mkdtempSync(join(cache, "installing-"));
    writeFileSync(join(draft, "package.json"), '{ "private": true }');
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock", `chdb@${VERSION}`], {
      cwd: draft,
      // The first line of standard output is the address of the server, or the folder.
      stdio: ["ignore", 2, 2],
    });
    try {
      renameSync(draft, target);
    } catch (error) {
      // Another process was first.
      if (!existsSync(target)) throw error;
      rmSync(draft, { recursive: true });
    }
  }
  return join(target, "node_modules", "chdb");
}

if (import.meta.main) console.info(installChdb());
