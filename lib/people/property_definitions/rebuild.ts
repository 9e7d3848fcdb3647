import type { Db } from "#lib/platform/db/connect.ts";
import { ingestProperties } from "./ingest.ts";
import { STORED_VALUES } from "./ingest-store.ts";
import { deleteDefinitions, scanCarriers, selectAllDefinitions, selectAllValues } from "./rebuild-store.ts";
import { NAME_LIMIT, valueText } from "./tally.ts";

type Key = { project_id: number; type: string; group_type_index: number };

const nameKey = (of: Key, name: string) => [of.project_id, of.type, of.group_type_index, name].join("\u0000");

/**
 * How many properties and values have another count than persons and groups show. Values beyond those that are kept
 * are not counted, so that memory holds no more than the tables do.
 */
export async function countPropertyDifferences(db: Db): Promise<{ names: number; values: number }> {
  const definitions = await selectAllDefinitions(db);
  const names = new Map(definitions.map((row) => [nameKey(row, row.name), row.count]));
  const overflowing = new Set(
    definitions.filter((row) => row.distinct_values > STORED_VALUES).map((row) => nameKey(row, row.name)),
  );
  const values = new Map(
    (await selectAllValues(db)).map((row) => [`${nameKey(row, row.name)}\u0000${row.value}`, row.count]),
  );
  let missing = 0;
  const subtract = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) - 1);
  for await (const carriers of scanCarriers(db))
    for (const carrier of carriers)
      for (const [name, value] of Object.entries(carrier.properties)) {
        if (name.length > NAME_LIMIT) continue;
        const key = nameKey(carrier, name);
        subtract(names, key);
        const text = valueText(value);
        if (text === null) continue;
        const valueKey = `${key}\u0000${text}`;
        if (values.has(valueKey)) subtract(values, valueKey);
        else if (!overflowing.has(key)) missing += 1;
      }
  const wrong = (counts: Map<string, number>) => [...counts.values()].filter((rest) => rest !== 0).length;
  return { names: wrong(names), values: wrong(values) + missing };
}

/** Recounts properties and values. The caller keeps writers out. */
export async function rewriteProperties(tx: Db, now: Date): Promise<void> {
  await deleteDefinitions(tx);
  for await (const carriers of scanCarriers(tx))
    await ingestProperties(
      tx,
      carriers.map(({ properties, ...of }) => ({ ...of, before: {}, after: properties })),
      now,
    );
}
