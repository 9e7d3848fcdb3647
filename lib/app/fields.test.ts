import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getTableColumns } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { apiQuery, flagList } from "#components/feature_flags/list/list-query.ts";
import { EXPERIMENT_FIELDS } from "#lib/experiments/experiments/schema.ts";
import { FLAG_FIELDS, flagListQuery } from "#lib/flags/feature_flags/schema.ts";
import { COHORT_FIELDS } from "#lib/people/cohorts/schema.ts";
import { experiments } from "#lib/platform/db/tables/experiments.ts";
import { cohorts, feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { surveys } from "#lib/platform/db/tables/surveys.ts";
import { type Field, namesWith } from "#lib/platform/fields-schema.ts";
import { SURVEY_FIELDS } from "#lib/surveys/surveys/schema.ts";

type Resource = {
  /** Where its fields are declared. */
  file: string;
  fields: Readonly<Record<string, Field>>;
  table: PgTable;
  /** Columns that are no fields of it: whose it is, and what its record shows under another name. */
  bookkeeping: readonly string[];
  /** What requests set that has no column. */
  unstored?: readonly string[];
  /** What requests set without an entry in the log. */
  unlogged?: readonly string[];
  /** JSON that is checked by code of its own. */
  checked?: readonly string[];
  /** Fields that are worded by code of their own. */
  worded?: readonly string[];
  /** The sources of its components. */
  components?: readonly string[];
  /** Filters of its API, what its list in the dashboard sends, and the parameters of that list. */
  list?: { filters: readonly string[]; sent: readonly string[]; params: readonly string[] };
};

/** The components in a folder. */
const componentsIn = (folder: string): string[] => {
  const cwd = join(import.meta.dirname, "../../components", folder);
  return globSync("**/*.tsx", { cwd }).map((path) => readFileSync(join(cwd, path), "utf8"));
};

/** How components register or control a field of a form, and how they change a parameter of a list. */
const control = (name: string) => new RegExp(`(name=|name: |register\\()"${name}"`);
const filter = (name: string) => new RegExp(`go\\(\\{ ${name}\\b`);

const FLAGS: Resource = {
  file: "lib/flags/feature_flags/schema.ts",
  fields: FLAG_FIELDS,
  table: feature_flags,
  // Pins are written by endpoints of their own alone.
  bookkeeping: ["project_id", "created_by_id", "last_modified_by_id", "usage_dashboard_id", "pins"],
  // Filters are read by readFlag, and compared by listFiltersDifferences.
  checked: ["filters", "rollback_conditions"],
  worded: ["filters"],
  components: componentsIn("feature_flags"),
  list: {
    // Keys to exclude are for scripts, and the flags that use a cohort are listed on its page.
    filters: Object.keys(flagListQuery.omit({ excluded_properties: true, cohort_id: true }).shape),
    sent: Object.keys(apiQuery(flagList.read({}))),
    params: Object.keys(flagList.params).filter((name) => name !== "offset"),
  },
};

const EXPERIMENTS: Resource = {
  file: "lib/experiments/experiments/schema.ts",
  fields: EXPERIMENT_FIELDS,
  table: experiments,
  bookkeeping: [
    "project_id",
    "feature_flag_id",
    "exposure_cohort_id",
    "variants",
    "concluded_by_id",
    "last_modified_by_id",
    "created_by_id",
  ],
  unstored: ["feature_flag_key", "saved_metrics_ids"],
  unlogged: ["feature_flag_key", "saved_metrics_ids", "type", "version"],
  checked: ["launch_plan"],
};

const SURVEYS: Resource = {
  file: "lib/surveys/surveys/schema.ts",
  fields: SURVEY_FIELDS,
  table: surveys,
  bookkeeping: [
    "project_id",
    "internal_targeting_flag_id",
    "internal_response_sampling_flag_id",
    "choice_history",
    "created_by_id",
    "updated_at",
  ],
  unstored: ["targeting_flag_filters", "remove_targeting_flag"],
  unlogged: ["remove_targeting_flag", "version"],
};

const COHORTS: Resource = {
  file: "lib/people/cohorts/schema.ts",
  fields: COHORT_FIELDS,
  table: cohorts,
  bookkeeping: ["project_id", "created_by_id"],
  unlogged: ["is_static"],
};

/** Fields of which a part is missing, a sentence each. */
function problemsIn(resource: Resource, table = getTableColumns(resource.table)): string[] {
  const { file, fields, bookkeeping, unstored = [], unlogged = [], checked = [], worded = [] } = resource;
  const { components = [], list = { filters: [], sent: [], params: [] } } = resource;
  const columns = Object.keys(table);
  const isMissing = (pattern: RegExp) => !components.some((text) => pattern.test(text));
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
      .filter((name) => fields[name]?.logged === undefined && !unlogged.includes(name))
      .map((name) => `${file}: changes of ${name} are not logged.`),
    ...columns
      .filter((column) => table[column]?.dataType === "json" && column in fields)
      .filter((column) => !fields[column]?.json && !checked.includes(column))
      .map((column) => `${file}: ${column} is JSON and is not checked when it is read.`),
    ...[...new Set([...names("restorable"), ...names("editable")])]
      .filter((name) => !fields[name]?.words && !worded.includes(name))
      .map((name) => `${file}: ${name} has no words for its differences.`),
    ...names("editable")
      .filter((name) => isMissing(control(name)))
      .map((name) => `${file}: no component edits ${name}.`),
    ...list.filters
      .filter((name) => !list.sent.includes(name))
      .map((name) => `${file}: the list does not send the filter ${name}.`),
    ...list.params
      .filter((name) => isMissing(filter(name)))
      .map((name) => `${file}: no component changes the list's ${name}.`),
    ...twice.map((name) => `${file}: ${name} has the place of another field in the log.`),
  ];
}

