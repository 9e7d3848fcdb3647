import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { insert, typeCheckCopy } from "#testing/changed-copy.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const [TABLE, SCHEMA] = ["lib/platform/db/tables/feature_flags.ts", "lib/flags/feature_flags/schema.ts"];
const FILES = ["list", "record", "service"].map((name) => `lib/flags/feature_flags/${name}.ts`);

describe("the recipe for a field of flags", () => {
  const recipe = /## Add a field to feature flags\n(.*?)\n## /s.exec(read("docs/recipes.md"))?.[1] ?? "";
  const steps = recipe.slice(0, recipe.indexOf("\n\nFurther"));
  const files = [...new Set(steps.match(/(?:lib|components)\/[\w/.-]+\.tsx?/g))];

  it("names at most six files, which know the field of its example", () => {
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(6);
    for (const path of files) expect(read(path), path).toMatch(/evaluation_runtime|\bruntime\b/);
  });

  it("is right that the compiler names what is left out", () => {
    const column = (name: string): [string, string] => [
      'last_called_at: moment("last_called_at"),\n  },\n  (t) => [\n    uniqueIndex("feature_flags_key")',
      `${name}: text("${name}").notNull().default(""),`,
    ];
    const field = (name: string, initial: string): [string, string] => [
      "last_called_at: {",
      `${name}: { write: z.string(), read: z.string(), ${initial} logged: 99 },`,
    ];
    const errors = typeCheckCopy(FILES, {
      [TABLE]: insert(column("complete"), column("without_initial")),
      [SCHEMA]: insert(
        field("complete", 'initial: "",'),
        field("without_column", 'initial: "",'),
        field("without_initial", ""),
        ['evaluation_runtime: text("', 'without_filter: text("A filter."),'],
      ),
    }).join("\n");
    expect(errors.match(/^lib\/[^(]+/gm)).toEqual(FILES);
    expect(errors).toContain("Property 'without_filter' is missing");
    expect(errors).toContain("Property 'without_column' is missing");
    expect(errors).toContain("property 'without_initial' are incompatible");
    expect(errors).not.toContain("complete'");
  });
});
