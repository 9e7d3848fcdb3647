import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { readProject } from "./check.ts";
import { importsIn } from "./imports.ts";

const KINDS = "lib/experiments/metric_kinds/metric-kinds.ts";
const SCHEMA = "lib/experiments/metric_kinds/metric-schema.ts";
/** The records of kinds in the dashboard. */
const RECORDS = [
  "components/experiments/metrics/metric-words.ts",
  "components/experiments/metrics/metric-fields.tsx",
];
const PARTS = Object.keys(METRIC_KINDS.ratio);

const root = join(import.meta.dirname, "../..");
const project = readProject();

/** Files with all that they import, directly or not. */
function closureOf(files: readonly string[]): Set<string> {
  const imports = Map.groupBy(importsIn(project), ({ from }) => from);
  const found = new Set(files);
  for (const file of found) for (const { to } of imports.get(file) ?? []) found.add(to);
  return found;
}

/** Changes that name a new kind, declare it without a schema, and make kinds that each lack a part. */
const CHANGES: Record<string, (text: string) => string> = {
  [SCHEMA]: (text) => text.replace('"retention"] as const', '"retention", "streak"] as const'),
  [KINDS]: (text) =>
    `${text}
    export const streak: Kinds["streak"] = ratio;
    ${PARTS.map(
      (part) => `
        const { ${part}: ${part}_, ...without_${part} } = ratio;
        export const lacks_${part}: Kinds["ratio"] = without_${part};`,
    ).join("")}`,
};

/** A copy of the files that know kinds, without the components that they show. */
function writeCopy(folder: string): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const path of [...closureOf([KINDS]), ...RECORDS]) {
    const text = project.get(path) ?? "";
    write(path, CHANGES[path]?.(text) ?? text);
  }
  write("components.d.ts", 'declare module "#components/*";');
  const config = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: { incremental: false, types: [] },
    include: [],
    files: [KINDS, ...RECORDS, "components.d.ts"],
  };
  write("tsconfig.json", JSON.stringify(config));
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}

it("the recipe for a kind of metric names at most eight files, and all places with a part of it", () => {
  const recipe = /## Add a kind of experiment metric\n(.*?)\n\nA formula/s.exec(
    readFileSync(join(root, "docs/recipes.md"), "utf8"),
  )?.[1];
  const files = new Set(recipe?.match(/(?:lib|components)\/[\w/.-]+\.tsx?/g));
  for (const path of [SCHEMA, KINDS, ...RECORDS]) expect(files).toContain(path);
  for (const path of files) expect(project.has(path), path).toBe(true);
  // Two of them are the example and the types to choose from; the new kind's own file is one more.
  expect(files.size - 2 + 1).toBeLessThanOrEqual(8);
});

describe("the type check refuses a kind of metric", () => {
  const folder = mkdtempSync(join(tmpdir(), "metric-kinds-"));
  let problems: string[] = [];
  beforeAll(() => {
    writeCopy(folder);
    const tsc = join(root, "node_modules/.bin/tsc");
    const { stdout } = spawnSync(tsc, ["--pretty", "false", "-p", "."], { cwd: folder, encoding: "utf8" });
    problems = stdout.split("\n");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each([KINDS, ...RECORDS])("that is missing in the record of %s", (path) => {
    expect(problems).toContainEqual(
      expect.stringMatching(new RegExp(`^${path}.*Property 'streak' is missing`)),
    );
  });

  it("that is missing in the schema of all metrics", () => {
    expect(problems).toContainEqual(
      expect.stringMatching(new RegExp(`^${KINDS}.*to type 'MetricKind<never>'`)),
    );
  });

  it.each(PARTS)("without %s", (part) => {
    expect(problems).toContainEqual(
      expect.stringMatching(new RegExp(`^${KINDS}.*Property '${part}' is missing`)),
    );
  });
});
