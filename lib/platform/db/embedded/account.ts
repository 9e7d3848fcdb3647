import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { StartError } from "#lib/platform/config.ts";

/** The operating-system user that PostgreSQL runs as, when it is not ours. */
export type Account = { uid: number; gid: number };

/**
 * PostgreSQL refuses to run as root. Root lends it the user that already owns the data, else the system's
 * `postgres`, else `nobody`; any other user runs it as itself.
 *
 * @param cluster the data folder, which may not exist yet
 * @throws StartError when the data belongs to somebody else
 */
export function chooseAccount(cluster: string): Account | undefined {
  const self = process.getuid?.() ?? 0;
  const owner = statSync(cluster, { throwIfNoEntry: false });
  if (self !== 0) {
    if (owner && owner.uid !== self) {
      throw new StartError(
        `The database in ${cluster} belongs to user id ${owner.uid}, but Switchyard runs as user id ${self}: ` +
          "run it as that user, or give the folder to this one with chown -R.",
      );
    }
    return undefined;
  }
  if (owner?.uid === 0) {
    throw new StartError(
      `The database in ${cluster} belongs to root, which PostgreSQL refuses: give the folder to another user with chown -R.`,
    );
  }
  return owner
    ? { uid: owner.uid, gid: owner.gid }
    : (named("postgres") ?? named("nobody") ?? { uid: 65_534, gid: 65_534 });
}

function named(user: string): Account | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  return uid && gid ? { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 } : undefined;
}

/** Whether that user can pass every folder on the way to this one (asks the kernel: modes do not say everything). */
export function canReach(account: Account | undefined, folder: string): boolean {
  if (!account) return true;
  return (
    spawnSync("/bin/sh", ["-c", 'cd "$0"', folder], { ...account, cwd: "/", stdio: "ignore" }).status === 0
  );
}
