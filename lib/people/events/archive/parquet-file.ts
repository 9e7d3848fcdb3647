import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { fileWriter, ParquetWriter } from "hyparquet-writer";
import { z } from "zod";
import type { FileRow } from "./store.ts";

type SchemaElement = ParquetWriter["schema"][number];
type Value = string | bigint | Buffer | null;

const uuid = {
  type: "FIXED_LEN_BYTE_ARRAY",
  type_length: 16,
  logical_type: { type: "UUID" },
} as const;
const text = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } } as const;
const json = { type: "BYTE_ARRAY", converted_type: "JSON", logical_type: { type: "JSON" } } as const;
const moment = {
  type: "INT64",
  logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
} as const;

/** What each column is, and what a row has in it. */
const COLUMNS = {
  uuid: { ...uuid, of: (row: FileRow) => row.uuid },
  event: { ...text, of: (row: FileRow) => row.event },
  distinct_id: { ...text, of: (row: FileRow) => row.distinct_id },
  person_id: { ...uuid, optional: true, of: (row: FileRow) => row.person_id },
  timestamp: { ...moment, of: (row: FileRow) => BigInt(row.timestamp_us) },
  created_at: {
    ...moment,
    optional: true,
    of: ({ created_at_us }: FileRow) => (created_at_us === null ? null : BigInt(created_at_us)),
  },
  properties: { ...json, of: (row: FileRow) => Buffer.from(row.properties) },
} as const;

const SCHEMA: SchemaElement[] = [
  { name: "events", num_children: Object.keys(COLUMNS).length },
  ...Object.entries(COLUMNS).map(
    ([name, { of: _, ...column }]): SchemaElement => ({
      name,
      ...column,
      repetition_type: "optional" in column ? "OPTIONAL" : "REQUIRED",
    }),
  ),
];

/** The library would format a column of JSON once more, and round its numbers: for it they are bytes until the end. */
const WHILE_WRITING = SCHEMA.map((column): SchemaElement => {
  const { converted_type: _, ...bytes } = column;
  return column.converted_type === "JSON" ? bytes : column;
});

const compressors = { ZSTD: (bytes: Uint8Array) => zstdCompressSync(bytes) };

const GROUP_ROWS = 100_000;
const GROUP_BYTES = 32 * 1024 * 1024;

/** A Parquet file that rows are added to; in memory is no more than one row group. */
export function createParquetFile(path: string) {
  const parquet = new ParquetWriter({
    writer: fileWriter(path),
    schema: WHILE_WRITING,
    codec: "ZSTD",
    compressors,
  });
  let group: FileRow[] = [];
  let bytes = 0;
  const flush = async () => {
    if (group.length === 0) return;
    const columnData = Object.entries(COLUMNS).map(([name, { of }]) => ({
      name,
      data: group.map((row): Value => of(row)),
    }));
    await parquet.write({ columnData, rowGroupSize: group.length });
    group = [];
    bytes = 0;
  };
  return {
    async add(row: FileRow): Promise<void> {
      group.push(row);
      bytes += row.properties.length;
      if (group.length >= GROUP_ROWS || bytes >= GROUP_BYTES) await flush();
    },
    async finish(): Promise<void> {
      await flush();
      parquet.schema = SCHEMA;
      await parquet.finish();
    },
  };
}

const optional = z
  .string()
  .nullish()
  .transform((value) => value ?? null);

const stored = z.object({
  uuid: z.string(),
  event: z.string(),
  distinct_id: z.string(),
  person_id: optional,
  timestamp: z.string(),
  created_at: optional,
  properties: z.string(),
});

const decompressors = { ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes) };

/** Values stay as they were written: no digit of a number, and no microsecond, is lost. */
const parsers = {
  timestampFromMicroseconds: String,
  jsonFromBytes: (bytes: Uint8Array) => Buffer.from(bytes).toString(),
};

/** The rows of a file in their order; in memory is no more than one row group. */
export async function* readParquetFile(path: string): AsyncGenerator<FileRow> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    const rows = await parquetReadObjects({
      ...{ file, metadata, rowStart, rowEnd, parsers },
      compressors: decompressors,
    });
    for (const row of rows) {
      const { timestamp, created_at, ...rest } = stored.parse(row);
      yield { ...rest, timestamp_us: timestamp, created_at_us: created_at };
    }
    rowStart = rowEnd;
  }
}
