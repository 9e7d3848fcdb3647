import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "#lib/platform/config.ts";
import { errorCode } from "#lib/platform/db/errors.ts";
import { type Layout, POSTGRES_MAJOR } from "./layout.ts";

/**
 * Makes the data folder if there is none, and checks that the one there fits these binaries.
 *
 * @throws StartError when the folder is of another major version, or initdb fails
 */
export function ensureCluster(layout: Layout): void {
  if (!existsSync(layout.cluster)) create(layout);
  const file = join(layout.cluster, "PG_VERSION");
  const version = existsSync(file) ? readFileSync(file, "utf8").trim() : undefined;
  if (version === String(POSTGRES_MAJOR)) return;
  throw new StartError(
    version === undefined
      ? `${layout.cluster} holds no PostgreSQL database (PG_VERSION is missing): restore the folder or move it away.`
      : `The database in ${layout.cluster} was written by PostgreSQL ${version}, and this Switchyard includes ${POSTGRES_MAJOR}: start it with the version that wrote it and move the data with backup and restore.`,
  );
}

/** A killed initdb leaves a folder that no later one accepts, so it works beside and is moved when complete. */
function create(layout: Layout): void {
  const draft = `new-${process.pid}`;
  removeDrafts(layout);
  initdb(layout, draft);
  try {
    renameSync(join(layout.home, draft), layout.cluster);
  } catch (error) {
    rmSync(join(layout.home, draft), { recursive: true, force: true });
    if (errorCode(error) !== "ENOTEMPTY" && errorCode(error) !== "EEXIST") throw error;
  }
}

/** Called under the start lock: whatever is there was left by a process that died. */
function removeDrafts(layout: Layout): void {
  for (const name of readdirSync(layout.home)) {
    if (name.startsWith("new-")) rmSync(join(layout.home, name), { recursive: true, force: true });
  }
}

function initdb(layout: Layout, draft: string): void {
  const home = openSync(layout.home, "r");
  const options = ["--auth=trust", "-E", "UTF8", "--locale=C", "--locale-provider=builtin"];
  const target = ["--builtin-locale=C.UTF-8", "-U", "postgres", "-D", join(layout.homeForServer, draft)];
  const run = spawnSync(join(layout.binaries, "bin", "initdb"), [...options, ...target], {
    ...layout.account,
    cwd: "/",
    env: serverEnvironment(),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe", home],
  });
  closeSync(home);
  if (run.status === 0) return;
  rmSync(join(layout.home, draft), { recursive: true, force: true });
  throw new StartError(explainInitdb(layout, `${run.stderr ?? ""}${run.error?.message ?? ""}`));
}

function explainInitdb(layout: Layout, output: string): string {
  if (/No space left on device/.test(output)) return `No space is left on the disk of ${layout.home}.`;
  if (/could not look up effective user ID/.test(output)) {
    return `PostgreSQL needs a name for user id ${process.getuid?.()} in /etc/passwd to create its database: add one, or set DATABASE_URL to a PostgreSQL server.`;
  }
  if (/EACCES/.test(output)) {
    return `The programs in ${layout.binaries} may not be run: check that the disk is not mounted noexec, or set DATA_DIR to another place.`;
  }
  const reason = /initdb: error: (.*)|FATAL: {2}(.*)/.exec(output);
  return `The database in ${layout.home} could not be created: ${reason?.[1] ?? reason?.[2] ?? output.trim()}.`;
}

/** What the server's processes see: nothing of ours, so that neither secrets nor PG* variables reach them. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { NODE_ENV: "production", PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
}
