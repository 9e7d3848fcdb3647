import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { config, findCallersFolder, StartError } from "#lib/platform/config.ts";
import { type Database, database } from "#lib/platform/db/connect.ts";

/**
 * Runs a command line that works on the configured database, which the application may be using meanwhile:
 * prints what `work` returns, or one sentence about what went wrong.
 *
 * @param usage how the command is called; its one argument is a file or a folder
 * @param names of options that take a value
 */
export async function runCommand(
  usage: string,
  work: (database: Database, path: string, options: Options) => Promise<string>,
  names: readonly string[] = [],
): Promise<void> {
  const given = parse(names);
  if (!given) {
    console.error(`Usage: ${usage}`);
    process.exit(2);
  }
  let opened: Database | undefined;
  try {
    config();
    opened = await database();
    console.info(await work(opened, resolve(findCallersFolder(), given.path), given.options));
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  } finally {
    await opened?.close();
  }
}

type Options = Readonly<Record<string, string | undefined>>;

/** @returns null where the arguments are not those of the command */
function parse(names: readonly string[]): { path: string; options: Options } | null {
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" } as const]));
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [path, ...more] = positionals;
    return path && more.length === 0 ? { path, options: values } : null;
  } catch {
    return null;
  }
}
