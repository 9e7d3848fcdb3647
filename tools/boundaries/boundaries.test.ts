import { describe, expect, it } from "vitest";
import { readProject } from "./check.ts";
import type { Files } from "./imports.ts";
import { MODULES } from "./modules.ts";
import { problemsIn } from "./problems.ts";

const project = readProject();

/** A copy of the project with some files changed or added. */
const copy = (changes: Record<string, (text: string) => string>): Files =>
  new Map([
    ...project,
    ...Object.entries(changes).map(([path, change]): [string, string] => [
      path,
      change(project.get(path) ?? ""),
    ]),
  ]);

describe("the structure", () => {
  it("holds", () => {
    expect(problemsIn(project)).toEqual([]);
  });

  it("is broken by an import of a module above, types included", () => {
    const broken = copy({
      "lib/flags/feature_flags/store.ts": (text) =>
        `import type { Sessions } from "#lib/surveys/surveys/store.ts";\n${text}`,
    });
    expect(problemsIn(broken)).toContainEqual(
      "lib/flags/feature_flags/store.ts imports lib/surveys/surveys/store.ts: lib/flags imports only modules below it.",
    );
  });

  it("is broken by a component that imports another resource's", () => {
    const broken = copy({
      "components/cohorts/cohort-form.tsx": (text) =>
        `import { FlagForm } from "#components/feature_flags/flag-form.tsx";\n${text}`,
    });
    expect(problemsIn(broken)).toContainEqual(
      "components/cohorts/cohort-form.tsx imports components/feature_flags/flag-form.tsx: components/cohorts imports only shared folders before it.",
    );
  });

  it("is broken by a component that runs an action which nobody passed to it", () => {
    const broken = copy({
      "components/cohorts/cohort-form.tsx": (text) =>
        `import { cohortActions } from "#app/project/[project_id]/cohorts/cohort-actions.ts";\n${text}`,
    });
    expect(problemsIn(broken)).toContainEqual(
      "components/cohorts/cohort-form.tsx imports app/project/[project_id]/cohorts/cohort-actions.ts: of pages, components know only the types of their actions.",
    );
  });

  it("is broken by folders that import each other", () => {
    const broken = copy({
      "lib/people/groups/store.ts": (text) => `import "#lib/people/events/writer.ts";\n${text}`,
    });
    expect(problemsIn(broken)).toContainEqual(
      expect.stringMatching(/^In lib\/people, folders import each other: .*events.*groups/),
    );
  });

  it.each([
    ["with the query builder", "export const f = (db: Db) => db.update(feature_flags).set({});"],
    ["in SQL", "const text = sql`insert into feature_flags (key) values ('a')`;"],
  ])("is broken by a write to another module's table %s", (_, code) => {
    const broken = copy({ "lib/experiments/experiments/store.ts": (text) => `${text}\n${code}\n` });
    expect(problemsIn(broken)).toContainEqual(
      "lib/experiments/experiments/store.ts writes the table feature_flags, which lib/flags alone writes.",
    );
  });

  it("is broken by a word that the project does not use", () => {
    const broken = copy({ "components/ui/button.tsx": (text) => `${text}\n// Computed anew.\n` });
    expect(problemsIn(broken)).toContainEqual(
      expect.stringMatching(/^components\/ui\/button\.tsx:\d+: "anew": write again\.$/),
    );
  });

  it("is broken by a folder of more than twenty files", () => {
    const added = Object.fromEntries(
      Array.from({ length: 21 }, (_, i) => [`lib/people/persons/extra/file-${i}.ts`, () => ""]),
    );
    expect(problemsIn(copy(added))).toContainEqual(
      "lib/people/persons/extra has 21 files: at most 20 are one subject.",
    );
  });

  it("is broken by a folder that the table does not name", () => {
    const broken = copy({ "lib/people/actions/service.ts": () => "" });
    expect(problemsIn(broken)).toContainEqual(
      "lib/people/actions is missing in tools/boundaries/modules.ts.",
    );
  });

  it("lets every module import only modules before it", () => {
    const names = MODULES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toBe("engines");
    expect(names.at(-1)).toBe("app");
  });
});
