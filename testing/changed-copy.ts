import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

const PARTS = ["app", "components", "lib", "package.json", "tsconfig.json"];

/** New texts of files, by path, made from the present ones; those of files that do not exist, from "". */
export type Changes = Readonly<Record<string, (text: string) => string>>;

/** Puts texts in front of others. @throws if one of them is not there */
export const insert =
  (...insertions: readonly (readonly [before: string, added: string])[]) =>
  (source: string): string =>
    insertions.reduce((text, [before, added]) => {
      if (!text.includes(before)) throw new Error(`There is no "${before}" to put "${added}" in front of.`);
      return text.replace(before, () => `${added} ${before}`);
    }, source);

/** A copy of this project without its tests, in a folder of its own, with some changes. The caller removes it. */
export function copyChanged(changes: Changes, furtherParts: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "switchyard-copy-"));
  const run = (program: string, ...args: string[]) => {
    const { stdout, stderr, status } = spawnSync(join(root, "node_modules/.bin", program), args, {
      cwd: folder,
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
    });
    return { output: stdout + stderr, status };
  };
  /**
   * What the compiler says about some files with all that they import: an error a line, as
   * `path(line,column): error ...`; lines that continue one are indented.
   */
  const typeCheck = (files: readonly string[]): string[] => {
    const compilerOptions = { incremental: false, plugins: [], types: [] };
    const config = { extends: "./tsconfig.json", compilerOptions, include: [], files };
    writeFileSync(join(folder, "changed.json"), JSON.stringify(config));
    const { output } = run("tsc", "--pretty", "false", "--project", "changed.json");
    return output.split("\n").filter((line) => line !== "");
  };
  const remove = () => rmSync(folder, { recursive: true });
  try {
    for (const part of [...PARTS, ...furtherParts])
      cpSync(join(root, part), join(folder, part), {
        recursive: true,
        filter: (path) => !path.endsWith(".test.ts"),
      });
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    for (const [path, change] of Object.entries(changes)) {
      const text = existsSync(join(folder, path)) ? readFileSync(join(folder, path), "utf8") : "";
      const changed = change(text);
      if (changed === text) throw new Error(`The change of ${path} changes nothing.`);
      writeFileSync(join(folder, path), changed);
    }
    return { folder, run, typeCheck, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** What the compiler says about some files of a changed copy. */
export function typeCheckCopy(files: readonly string[], changes: Changes): string[] {
  const copy = copyChanged(changes);
  try {
    return copy.typeCheck(files);
  } finally {
    copy.remove();
  }
}