const without = (resource: Resource, name: string, ...parts: (keyof Field)[]): Resource => {
  const field = Object.entries(resource.fields[name] ?? {});
  const rest = field.filter(([part]) => !parts.some((each) => each === part));
  return { ...resource, fields: { ...resource.fields, [name]: Object.fromEntries(rest) } };
};

describe("the fields of a resource", () => {
  it.each([
    ["flags", FLAGS],
    ["experiments", EXPERIMENTS],
    ["surveys", SURVEYS],
    ["cohorts", COHORTS],
  ])("are complete: %s", (_, resource) => {
    expect(problemsIn(resource)).toEqual([]);
  });

  it("are not complete without a field for each column", () => {
    const { tags, ...others } = getTableColumns(feature_flags);
    expect(problemsIn(FLAGS, { ...others, tags, owner: tags })).toEqual([
      `${FLAGS.file}: the column owner is no field.`,
    ]);
    expect(problemsIn(FLAGS, others)).toContain(`${FLAGS.file}: tags has no column.`);
  });

  it.each<[string, Resource, string]>([
    [
      "JSON that is not checked",
      without(SURVEYS, "conditions", "json"),
      "conditions is JSON and is not checked when it is read.",
    ],
    ["changes that are not logged", without(FLAGS, "tags", "logged"), "changes of tags are not logged."],
    [
      "a restorable field without words",
      without(FLAGS, "evaluation_tags", "words"),
      "evaluation_tags has no words for its differences.",
    ],
    [
      "an edited field without a control",
      { ...FLAGS, components: FLAGS.components?.filter((text) => !control("evaluation_runtime").test(text)) },
      "no component edits evaluation_runtime.",
    ],
    [
      "a filter that the list does not send",
      { ...FLAGS, list: { filters: ["owner"], sent: ["tags"], params: [] } },
      "the list does not send the filter owner.",
    ],
    [
      "a filter without a control",
      { ...FLAGS, list: { filters: [], sent: [], params: ["runtime", "owner"] } },
      "no component changes the list's owner.",
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
    expect(problemsIn(resource)).toContain(`${resource.file}: ${problem}`);
  });
});
