/** Where the tables are: on one server, on replicas of it, or in shards of a cluster, each with replicas. */
export type Layout =
  | { kind: "single" }
  | { kind: "replicated" }
  | { kind: "sharded" /** As the servers' own settings name it. */; cluster: string };

type Table = {
  name: string;
  columns: readonly string[];
  /** Of rows with the same sorting key, the one with the highest version remains; or the last one written. */
  version?: string;
  partition?: string;
  order: string;
  /** What decides the shard; null: every shard has all rows. */
  shard: string | null;
};

const TABLES: readonly Table[] = [
  {
    name: "events",
    columns: [
      "project_id UInt32",
      "uuid UUID",
      "event LowCardinality(String)",
      "distinct_id String CODEC(ZSTD(1))",
      "person_id Int64 CODEC(ZSTD(1))",
      "timestamp DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1))",
      "properties String CODEC(ZSTD(3))",
      "flag String CODEC(ZSTD(1))",
      "INDEX by_distinct_id distinct_id TYPE bloom_filter(0.01) GRANULARITY 1",
    ],
    partition: "toYYYYMM(timestamp)",
    order: "(project_id, event, toDate(timestamp), cityHash64(distinct_id), uuid)",
    shard: "cityHash64(distinct_id)",
  },
  {
    name: "person_overrides",
    columns: ["project_id UInt32", "person_id Int64", "is_now Int64", "version UInt64"],
    version: "version",
    order: "(project_id, person_id)",
    shard: null,
  },
  {
    name: "history_copy",
    columns: ["id UUID", "generation UInt32"],
    order: "id",
    shard: null,
  },
];

/** Batches that come twice are recognized for so long: a server counts the parts of every month that they touch. */
const DEDUPLICATED = 10_000;

function createTable(table: Table, layout: Layout): string[] {
  const { name, columns, version = "", partition, order, shard } = table;
  const isSharded = layout.kind === "sharded";
  const on = isSharded ? ` ON CLUSTER ${layout.cluster}` : "";
  const local = isSharded && shard !== null ? `${name}_local` : name;
  // Tables that every shard has in full have one path for all of them.
  const path = `/clickhouse/tables/${isSharded && shard !== null ? "{shard}/" : ""}{database}/${name}`;
  const engine =
    layout.kind === "single"
      ? `ReplacingMergeTree(${version})`
      : `ReplicatedReplacingMergeTree('${path}', '${isSharded && shard === null ? "{shard}-" : ""}{replica}'${version && `, ${version}`})`;
  const window =
    layout.kind === "single" ? "non_replicated_deduplication_window" : "replicated_deduplication_window";
  const made = [
    `CREATE TABLE IF NOT EXISTS ${local}${on} (\n  ${columns.join(",\n  ")}\n)`,
    `ENGINE = ${engine}`,
    ...(partition ? [`PARTITION BY ${partition}`] : []),
    `ORDER BY ${order}`,
    `SETTINGS ${window} = ${DEDUPLICATED}`,
  ].join("\n");
  if (!isSharded || shard === null) return [made];
  return [
    made,
    `CREATE TABLE IF NOT EXISTS ${name}${on} AS ${local}\nENGINE = Distributed(${layout.cluster}, currentDatabase(), ${local}, ${shard})`,
  ];
}

/** The statements that make the tables of the event history, unless they are there. */
export const createTables = (layout: Layout): string[] =>
  TABLES.flatMap((table) => createTable(table, layout));
