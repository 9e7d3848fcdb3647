import { globSync } from "node:fs";

/** A part of the code whose tests have to notice changes. */
export type Target = {
  name: string;
  /** Patterns of the files to change, from the project's root; `!` leaves some out. */
  sources: readonly string[];
  /** Patterns of the test files that have to notice, in the order in which they are tried. */
  tests: readonly string[];
  /** Least share of mutants that must be noticed. */
  floor: number;
  /** How many mutants are tried unless the command says otherwise; null: all of them. */
  sample: number | null;
  /** See `Job`. */
  isOrdered: boolean;
  usesDatabase: boolean;
};

const ENGINE = { floor: 0.85, sample: null, isOrdered: false, usesDatabase: false } as const;
const SERVICE = { floor: 0.75, sample: 60, isOrdered: true, usesDatabase: true } as const;

const BRANCHING =
  "lib/surveys/{answers,branching,paths,paths_graph,paths_problems,paths_types,ratings,settled}.ts";

/** Everything in a folder but its tests and what is data: schemas and contracts have their own tests. */
const code = (folder: string) => [
  `lib/${folder}/*.ts`,
  "!**/*.test.ts",
  "!**/testing.ts",
  "!**/*.testing.ts",
  "!**/oracle_graders.ts",
  "!**/schema.ts",
  "!**/*_schema.ts",
  "!**/contract.ts",
  "!**/*_contract.ts",
  ...(folder === "surveys" ? [`!${BRANCHING}`] : []),
];

export const TARGETS: readonly Target[] = [
  {
    ...ENGINE,
    name: "evaluation",
    // The unrolled rounds of SHA-1 are right for one text or wrong for all: they would only flatter the score.
    sources: [...code("evaluation"), "!**/sha1_rounds.ts"],
    // The quickest and most exact first.
    tests: [
      "lib/evaluation/hash.test.ts",
      "lib/evaluation/values.test.ts",
      "lib/evaluation/operators.test.ts",
      "lib/evaluation/regex.test.ts",
      "lib/evaluation/checks.test.ts",
      "lib/evaluation/*.test.ts",
    ],
  },
  {
    ...ENGINE,
    name: "statistics",
    sources: [...code("statistics"), "!**/simulate.ts"],
    tests: ["lib/oracle/oracle.test.ts", "lib/statistics/*.test.ts"],
  },
  {
    ...ENGINE,
    name: "branching",
    sources: [BRANCHING],
    tests: [
      "lib/surveys/engines.test.ts",
      "lib/oracle/oracle.test.ts",
      "lib/surveys/{paths,settled}.test.ts",
    ],
  },
  {
    ...ENGINE,
    name: "http",
    sources: ["lib/http/*.ts", "!**/*.test.ts", "!lib/http/contract.ts"],
    // Those without a database first.
    tests: [
      "lib/http/{formats,paging,validation,packed,client,openapi,limits,scopes,storable}.test.ts",
      "lib/http/mount.test.ts",
      "lib/http/*.test.ts",
    ],
    usesDatabase: true,
  },
  ...[
    "accounts",
    "activity",
    "cohorts",
    "events",
    "experiment_results",
    "experiments",
    "feature_flags",
    "personal_api_keys",
    "persons",
    "sdk",
    "survey_results",
    "surveys",
  ].map((name) => ({ ...SERVICE, name, sources: code(name), tests: [`lib/${name}/*.test.ts`] })),
];

/** Paths that match patterns, each once, in the patterns' order. */
export function filesOf(patterns: readonly string[], root: string): string[] {
  const [wanted, unwanted] = [
    patterns.filter((p) => !p.startsWith("!")),
    patterns.filter((p) => p.startsWith("!")),
  ];
  const excluded = new Set(
    unwanted.flatMap((pattern) => globSync(pattern.slice(1), { cwd: root, exclude: ["node_modules/**"] })),
  );
  const found = wanted.flatMap((pattern) => globSync(pattern, { cwd: root }).sort());
  return [...new Set(found)].filter((path) => !excluded.has(path));
}
