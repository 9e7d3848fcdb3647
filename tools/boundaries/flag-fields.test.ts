import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** The modules that flags are made of. */
const MODULES = ["engines", "platform", "activity", "identity", "people", "flags"];
const [TABLE, SCHEMA] = ["lib/platform/db/tables/feature_flags.ts", "lib/flags/feature_flags/schema.ts"];

/** What the compiler says about a copy of the flags module with some texts put in front of others. */
function compileWith(insertions: [path: string, before: string, text: string][]): string {
  const copy = mkdtempSync(join(tmpdir(), "switchyard-recipe-"));
  try {
    for (const name of MODULES) cpSync(join(root, "lib", name), join(copy, "lib", name), { recursive: true });
    cpSync(join(root, "package.json"), join(copy, "package.json"));
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    for (const [path, before, text] of insertions) {
      const source = readFileSync(join(copy, path), "utf8");
      expect(source, path).toContain(before);
      writeFileSync(join(copy, path), source.replace(before, `${text} ${before}`));
    }
    const files = ["record", "list", "service"].map((name) => `lib/flags/feature_flags/${name}.ts`);
    const compilerOptions = { incremental: false, types: [], plugins: [] };
    const config = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files };
    writeFileSync(join(copy, "tsconfig.json"), JSON.stringify(config));
    return execFileSync(join(root, "node_modules/.bin/tsc"), ["--pretty", "false"], {
      cwd: copy,
      encoding: "utf8",
    });
  } catch (error) {
    if (error instanceof Error && "stdout" in error) return String(error.stdout);
    throw error;
  } finally {
    rmSync(copy, { recursive: true });
  }
}

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
    const column = (name: string): [string, string, string] => [
      TABLE,
      'last_called_at: moment("last_called_at"),\n  },\n  (t) => [\n    uniqueIndex("feature_flags_key")',
      `${name}: text("${name}").notNull().default(""),`,
    ];
    const field = (name: string, initial: string): [string, string, string] => [
      SCHEMA,
      "last_called_at: {",
      `${name}: { write: z.string(), read: z.string(), ${initial} logged: 99 },`,
    ];
    const errors = compileWith([
      column("complete"),
      field("complete", 'initial: "",'),
      field("without_column", 'initial: "",'),
      column("without_initial"),
      field("without_initial", ""),
      [SCHEMA, 'evaluation_runtime: text("', 'without_filter: text("A filter."),'],
    ]);
    const places = errors.match(/^lib\/[^(]+/gm);
    expect(places).toEqual(["list", "record", "service"].map((name) => `lib/flags/feature_flags/${name}.ts`));
    expect(errors).toContain("Property 'without_filter' is missing");
    expect(errors).toContain("Property 'without_column' is missing");
    expect(errors).toContain("property 'without_initial' are incompatible");
    expect(errors).not.toContain("complete'");
  });
});
