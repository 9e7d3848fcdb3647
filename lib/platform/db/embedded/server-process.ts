import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { usableMemory } from "#lib/platform/memory.ts";
import { serverEnvironment } from "./cluster.ts";
import { type Layout, POSTGRES_MAJOR, SOCKET_PORT } from "./layout.ts";
import { isRunning, recordedPostmaster } from "./postmaster.ts";

/** A server that this process started. */
export type ServerProcess = {
  /** Settles when the server has ended, for whatever reason. */
  readonly exited: Promise<void>;
  readonly hasExited: () => boolean;
  /** What the server has written to its log since this start. */
  readonly log: () => string;
  /** A clean, fast shutdown: open transactions are rolled back, everything committed is on disk. */
  readonly stop: () => Promise<void>;
};

/**
 * The shell between us and the server. Its standard input is a pipe that only we hold open: when we end,
 * by kill -9 too, `cat` returns and the server is shut down cleanly. When the server ends first, so does
 * the shell. It is a session of its own, so that Ctrl+C in a terminal reaches us alone and we can drain.
 *
 * On Linux the server is scheduled as batch work (SCHED_BATCH): a backend that gets a query then waits until the process
 * which sent it has done what it was doing, instead of taking its core away in the middle of it. Its lower priority keeps
 * several busy backends from holding up the event loops.
 */
const watchdog = `exec 4<&0
chrt -b 0 true 2>/dev/null && BATCH="chrt -b 0"
$BATCH nice -n 10 "$0" "$@" </dev/null 4<&- &
SERVER=$!
trap "" INT TERM HUP
(cat <&4 >/dev/null; kill -INT $SERVER) 2>/dev/null &
WATCH=$!
wait $SERVER
STATUS=$?
kill -KILL $WATCH 2>/dev/null
exit $STATUS`;

const MEGABYTE = 1024 * 1024;

function settings(layout: Layout, extra: Record<string, string>): string[] {
  const memory = usableMemory() / MEGABYTE;
  const part = (share: number, least: number, most: number) =>
    `${Math.round(Math.min(most, Math.max(least, memory / share)))}MB`;
  const values = {
    listen_addresses: "",
    port: String(SOCKET_PORT),
    unix_socket_directories: layout.socketDir,
    unix_socket_permissions: "0700",
    max_connections: "200",
    shared_buffers: part(8, 32, 512),
    work_mem: part(64, 4, 32),
    max_wal_size: "1GB",
    min_wal_size: "64MB",
    // Its files are on flash or in memory, where reading any page costs as much as reading the next one.
    random_page_cost: "1.1",
    // The supervisor starts it again. A server that restarts its own processes on a full disk may wait forever for a
    // recovery process that has already ended.
    restart_after_crash: "off",
    jit: "off",
    timezone: "UTC",
    log_timezone: "UTC",
    // A refused statement is the application's to report; here it would put people's data into a file.
    log_min_messages: "log",
    log_checkpoints: "off",
    idle_in_transaction_session_timeout: "60s",
    ...(hasStatementStatistics(layout) && {
      shared_preload_libraries: "pg_stat_statements",
      "pg_stat_statements.max": "1000",
      "pg_stat_statements.track_utility": "off",
    }),
    ...extra,
  };
  return Object.entries(values).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** Without its library the server would not start. */
const hasStatementStatistics = ({ binaries }: Layout) =>
  ["so", "dylib"].some((suffix) =>
    existsSync(join(binaries, "lib", "postgresql", `pg_stat_statements.${suffix}`)),
  );

/**
 * Starts the server on a prepared data folder; it does not wait until it accepts connections.
 *
 * @param extra server settings on top of ours, for tests
 */
export function startServer(layout: Layout, extra: Record<string, string> = {}): ServerProcess {
  const offset = rotatedLogSize(layout.logFile);
  const [log, home] = [openSync(layout.logFile, "a", 0o600), openSync(layout.home, "r")];
  const program = join(layout.binaries, "bin", "postgres");
  const data = join(layout.homeForServer, String(POSTGRES_MAJOR));
  const child = spawn("/bin/sh", ["-c", watchdog, program, "-D", data, ...settings(layout, extra)], {
    ...layout.account,
    cwd: "/",
    env: { ...serverEnvironment(), LD_LIBRARY_PATH: join(layout.binaries, "lib") },
    detached: true,
    stdio: ["pipe", log, log, home],
  });
  closeSync(log);
  closeSync(home);
  child.unref();
  const exited = ended(child);
  return {
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    log: () => readFileSync(layout.logFile).subarray(offset).toString("utf8"),
    stop: () => stop(layout, child, exited),
  };
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      child.stdin?.destroy();
      resolve();
    };
    child.once("exit", end);
    child.once("error", end);
    // Writing never happens; a broken pipe means that the shell has gone, which `exit` tells.
    child.stdin?.on("error", () => undefined);
  });
}

async function stop(layout: Layout, child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.ref();
  child.stdin?.end();
  await Promise.race([exited, delay(20_000, undefined, { ref: false })]);
  if (child.exitCode !== null || child.signalCode !== null) return;
  // A shutdown that hangs on its disk: give up the checkpoint, the next start recovers from the log.
  const postmaster = recordedPostmaster(layout);
  if (postmaster && isRunning(layout, postmaster)) process.kill(postmaster.pid, "SIGQUIT");
  await exited;
}

/** Starts a new log once it is large; a running server of this folder never sees that. */
function rotatedLogSize(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= 10 * MEGABYTE) return size;
  truncateSync(file);
  return 0;
}
