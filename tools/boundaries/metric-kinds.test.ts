import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { typeCheckCopy } from "#testing/changed-copy.ts";

const KINDS = "lib/experiments/metric_kinds/metric-kinds.ts";
const SCHEMA = "lib/experiments/metric_kinds/metric-schema.ts";
/** The records of kinds in the dashboard. */
const RECORDS = ["components/metrics/metric-words.ts", "components/metrics/metric-fields.tsx"];
const PARTS = Object.keys(METRIC_KINDS.ratio);

const root = join(import.meta.dirname, "../..");
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

it("the recipe for a kind of metric names at most eight files, and all places with a part of it", () => {
  const recipe = /## Add a kind of experiment metric\n(.*?)\n\nA formula/s.exec(
    readFileSync(join(root, "docs/recipes.md"), "utf8"),
  )?.[1];
  const files = new Set(recipe?.match(/(?:lib|components)\/[\w/.-]+\.tsx?/g));
  for (const path of [SCHEMA, KINDS, ...RECORDS]) expect(files).toContain(path);
  for (const path of files) expect(existsSync(join(root, path)), path).toBe(true);
  // Two of them are the example and the types to choose from; the new kind's own file is one more.
  expect(files.size - 2 + 1).toBeLessThanOrEqual(8);
});

describe("the type check refuses a kind of metric", () => {
  let problems: string[];
  beforeAll(() => {
    problems = typeCheckCopy([KINDS, ...RECORDS], CHANGES);
  });

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
