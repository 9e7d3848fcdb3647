import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableColumns } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { FLAG_FIELDS } from "#lib/flags/feature_flags/schema.ts";
import { feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { type Field, namesWith } from "#lib/platform/http/fields-schema.ts";

type Resource = {
  /** Where its fields are declared. */
  file: string;
  fields: Readonly<Record<string, Field>>;
  /** The columns of its table. */
  columns: readonly string[];
  /** Columns that are no fields of it: whose it is, and what its record shows under another name. */
  bookkeeping: readonly string[];
  /** What requests set without a column or an entry of its own. */
  unstored?: readonly string[];
  /** Fields that are worded by code of their own. */
  worded?: readonly string[];
  /** The sources of its form. */
  form?: readonly string[];
};

/** The components in a folder. */
const componentsIn = (folder: string): string[] => {
  const cwd = join(import.meta.dirname, "../../components", folder);
  return globSync("**/*.tsx", { cwd }).map((path) => readFileSync(join(cwd, path), "utf8"));
};

/** Whether a component registers or controls a field of the form. */
const isControlled = (name: string, form: readonly string[]) =>
  form.some((text) => new RegExp(`(name=|name: |register\\()"${name}"`).test(text));

const FLAGS: Resource = {
  file: "lib/flags/feature_flags/schema.ts",
  fields: FLAG_FIELDS,
  columns: Object.keys(getTableColumns(feature_flags)),
  bookkeeping: ["project_id", "created_by_id", "last_modified_by_id", "usage_dashboard_id"],
  worded: ["filters"],
  form: componentsIn("feature_flags"),
};

/** Fields of which a part is missing, a sentence each. */
function problemsIn(resource: Resource): string[] {
  const { file, fields, columns, bookkeeping, unstored = [], worded = [], form = [] } = resource;
  const names = (part: keyof Field) => namesWith(fields, part);
  const places = names("logged").map((name) => fields[name]?.logged);
  const twice = names("logged").filter((name, i) => places.indexOf(fields[name]?.logged) !== i);
  return [
    ...columns
      .filter((column) => !(column in fields || bookkeeping.includes(column)))
      .map((column) => `${file}: the column ${column} is no field.`),
    ...bookkeeping
      .filter((column) => column in fields || !columns.includes(column))
      .map((column) => `${file}: ${column} is a field or no column, not bookkeeping.`),
    ...[...names("write"), ...names("initial")]
      .filter((name) => !columns.includes(name) && !unstored.includes(name))
      .map((name) => `${file}: ${name} has no column.`),
    ...names("write")
      .filter((name) => fields[name]?.logged === undefined && !unstored.includes(name))
      .map((name) => `${file}: changes of ${name} are not logged.`),
    ...[...new Set([...names("restorable"), ...names("editable")])]
      .filter((name) => !fields[name]?.words && !worded.includes(name))
      .map((name) => `${file}: ${name} has no words for its differences.`),
    ...names("editable")
      .filter((name) => !isControlled(name, form))
      .map((name) => `${file}: no component edits ${name}.`),
    ...twice.map((name) => `${file}: ${name} has the place of another field in the log.`),
  ];
}

const without = (resource: Resource, name: string, ...parts: (keyof Field)[]): Resource => {
  const field = Object.entries(resource.fields[name] ?? {});
  const rest = field.filter(([part]) => !parts.some((each) => each === part));
  return { ...resource, fields: { ...resource.fields, [name]: Object.fromEntries(rest) } };
};

describe("the fields of a resource", () => {
  it.each([["flags", FLAGS]])("are complete: %s", (_, resource) => {
    expect(problemsIn(resource)).toEqual([]);
  });

  it.each<[string, Resource, string]>([
    [
      "a column without a field",
      { ...FLAGS, columns: [...FLAGS.columns, "owner"] },
      "the column owner is no field.",
    ],
    [
      "a field without a column",
      { ...FLAGS, columns: FLAGS.columns.filter((column) => column !== "tags") },
      "tags has no column.",
    ],
    ["changes that are not logged", without(FLAGS, "tags", "logged"), "changes of tags are not logged."],
    [
      "a restorable field without words",
      without(FLAGS, "evaluation_tags", "words"),
      "evaluation_tags has no words for its differences.",
    ],
    [
      "an edited field without a control",
      { ...FLAGS, form: FLAGS.form?.filter((text) => !text.includes('name: "evaluation_runtime"')) },
      "no component edits evaluation_runtime.",
    ],
    [
      "two fields in one place of the log",
      { ...FLAGS, fields: { ...FLAG_FIELDS, owner: { logged: 9 } } },
      "owner has the place of another field in the log.",
    ],
    [
      "bookkeeping that is a field",
      { ...FLAGS, bookkeeping: [...FLAGS.bookkeeping, "tags"] },
      "tags is a field or no column, not bookkeeping.",
    ],
  ])("are not complete with %s", (_, resource, problem) => {
    expect(problemsIn(resource)).toContain(`${FLAGS.file}: ${problem}`);
  });
});
