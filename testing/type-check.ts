import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/**
 * What the compiler says about some files of a changed copy of this project.
 *
 * @param files the files to check, with all that they import
 * @param changes new texts of files, by path, made from the present ones
 * @returns an error a line, as `path(line,column): error ...`; lines that continue one are indented
 */
export function typeCheckCopy(
  files: readonly string[],
  changes: Readonly<Record<string, (text: string) => string>>,
): string[] {
  const copy = mkdtempSync(join(tmpdir(), "switchyard-copy-"));
  try {
    for (const part of ["app", "components", "lib", "package.json", "tsconfig.json"])
      cpSync(join(root, part), join(copy, part), { recursive: true });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    for (const [path, change] of Object.entries(changes)) {
      const text = readFileSync(join(copy, path), "utf8");
      const changed = change(text);
      if (changed === text) throw new Error(`The change of ${path} changes nothing.`);
      writeFileSync(join(copy, path), changed);
    }
    const compilerOptions = { incremental: false, plugins: [], types: [] };
    const config = { extends: "./tsconfig.json", compilerOptions, include: [], files };
    writeFileSync(join(copy, "changed.json"), JSON.stringify(config));
    const { stdout } = spawnSync(
      join(root, "node_modules/.bin/tsc"),
      ["--pretty", "false", "--project", "changed.json"],
      { cwd: copy, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
    );
    return stdout.split("\n").filter((line) => line !== "");
  } finally {
    rmSync(copy, { recursive: true });
  }
}
