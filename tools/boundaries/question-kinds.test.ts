import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { typeCheckCopy } from "#testing/changed-copy.ts";

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

describe("a kind of question", () => {
  it("that is added to the union alone fails the type check at every place where it has a part", () => {
    const place = "  single_choice: ChoiceFields;\n";
    const errors = typeCheckCopy(PLACES, {
      [UNION]: (text) => text.replace(place, `${place}  matrix: Fields & { rows?: unknown };\n`),
    });
    const missing = errors.filter((error) => error.includes("Property 'matrix' is missing"));
    expect([...new Set(missing.map((error) => error.split("(")[0]))].sort()).toEqual(PLACES);
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
