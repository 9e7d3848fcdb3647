import { resolve } from "node:path";
import { config, findCallersFolder, StartError } from "#lib/platform/config.ts";
import { type Database, database } from "#lib/platform/db/connect.ts";

/**
 * Runs a command line that works on the configured database, which the application may be using meanwhile:
 * prints what `work` returns, or one sentence about what went wrong.
 *
 * @param usage how the command is called; its one argument is a file
 */
export async function runCommand(
  usage: string,
  work: (database: Database, file: string) => Promise<string>,
): Promise<void> {
  const [file, ...more] = process.argv.slice(2);
  if (!file || more.length > 0 || file.startsWith("-")) {
    console.error(`Usage: ${usage}`);
    process.exit(2);
  }
  let opened: Database | undefined;
  try {
    config();
    opened = await database();
    console.info(await work(opened, resolve(findCallersFolder(), file)));
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  } finally {
    await opened?.close();
  }
}
