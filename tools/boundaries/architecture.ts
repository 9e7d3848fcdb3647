import { COMPONENTS, componentsFor, forbiddenTo, MODULES } from "./modules.ts";

const BEGIN = "<!-- modules: generated from tools/boundaries/modules.ts -->";
const END = "<!-- end of modules -->";

/** The modules and their folders as tables. */
export function architectureTables(): string {
  const modules = MODULES.map(({ name, purpose }, i) => {
    const forbidden = new Set(forbiddenTo(name));
    const allowed = MODULES.slice(0, i).filter((module) => !forbidden.has(module.name));
    const list = allowed.map((module) => module.name).join(", ") || "nothing";
    return `| \`lib/${name}\` | ${purpose} | ${list} |`;
  });
  const folders = MODULES.flatMap(({ name, folders }) =>
    Object.entries(folders).map(([folder, purpose]) => `| \`lib/${name}/${folder}\` | ${purpose} |`),
  );
  const tables = MODULES.filter(({ tables }) => tables.length > 0).map(
    ({ name, tables }) => `| \`lib/${name}\` | ${tables.map((table) => `\`${table}\``).join(", ")} |`,
  );
  const components = COMPONENTS.map(
    ({ name, purpose }) =>
      `| \`components/${name}\` | ${purpose} | ${componentsFor(name).join(", ") || "nothing"} |`,
  );
  return [
    "| module | what it is for | may import |",
    "| ------ | -------------- | ---------- |",
    ...modules,
    "",
    "| folder | what it is for |",
    "| ------ | -------------- |",
    ...folders,
    "",
    "| module | tables that it alone writes |",
    "| ------ | --------------------------- |",
    ...tables,
    "",
    "| folder of pages' parts | what it is for | may import |",
    "| ---------------------- | -------------- | ---------- |",
    ...components,
  ].join("\n");
}

/** A document with the tables between its two marks. */
export function withTables(document: string, tables: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/architecture.md lacks its marks: ${BEGIN} and ${END}.`);
  return `${document.slice(0, begin + BEGIN.length)}\n\n${tables}\n\n${document.slice(end)}`;
}
