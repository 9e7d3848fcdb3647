import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "#lib/platform/db/errors.ts";
import { type Layout, SOCKET_PORT } from "./layout.ts";

/** What postmaster.pid says of a server. */
export type Postmaster = { pid: number; socketDir: string };

/** The server that last wrote its name into the data folder, running or not. */
export function recordedPostmaster(layout: Layout): Postmaster | undefined {
  try {
    const lines = readFileSync(join(layout.cluster, "postmaster.pid"), "utf8").split("\n");
    const pid = Number(lines[0]);
    // The server writes the first line at once and the socket's folder a moment later.
    return pid > 0 ? { pid, socketDir: lines[4]?.trim() || layout.socketDir } : undefined;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Whether that process is a live server on this very data folder. PostgreSQL itself asks only whether the
 * process id exists, and so mistakes a zombie or a stranger with a recycled id for a running server.
 */
export function isRunning(layout: Layout, { pid }: Postmaster): boolean {
  return process.platform === "linux" ? isRunningOnLinux(layout, pid) : isPostgresElsewhere(pid);
}

function isRunningOnLinux(layout: Layout, pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [, name, state] = /^\d+ \((.*)\) (\w)/s.exec(stat) ?? [];
    if (name !== "postgres" || state === "Z" || state === "X") return false;
  } catch {
    return false;
  }
  try {
    const [at, cluster] = [statSync(`/proc/${pid}/cwd`), statSync(layout.cluster)];
    return at.dev === cluster.dev && at.ino === cluster.ino;
  } catch (error) {
    // Only its owner and root may look: somebody else's server is not one on our private folder.
    return errorCode(error) !== "EACCES" && errorCode(error) !== "ENOENT";
  }
}

function isPostgresElsewhere(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=,comm=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z]\S*\s+.*postgres/.test(stdout.trim());
}

/** Removes what a dead server left, so that PostgreSQL does not take it for a running one. */
export function removeTraces(layout: Layout, { socketDir }: Pick<Postmaster, "socketDir">): void {
  rmSync(join(layout.cluster, "postmaster.pid"), { force: true });
  for (const folder of new Set([socketDir, layout.socketDir])) {
    rmSync(join(folder, `.s.PGSQL.${SOCKET_PORT}.lock`), { force: true });
    rmSync(join(folder, `.s.PGSQL.${SOCKET_PORT}`), { force: true });
  }
}
