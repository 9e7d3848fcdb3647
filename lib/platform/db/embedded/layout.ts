import { createHash } from "node:crypto";
import { chmodSync, chownSync, lstatSync, mkdirSync, realpathSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StartError } from "#lib/platform/config.ts";
import { errorCode } from "#lib/platform/db/errors.ts";
import { type Account, canReach, chooseAccount } from "./account.ts";
import { installBinaries, isPrivateTo } from "./binaries.ts";

/** The major version whose data format the folder is named after. */
export const POSTGRES_MAJOR = 18;

/** The socket's file name carries a port number; nothing listens on a network port. */
export const SOCKET_PORT = 5432;

/** Where everything of one embedded server lies, and who runs it. */
export type Layout = {
  account: Account | undefined;
  /** DATA_DIR/postgres: mode 0700, owned by the account. */
  home: string;
  /** The data folder as this process sees it. */
  cluster: string;
  /** The home as the server's account names it: a /proc path when a folder above is closed to that account. */
  homeForServer: string;
  binaries: string;
  socketDir: string;
  logFile: string;
};

export type LayoutOptions = {
  dataDir: string;
  /** Where to keep the copied binaries instead of DATA_DIR/runtime. */
  runtimeDir?: string;
};

/**
 * Prepares the folders of an embedded server.
 *
 * @throws StartError in one sentence when a folder cannot be made, reached or trusted
 */
export function prepareLayout({ dataDir, runtimeDir }: LayoutOptions): Layout {
  try {
    mkdirSync(join(dataDir, "logs"), { recursive: true });
    // Two names of one folder must find the same server.
    const base = realpathSync(dataDir);
    const home = join(base, "postgres");
    const cluster = join(home, String(POSTGRES_MAJOR));
    const account = chooseAccount(cluster);
    makePrivate(home, account);
    const reachable = canReach(account, home);
    return {
      account,
      home,
      cluster,
      homeForServer: reachable ? home : homeByDescriptor(home),
      binaries: installBinaries(runtimeDir ?? runtimeRoot(base, reachable, account)),
      socketDir: socketFolder(home, reachable),
      logFile: join(base, "logs", "postgres.log"),
    };
  } catch (error) {
    throw explain(error, dataDir);
  }
}

function explain(error: unknown, dataDir: string): unknown {
  switch (errorCode(error)) {
    case "ENOSPC":
      return new StartError(`No space is left on the disk of DATA_DIR (${dataDir}).`);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new StartError(
        `DATA_DIR (${dataDir}) cannot be written: check who owns it and how it is mounted.`,
      );
    case "ENOTDIR":
    case "EEXIST":
      return new StartError(`DATA_DIR (${dataDir}) must be a folder, and so must everything above it.`);
    default:
      return error;
  }
}

function makePrivate(folder: string, account: Account | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  const self = process.getuid?.() ?? 0;
  const owner = account?.uid ?? self;
  // Below a world-writable folder somebody else may have been first: never trust what is not ours.
  if (!stat.isDirectory() || (stat.uid !== owner && stat.uid !== self)) {
    throw new StartError(
      `${folder} belongs to user id ${stat.uid}, but must be a folder of user id ${owner}: remove it or give it to that user.`,
    );
  }
  chmodSync(folder, 0o700);
  if (account && stat.uid !== account.uid) chownSync(folder, account.uid, account.gid);
}

/**
 * A folder above DATA_DIR is closed to the server's account, as root's own home is. The server inherits an
 * open descriptor of its home and names its files through it, so that the data can stay where it belongs.
 */
function homeByDescriptor(home: string): string {
  if (process.platform === "linux") return `/proc/self/fd/${HOME_DESCRIPTOR}`;
  throw new StartError(
    `The database cannot run as root in ${home}, because a folder above it is closed to other users: set DATA_DIR to another place.`,
  );
}

/** The descriptor number under which the server's processes get their home. */
const HOME_DESCRIPTOR = 3;

/** Programs find their libraries by their real path, so these must be reachable as such. */
function runtimeRoot(base: string, reachable: boolean, account: Account | undefined): string {
  if (reachable) return join(base, "runtime");
  for (const root of ["/var/lib/switchyard", join(tmpdir(), "switchyard-runtime")]) {
    try {
      mkdirSync(root, { recursive: true, mode: 0o755 });
    } catch {
      continue;
    }
    if (isPrivateTo(0, root) && canReach(account, root)) return root;
  }
  throw new StartError(
    `No folder for PostgreSQL's programs is accessible to its user: set DATA_DIR to a folder outside ${base}.`,
  );
}

/** A socket's whole path must stay below 107 bytes, and the server reads its folder as an item of a list. */
function socketFolder(home: string, reachable: boolean): string {
  const fits = (folder: string) =>
    Buffer.byteLength(`${folder}/.s.PGSQL.${SOCKET_PORT}.lock`) < 104 && /^[\w./-]+$/.test(folder);
  const near = join(home, "run");
  const short = `switchyard-${createHash("sha256").update(home).digest("hex").slice(0, 16)}`;
  const far = fits(join(tmpdir(), short)) ? join(tmpdir(), short) : join("/tmp", short);
  return reachable && fits(near) ? near : far;
}

/** Makes the socket's folder; before each start, because what lies under /tmp may be cleaned away. */
export function ensureSocketFolder({ socketDir, account }: Layout): void {
  makePrivate(socketDir, account);
}

/** Leaves nothing in the system's temporary folder once the server has stopped. */
export function removeSocketFolder({ socketDir }: Layout): void {
  try {
    rmdirSync(socketDir);
  } catch {
    // Not empty: another process has started the server again.
  }
}
