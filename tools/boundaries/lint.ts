import { COMPONENTS, componentsFor, forbiddenTo, MODULES } from "./modules.ts";

type Restriction = { group: string[]; message: string };

const override = (includes: string[], patterns: Restriction[]) => ({
  includes,
  linter: {
    rules: { style: { noRestrictedImports: { level: "error", options: { patterns } } } },
  },
});

const SCHEMAS = ["schema.ts", "*-schema.ts", "contract.ts", "*-contract.ts"];
const STORES = ["store.ts", "*-store.ts"];
const TESTS = ["!**/*.test.ts", "!**/*.fixture.ts"];

/** Files that are not stores and still talk to the database: reading in pages, the first project, the port. */
const WITH_SQL = [
  "lib/people/persons/scan.ts",
  "lib/identity/projects/bootstrap.ts",
  "lib/platform/http/directory.ts",
  "lib/app/api.ts",
  "lib/app/server/**",
  "lib/app/session/**",
];

const SQL: Restriction = {
  group: ["drizzle-orm", "drizzle-orm/**", "pg", "#lib/platform/db/tables/**"],
  message: "SQL belongs in stores.",
};

const PAGES: Restriction = {
  group: ["#components/**", "next", "next/**", "react", "react-dom"],
  message: "The service does not know its pages.",
};

const SERVICE: Restriction = {
  group: [
    "#lib/**/service.ts",
    "#lib/**/store.ts",
    "#lib/**/*-store.ts",
    "#lib/platform/db/**",
    "#lib/platform/config.ts",
    "#lib/app/runtime.ts",
    "#lib/app/api.ts",
    "#lib/app/session/api.ts",
    "#lib/app/session/session.ts",
    "drizzle-orm",
    "pg",
    "node:*",
  ],
  message: "Components know contracts, schemas and pure engines; data comes through the API.",
};

const LINKS: Restriction = {
  group: ["next/link"],
  message: "Use the link of components/ui/link.tsx: it does not prefetch what every link in view leads to.",
};

const otherComponents = (name: string): Restriction => ({
  group: ["#components/**", ...[name, ...componentsFor(name)].map((folder) => `!#components/${folder}/**`)],
  message: `components/${name} imports only shared folders before it: move what several need to one of them. See tools/boundaries/modules.ts.`,
});

const above = (name: string): Restriction[] => {
  const forbidden = forbiddenTo(name);
  const tools: Restriction = {
    group: ["#tools/**", "#testing/**"],
    message: "The product does not import tools or test helpers.",
  };
  if (forbidden.length === 0) return [tools];
  return [
    {
      group: forbidden.map((module) => `#lib/${module}/**`),
      message: `lib/${name} imports only modules below it: pass the dependency in from lib/app. See tools/boundaries/modules.ts.`,
    },
    tools,
  ];
};

/** A schema or contract imports zod, engines, and other schemas of modules that its own may import. */
function schemaRules(name: string): Restriction[] {
  const forbidden = new Set(forbiddenTo(name));
  const allowed = MODULES.filter((module) => !forbidden.has(module.name)).flatMap((module) =>
    module.name === "engines"
      ? ["!#lib/engines/**"]
      : SCHEMAS.map((file) => `!#lib/${module.name}/**/${file}`),
  );
  const http = ["contract", "instant", "paging", "params"].map((file) => `!#lib/platform/http/${file}.ts`);
  const message =
    "A schema or contract imports zod, engines and other schemas: it is used in the browser too.";
  return [
    { group: ["**", "!zod", "!./**", ...http, ...allowed], message },
    { group: ["./service.ts", "./store.ts", "./*-store.ts"], message },
  ];
}

const inModule = (name: string, files: string[]) => files.map((file) => `lib/${name}/**/${file}`);

/** The lint rules that keep modules apart, in the form of the linter's `overrides`. Later ones replace earlier ones. */
export function lintOverrides() {
  const modules = MODULES.filter(({ name }) => name !== "engines").flatMap(({ name }) => [
    override(
      [`lib/${name}/**/*.ts`, ...TESTS, "!lib/platform/db/**"],
      [...above(name), ...(name === "app" ? [] : [PAGES]), SQL],
    ),
    override(
      [...inModule(name, STORES), ...WITH_SQL.filter((path) => path.startsWith(`lib/${name}/`)), ...TESTS],
      [...above(name), ...(name === "app" ? [] : [PAGES])],
    ),
    override(inModule(name, SCHEMAS), schemaRules(name)),
  ]);
  return [
    {
      includes: ["app/**", "*.mjs", "*.config.ts", "**/*.config.ts"],
      linter: { rules: { style: { noDefaultExport: "off" } } },
    },
    override(["lib/platform/db/**/*.ts", ...TESTS], above("platform")),
    ...modules,
    override(
      ["lib/engines/**/*.ts", ...TESTS],
      [
        {
          group: ["**", "!./**", "!#lib/engines/**", "!#re2", "!re2js", "!@stdlib/*"],
          message:
            "An engine is pure: it imports engines, the linear-time regular expressions and the special functions.",
        },
      ],
    ),
    override(
      ["lib/experiments/metric_kinds/*.ts", ...TESTS],
      [
        {
          group: ["**", "!./**", "!#lib/engines/**", "!zod"],
          message: "A kind imports zod and engines: it is used in the browser too.",
        },
      ],
    ),
    ...COMPONENTS.map(({ name }) =>
      override([`components/${name}/**`], [SERVICE, LINKS, otherComponents(name)]),
    ),
    override(
      ["app/**"],
      [
        {
          group: [
            "#lib/**/service.ts",
            "#lib/**/store.ts",
            "#lib/**/*-store.ts",
            "#lib/platform/db/**",
            "#lib/app/runtime.ts",
            "#lib/app/api.ts",
            "drizzle-orm",
            "pg",
          ],
          message: "Pages have no private way to the data: they call the API through lib/app/session.",
        },
        LINKS,
      ],
    ),
  ];
}
