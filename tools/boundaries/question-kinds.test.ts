import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Where every kind of question has a part, besides the union itself. */
const PLACES = [
  "components/surveys/question-kinds.tsx",
  "components/surveys/questions/kind-fields.tsx",
  "lib/engines/branching/answers.ts",
  "lib/surveys/hosted/card/controls.ts",
  "lib/surveys/surveys/questions/question_kinds/kinds.ts",
];
const UNION = "lib/engines/branching/question.ts";

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "switchyard-kinds-"));
  for (const part of ["lib", "components", "package.json", "tsconfig.json"])
    cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const config = {
    extends: "./tsconfig.json",
    compilerOptions: { incremental: false, plugins: [] },
    files: PLACES,
    include: [],
  };
  writeFileSync(join(copy, "kinds.json"), JSON.stringify(config));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** The files in which the compiler misses something of a kind. */
function placesMissing(kind: string): string[] {
  const tsc = join(root, "node_modules/.bin/tsc");
  const { stdout } = spawnSync(tsc, ["--noEmit", "--pretty", "false", "--project", "kinds.json"], {
    cwd: copy,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const named = stdout.split("\n").filter((line) => line.includes(`Property '${kind}' is missing`));
  return [...new Set(named.map((line) => line.split("(")[0] ?? ""))].sort();
}

describe("a kind of question", () => {
  it("that is added to the union alone fails the type check at every place where it has a part", () => {
    const union = readFileSync(join(root, UNION), "utf8");
    const [kind, fields] = ["matrix", "  matrix: Fields & { rows?: unknown };\n"];
    const place = "  single_choice: ChoiceFields;\n";
    expect(union).toContain(place);
    writeFileSync(join(copy, UNION), union.replace(place, place + fields));
    expect(placesMissing(kind)).toEqual(PLACES);
  });

  it("has its places, and at most eight files, in its recipe", () => {
    const recipes = readFileSync(join(root, "docs/recipes.md"), "utf8");
    const [, recipe = ""] = recipes.split("## Add a kind of survey question");
    const files = [...(recipe.split("\n## ")[0] ?? "").matchAll(/`((?:lib|components)\/[^`]+)`/g)].map(
      ([, file = ""]) => file,
    );
    expect(files).toEqual(expect.arrayContaining([UNION, ...PLACES]));
    expect(new Set(files).size).toBeLessThanOrEqual(8);
    for (const file of files) expect(existsSync(join(root, file.replace("NAME", "rating")))).toBe(true);
  });
});
