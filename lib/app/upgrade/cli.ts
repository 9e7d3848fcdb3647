/**
 * `npm run upgrade -- --rehearse` tries an upgrade on a copy; `npm run upgrade -- --back` says how to return to the
 * earlier version. See docs/operations.md.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { configIn, findCallersFolder, StartError } from "#lib/platform/config.ts";
import { findWayBack } from "./back.ts";
import { createCleanUp } from "./clean-up.ts";
import { rehearse } from "./rehearsal.ts";
import { readVersion } from "./version.ts";

const USAGE = `Usage: npm run upgrade -- --rehearse [--earlier FOLDER] [--backup FILE] [--reads FILE]
       npm run upgrade -- --back [--earlier FOLDER]`;

const root = join(import.meta.dirname, "..", "..", "..");

type Command = {
  kind: "rehearse" | "back";
  earlier: string | undefined;
  backup: string | undefined;
  reads: string | undefined;
};

/** @returns null where the arguments are not those of the command */
function parse(): Command | null {
  try {
    const { values } = parseArgs({
      options: {
        rehearse: { type: "boolean", default: false },
        back: { type: "boolean", default: false },
        earlier: { type: "string" },
        backup: { type: "string" },
        reads: { type: "string" },
      },
    });
    const { rehearse, back, ...files } = values;
    const { earlier, backup, reads } = files;
    const isForRehearsal = backup !== undefined || reads !== undefined;
    if (rehearse === back || (back && isForRehearsal) || Object.values(files).includes("")) return null;
    return { kind: rehearse ? "rehearse" : "back", earlier, backup, reads };
  } catch {
    return null;
  }
}

const path = (given: string | undefined) =>
  given === undefined ? undefined : resolve(findCallersFolder(), given);
const say = (line: string) => console.info(line);
const cleanUp = createCleanUp();

/** @returns the exit status */
async function main({ kind, earlier, backup, reads }: Command): Promise<number> {
  const own = readVersion(root);
  const folder = path(earlier);
  const other = folder === undefined ? undefined : readVersion(folder);
  if (kind === "back") {
    const isPossible = await findWayBack({ settings: configIn(root), earlier: other, say });
    return isPossible ? 0 : 1;
  }
  if (!other)
    say("Without --earlier, this version is compared with itself: what still differs would differ anyway.\n");
  const running = other ?? own;
  const isEqual = await rehearse({
    earlier: running,
    later: own,
    settings: configIn(running.folder),
    backup: path(backup),
    accessLog: path(reads),
    say,
    cleanUp,
  });
  return isEqual ? 0 : 1;
}

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    console.error("Interrupted; removing the copies.");
    await cleanUp.run();
    process.exit(1);
  });
const command = parse();
if (!command) {
  console.error(USAGE);
  process.exit(2);
}
try {
  process.exitCode = await main(command);
} catch (error) {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
} finally {
  await cleanUp.run();
}
