/** What the database has to look like whatever was sent. */
import { sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";

type Reference = { from: string; column: string; to: string; target: string };

/** References that no constraint of the database keeps: what follows events, and what a deleted record may leave. */
const LOGICAL: readonly Reference[] = [
  { from: "feature_flags", column: "usage_dashboard_id", to: "dashboards", target: "id" },
  { from: "surveys", column: "linked_flag_id", to: "feature_flags", target: "id" },
  { from: "surveys", column: "targeting_flag_id", to: "feature_flags", target: "id" },
  { from: "surveys", column: "internal_targeting_flag_id", to: "feature_flags", target: "id" },
  { from: "surveys", column: "internal_response_sampling_flag_id", to: "feature_flags", target: "id" },
  { from: "feature_flag_hash_key_overrides", column: "person_id", to: "persons", target: "id" },
  { from: "cohort_people", column: "person_id", to: "persons", target: "id" },
  { from: "survey_responses", column: "person_id", to: "persons", target: "id" },
  { from: "survey_person_days", column: "person_id", to: "persons", target: "id" },
];

/** The project of a row, where the table does not name it itself: that of the record it belongs to. */
const OWNERS: Readonly<Record<string, { column: string; table: string }>> = {
  cohort_people: { column: "cohort_id", table: "cohorts" },
  feature_flag_test_cases: { column: "flag_id", table: "feature_flags" },
  experiment_metric_links: { column: "experiment_id", table: "experiments" },
  experiment_phases: { column: "experiment_id", table: "experiments" },
};

/** References inside documents: the records that conditions name, and the table they are in. */
const IN_DOCUMENTS: readonly { table: string; column: string; path: string; to: string }[] = [
  ...["feature_flags.filters", "cohorts.filters"].map((place) => ({
    place,
    path: '$.**.properties[*] ? (@.type == "cohort" && @.key == "id").value',
    to: "cohorts",
  })),
  {
    place: "feature_flags.filters",
    path: '$.**.properties[*] ? (@.type == "flag").key',
    to: "feature_flags",
  },
].map(({ place, ...rest }) => {
  const [table = "", column = ""] = place.split(".");
  return { table, column, ...rest };
});

/** Tables of a project, with how its rows are found. */
async function projectTables(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(
    sql.raw(`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where a.attname = 'project_id' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace = 'public'::regnamespace order by 1`),
  );
  return rows.map(({ name }) => name);
}

async function foreignKeys(db: Db): Promise<Reference[]> {
  const { rows } = await db.execute<Reference>(
    sql.raw(`select c.conrelid::regclass::text as from, a.attname as column, c.confrelid::regclass::text as to, b.attname as target
      from pg_constraint c
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      join pg_attribute b on b.attrelid = c.confrelid and b.attnum = c.confkey[1]
      where c.contype = 'f' and array_length(c.conkey, 1) = 1`),
  );
  return rows;
}

/** Rows that name a record of another project, or one that is not there. */
export async function findStrayRows(db: Db): Promise<string[]> {
  const withProject = new Set(await projectTables(db));
  const projectOf = (table: string, alias: string) => {
    if (withProject.has(table)) return `${alias}.project_id`;
    const owner = OWNERS[table];
    return owner && `(select o.project_id from ${owner.table} o where o.id = ${alias}.${owner.column})`;
  };
  const found: string[] = [];
  for (const { from, column, to, target } of [...(await foreignKeys(db)), ...LOGICAL]) {
    const [here, there] = [projectOf(from, "a"), projectOf(to, "b")];
    if (!here || !there) continue;
    const { rows } = await db.execute<{ count: number }>(
      sql.raw(`select count(*)::int as count from ${from} a left join ${to} b on b.${target} = a.${column}
        where a.${column} is not null and (b.${target} is null or ${here} <> ${there})`),
    );
    if (rows[0]?.count)
      found.push(`${rows[0].count} rows of ${from}: ${column} names no row of ${to} in their project`);
  }
  for (const { table, column, path, to } of IN_DOCUMENTS) {
    const { rows } = await db.execute<{ id: number; named: string }>(
      sql.raw(`select a.id, n.named #>> '{}' as named
        from ${table} a, jsonb_path_query(a.${column}::jsonb, '${path}') as n(named)
        where not a.deleted
          and not exists (select 1 from ${to} b where b.id::text = n.named #>> '{}' and b.project_id = a.project_id)`),
    );
    for (const { id, named } of rows.slice(0, 3))
      found.push(`${table} ${id}: its ${column} name ${to} ${named}`);
  }
  return found;
}

/** Kept by the process itself, whether or not anybody calls. */
const KEPT =
  /^(jobs|inbox_announcements|personal_api_keys|schema_migrations|dashboard_sessions|experiment_(states|units|progress|unit_days|series|totals|days|looks))$/;

/** What the tables hold, as a digest for each; of one project, or of all. */
export async function contents(db: Db, project?: number): Promise<Map<string, string>> {
  const tables = project === undefined ? await allTables(db) : await projectTables(db);
  const where = project === undefined ? "" : `where project_id = ${project}`;
  const parts = tables
    .filter((name) => !KEPT.test(name))
    .map(
      (name) =>
        `select '${name}' as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as held from ${name} t ${where}`,
    );
  const { rows } = await db.execute<{ name: string; held: string }>(sql.raw(parts.join(" union all ")));
  return new Map(rows.map(({ name, held }) => [name, held]));
}

async function allTables(db: Db): Promise<string[]> {
  const { rows } = await db.execute<{ name: string }>(
    sql.raw(`select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
      and relnamespace = 'public'::regnamespace order by 1`),
  );
  return rows.map(({ name }) => name);
}

/** The tables whose contents are not the same. */
export const differing = (before: Map<string, string>, after: Map<string, string>): string[] =>
  [...after].filter(([name, held]) => before.get(name) !== held).map(([name]) => name);
