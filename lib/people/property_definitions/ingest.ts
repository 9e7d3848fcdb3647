import type { Db } from "#lib/platform/db/connect.ts";
import {
  insertValues,
  STORED_VALUES,
  updateDistinctCounts,
  updateValues,
  upsertNames,
} from "./ingest-store.ts";
import { type NameTally, type PropertyDelta, tally, type ValueTally } from "./tally.ts";

type Key = Pick<NameTally, "project_id" | "type" | "group_type_index" | "name">;

const nameKey = (t: Key) => `${t.project_id}\u0000${t.type}\u0000${t.group_type_index}\u0000${t.name}`;
const valueKey = (t: Key & { value: string }) => `${nameKey(t)}\u0000${t.value}`;

/** Values to add, within the room that their properties have; more used ones first. */
function admit(candidates: ValueTally[], counts: Map<string, number>): ValueTally[] {
  const admitted: ValueTally[] = [];
  for (const value of candidates.sort((a, b) => b.by - a.by)) {
    const key = nameKey(value);
    const count = counts.get(key) ?? 0;
    if (count < STORED_VALUES) admitted.push(value);
    // Once over the limit, always over it: a value let in later would have a past that was not counted.
    counts.set(key, Math.min(count + 1, STORED_VALUES + 1));
  }
  return admitted;
}

/** Brings the counts of properties and values in line with changed persons and groups. Part of their transaction. */
export async function ingestProperties(tx: Db, deltas: Iterable<PropertyDelta>, at: Date): Promise<void> {
  const { names, values } = tally(deltas);
  if (names.length === 0) return;
  const definitions = await upsertNames(tx, names, at);
  const before = new Map(definitions.map((d) => [nameKey(d), d.distinct_values]));
  const counts = new Map(before);
  const updated = await updateValues(tx, values);
  for (const { is_gone, ...value } of updated) {
    const key = nameKey(value);
    const count = counts.get(key) ?? 0;
    if (is_gone && count <= STORED_VALUES) counts.set(key, count - 1);
  }
  const found = new Set(updated.map(valueKey));
  await insertValues(
    tx,
    admit(
      values.filter((value) => value.by > 0 && !found.has(valueKey(value))),
      counts,
    ),
  );
  const changed = definitions.filter((d) => counts.get(nameKey(d)) !== before.get(nameKey(d)));
  await updateDistinctCounts(
    tx,
    changed.map((d) => ({ ...d, distinct_values: counts.get(nameKey(d)) ?? 0 })),
  );
}
