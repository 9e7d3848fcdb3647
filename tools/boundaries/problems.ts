import { dirname } from "node:path/posix";
import { circlesIn, type Files, type Import, importsIn } from "./imports.ts";
import { COMPONENTS, componentsFor, forbiddenTo, MODULES } from "./modules.ts";
import { WORDS } from "./words.ts";

const FILES_MAX = 20;
const README_LINES_MAX = 20;

const isTest = (path: string) => /\.(test|spec|fixture)\.tsx?$/.test(path);
const moduleOf = (path: string) => /^lib\/([^/]+)\//.exec(path)?.[1] ?? null;

/** Imports of a module that a module may not import. Tests may: they use the whole service. */
function upward(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to }) => {
    const [module, other] = [moduleOf(from), moduleOf(to)];
    if (isTest(from) || module === null) return [];
    const isForbidden = other === null ? !to.startsWith("lib/") : forbiddenTo(module).includes(other);
    return isForbidden ? [`${from} imports ${to}: lib/${module} imports only modules below it.`] : [];
  });
}

const componentOf = (path: string) => /^components\/([^/]+)/.exec(path)?.[1] ?? null;

/** Imports between folders of components/ that the table does not allow, and values from pages. */
function foreignComponents(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to, typesOnly }) => {
    const [folder, other] = [componentOf(from), componentOf(to)];
    if (folder === null) return [];
    if (to.startsWith("app/") && !(typesOnly && to.endsWith("actions.ts")))
      return [`${from} imports ${to}: of pages, components know only the types of their actions.`];
    if (other === null || other === folder || componentsFor(folder).includes(other)) return [];
    return [`${from} imports ${to}: components/${folder} imports only shared folders before it.`];
  });
}

/** Folders side by side that need each other, at any depth of lib/ and components/. */
function folderCircles(imports: readonly Import[]): string[] {
  const graphs = new Map<string, Map<string, Set<string>>>();
  for (const { from, to } of imports) {
    if (isTest(from) || !/^(lib|components)\//.test(from)) continue;
    const [one, other] = [dirname(from).split("/"), dirname(to).split("/")];
    let depth = 0;
    while (depth < one.length && one[depth] === other[depth]) depth += 1;
    const [left, right] = [one[depth], other[depth]];
    if (depth === 0 || left === undefined || right === undefined) continue;
    const parent = one.slice(0, depth).join("/");
    const graph = graphs.get(parent) ?? new Map<string, Set<string>>();
    graphs.set(parent, graph.set(left, (graph.get(left) ?? new Set()).add(right)));
  }
  return [...graphs].flatMap(([parent, graph]) =>
    circlesIn(graph).map((circle) => `In ${parent}, folders import each other: ${circle.sort().join(", ")}.`),
  );
}

/** Tables by the names that code uses for them. */
function tablesIn(files: Files): Map<string, string> {
  const tables = new Map<string, string>();
  for (const [path, text] of files)
    if (path.startsWith("lib/platform/db/tables/"))
      for (const [, constant, table] of text.matchAll(/export const (\w+) = pgTable\(\s*"(\w+)"/g))
        if (constant && table) tables.set(constant, table);
  return tables;
}

const WRITES = /\b(?:insert into|update|delete from|truncate(?: table)?|copy)\s+"?(\w+)"?(?=\s|$)/gi;

/** Tables that a file writes, with the query builder or in SQL. */
function writtenIn(text: string, tables: ReadonlyMap<string, string>): Set<string> {
  const names = new Map(tables);
  for (const [, constant, alias] of text.matchAll(/\b(\w+) as (\w+)\b/g)) {
    const table = tables.get(constant ?? "");
    if (table && alias) names.set(alias, table);
  }
  const stored = new Set(tables.values());
  const built = [...text.matchAll(/\.(?:insert|update|delete)\((\w+)\)/g)].map(([, name = ""]) =>
    names.get(name),
  );
  const spelled = [...text.matchAll(WRITES)].map(([, name = ""]) => (stored.has(name) ? name : undefined));
  return new Set([...built, ...spelled].filter((table) => table !== undefined));
}

function foreignWrites(files: Files): string[] {
  const tables = tablesIn(files);
  const owners = new Map(MODULES.flatMap(({ name, tables }) => tables.map((table) => [table, name])));
  const unowned = [...tables.values()].filter((table) => !owners.has(table));
  const writes = [...files].flatMap(([path, text]) => {
    const module = moduleOf(path);
    if (module === null || isTest(path) || !path.endsWith(".ts") || path.startsWith("lib/platform/db/"))
      return [];
    return [...writtenIn(text, tables)].flatMap((table) => {
      const owner = owners.get(table);
      return owner === undefined || owner === module
        ? []
        : [`${path} writes the table ${table}, which lib/${owner} alone writes.`];
    });
  });
  return [
    ...unowned.map((table) => `The table ${table} has no module in tools/boundaries/modules.ts.`),
    ...writes,
  ];
}

/** Folders of the product with more than twenty files; tests and migrations do not count. */
function largeFolders(files: Files): string[] {
  const counts = new Map<string, number>();
  for (const path of files.keys())
    if (/^(lib|components)\/.*\.tsx?$/.test(path) && !isTest(path))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].flatMap(([folder, count]) =>
    count > FILES_MAX ? [`${folder} has ${count} files: at most ${FILES_MAX} are one subject.`] : [],
  );
}

/** Modules and folders that the table does not name, and modules without a short README. */
function undescribed(files: Files): string[] {
  const folders = new Set(
    [...files.keys()].flatMap((path) => /^(lib\/[^/]+\/[^/]+|components\/[^/]+)(?=\/)/.exec(path)?.[0] ?? []),
  );
  const known = new Set([
    ...MODULES.flatMap(({ name, folders }) => Object.keys(folders).map((folder) => `lib/${name}/${folder}`)),
    ...COMPONENTS.map(({ name }) => `components/${name}`),
  ]);
  const modules = new Set([...files.keys()].flatMap((path) => moduleOf(path) ?? []));
  return [
    ...[...modules]
      .filter((name) => !MODULES.some((module) => module.name === name))
      .map((name) => `lib/${name}`),
    ...[...folders].filter((folder) => !known.has(folder)),
  ]
    .map((path) => `${path} is missing in tools/boundaries/modules.ts.`)
    .concat(
      MODULES.flatMap(({ name }) => {
        const readme = files.get(`lib/${name}/README.md`);
        if (readme === undefined) return [`lib/${name} has no README.md.`];
        const lines = readme.trimEnd().split("\n").length;
        return lines > README_LINES_MAX
          ? [`lib/${name}/README.md has ${lines} lines: at most ${README_LINES_MAX}.`]
          : [];
      }),
    );
}

function oddWords(files: Files): string[] {
  return [...files].flatMap(([path, text]) => {
    if (path.startsWith("tools/boundaries/") || path.startsWith("lib/platform/db/migrations/")) return [];
    const found = WORDS.filter(({ word }) => word.test(text));
    if (found.length === 0) return [];
    return text
      .split("\n")
      .flatMap((line, i) =>
        found
          .filter(({ word }) => word.test(line))
          .map(({ word, better }) => `${path}:${i + 1}: "${word.exec(line)?.[0]}": write ${better}.`),
      );
  });
}

/** Everything that breaks the structure of the project, a sentence each. */
export function problemsIn(files: Files): string[] {
  const imports = importsIn(files);
  return [
    ...upward(imports),
    ...foreignComponents(imports),
    ...folderCircles(imports),
    ...foreignWrites(files),
    ...largeFolders(files),
    ...undescribed(files),
    ...oddWords(files),
  ];
}
