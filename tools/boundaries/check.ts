/**
 * `node tools/boundaries/check.ts`: whether the project keeps to its structure (modules.ts) and its words (words.ts).
 * With `--write` it first writes what is generated from modules.ts: the lint rules in .biome.json and the tables of
 * docs/architecture.md.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { architectureTables, withTables } from "./architecture.ts";
import type { Files } from "./imports.ts";
import { lintOverrides } from "./lint.ts";
import { problemsIn } from "./problems.ts";

export const root = join(import.meta.dirname, "..", "..");
const LINT = join(root, ".biome.json");
const ARCHITECTURE = join(root, "docs", "architecture.md");

/** The project's own files: sources and documents. */
export function readProject(): Files {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  const paths = listed
    .split("\n")
    .filter(
      (path) => /\.(tsx?|md)$/.test(path) && !path.includes("/fixtures/") && existsSync(join(root, path)),
    );
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

const withOverrides = (text: string) =>
  `${JSON.stringify({ ...JSON.parse(text), overrides: lintOverrides() }, null, 2)}\n`;

const same = (a: string, b: string) => JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));

if (import.meta.main) {
  const [lint, architecture] = [readFileSync(LINT, "utf8"), readFileSync(ARCHITECTURE, "utf8")];
  if (process.argv.includes("--write")) {
    writeFileSync(LINT, withOverrides(lint));
    execFileSync(join(root, "node_modules", ".bin", "biome"), ["format", "--write", LINT], { cwd: root });
    writeFileSync(ARCHITECTURE, withTables(architecture, architectureTables()));
  } else {
    const stale = [
      ...(same(lint, withOverrides(lint)) ? [] : [".biome.json"]),
      ...(architecture === withTables(architecture, architectureTables()) ? [] : ["docs/architecture.md"]),
    ].map(
      (file) =>
        `${file} does not say what tools/boundaries/modules.ts says: run npm run boundaries -- --write.`,
    );
    const problems = [...stale, ...problemsIn(readProject())];
    for (const problem of problems) console.error(problem);
    console.info(problems.length === 0 ? "The structure holds." : `${problems.length} problems.`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  }
}
