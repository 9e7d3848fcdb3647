import { globSync } from "node:fs";

/** A part of the code whose tests must detect changes. */
export type Target = {
  name: string;
  /** Patterns of the files to change, from the project's root; `!` leaves some out. */
  sources: readonly string[];
  /** Patterns of the test files that must detect changes, in order. */
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

/** Everything in a folder but its tests and what is data: schemas and contracts have their own tests. */
const code = (folder: string) => [
  `lib/${folder}/**/*.ts`,
  "!**/*.test.ts",
  "!**/schema.ts",
  "!**/*-schema.ts",
  "!**/contract.ts",
  "!**/*-contract.ts",
];

export const TARGETS: readonly Target[] = [
  {
    ...ENGINE,
    name: "engines/evaluation",
    // The unrolled rounds of SHA-1 are right for one text or wrong for all: they would only flatter the score.
    sources: [...code("engines/evaluation"), "!**/sha1-rounds.ts"],
    // The quickest and most exact first.
    tests: [
      "lib/engines/evaluation/hash/hash.test.ts",
      "lib/engines/evaluation/values/*.test.ts",
      "lib/engines/evaluation/**/*.test.ts",
    ],
  },
  {
    ...ENGINE,
    name: "engines/statistics",
    sources: code("engines/statistics"),
    // Simulations last: they run thousands of experiments for each mutant.
    tests: [
      "tools/oracle/oracle.test.ts",
      "lib/engines/statistics/*.test.ts",
      "lib/engines/statistics/planning/{plan-formulas,running-time}.test.ts",
      "lib/engines/statistics/**/*.test.ts",
    ],
  },
  {
    ...ENGINE,
    name: "engines/branching",
    sources: code("engines/branching"),
    tests: [
      "lib/engines/branching/engines.test.ts",
      "tools/oracle/oracle.test.ts",
      "lib/engines/branching/*.test.ts",
    ],
  },
  {
    ...ENGINE,
    name: "platform/http",
    sources: code("platform/http"),
    // Those without a database first.
    tests: [
      "lib/platform/http/{formats,paging,validation,client,openapi,limits,scopes,errors,auth,stored-schema,cors}.test.ts",
      "lib/platform/http/body/{packed,storable,body,body-memory,slices,json-values}.test.ts",
      "lib/platform/http/mount.test.ts",
      "lib/platform/http/**/*.test.ts",
    ],
    usesDatabase: true,
  },
  ...[
    "identity/accounts",
    "identity/personal_api_keys",
    "activity",
    "people/cohorts",
    "people/events",
    "people/persons",
    "flags/feature_flags",
    "flags/sdk",
    "experiments/experiments",
    "experiments/results",
  ].map((name) => ({ ...SERVICE, name, sources: code(name), tests: [`lib/${name}/**/*.test.ts`] })),
  {
    ...SERVICE,
    name: "surveys/surveys",
    sources: code("surveys/surveys"),
    // Those without a database first.
    tests: [
      "lib/surveys/surveys/{record,recurrence,rules,state}.test.ts",
      "lib/surveys/surveys/questions/{choice-records,choices,questions-schema}.test.ts",
      "lib/surveys/surveys/**/*.test.ts",
    ],
  },
  {
    ...SERVICE,
    name: "surveys/results",
    sources: code("surveys/results"),
    // Those without a database first, then those with a few events; random ones last.
    tests: [
      "lib/surveys/results/ingest/{answer-codes,durations,facts,response-history}.test.ts",
      "lib/surveys/results/count/{filter,score,statistics,tables}.test.ts",
      "lib/surveys/results/count/columns/{column,columns-count,columns-match,text-column}.test.ts",
      "lib/surveys/results/read/{association,cells,crosstab,page}.test.ts",
      "lib/surveys/results/summaries/{model,sentences,statement-texts,themes}.test.ts",
      "lib/surveys/results/count/columns/columns-cache.test.ts",
      "lib/surveys/results/read/{counting,export,responses}.test.ts",
      "lib/surveys/results/ingest/across-surveys.test.ts",
      "lib/surveys/results/**/*.test.ts",
    ],
  },
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
