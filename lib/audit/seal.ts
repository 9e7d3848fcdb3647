import { type Db, inTransaction, type Tx } from "#lib/platform/db/connect.ts";
import { createSalt, detailsHash, GENESIS, leafOf, linkOf } from "./chain.ts";
import { type Checkpoint, type Keys, signCheckpoint, signLines } from "./keys.ts";
import {
  countNewRows,
  type EntryRow,
  insertCheckpoint,
  insertEntries,
  insertNote,
  lockSealing,
  type NewRow,
  OWN_SCOPE,
  type Place,
  type Source,
  selectHash,
  selectHorizon,
  selectLastCheckpoint,
  selectNewRows,
  tryLock,
} from "./store.ts";

/** Entries sealed in one transaction. */
const BATCH = 2_000;

const SOURCES: readonly Source[] = ["activity_log", "audit_notes"];

const byPlace = (a: NewRow, b: NewRow) =>
  Number(BigInt(a.xid) - BigInt(b.xid)) ||
  a.created_at.localeCompare(b.created_at) ||
  a.source_id.localeCompare(b.source_id);

/** How far a catch-up has come in each table. */
type Progress = Partial<Record<Source, Place>>;

/** The next rows that are to be sealed, of both tables, in the order of their transactions. */
async function readNext(tx: Tx, since: string, progress: Progress): Promise<NewRow[]> {
  const found: NewRow[] = [];
  for (const source of SOURCES) {
    const after = progress[source] ?? null;
    found.push(...(await selectNewRows(tx, source, { since, after, limit: BATCH })));
  }
  const next = found.sort(byPlace).slice(0, BATCH);
  for (const row of next) progress[row.source as Source] = row;
  return next;
}

/** The first entry of a chain: what was there before is taken in as it is found. */
async function begin(tx: Tx, { public_key }: Keys[0]): Promise<NewRow[]> {
  const detail = { public_key, entries_before: await countNewRows(tx) };
  const of = { project_id: null, user_id: null, scope: OWN_SCOPE, item_id: public_key };
  const id = await insertNote(tx, { ...of, activity: "started", detail });
  return selectNewRows(tx, "audit_notes", { since: "0", after: null, limit: 1, id });
}

/** Another key signs from here on; the one before says so, if it is still there. */
async function changeKey(tx: Tx, last: Checkpoint, keys: Keys): Promise<void> {
  const [{ public_key }] = keys;
  const old = keys.find((key) => key.public_key === last.public_key);
  await insertNote(tx, {
    project_id: null,
    user_id: null,
    scope: OWN_SCOPE,
    item_id: public_key,
    activity: "key_changed",
    detail: {
      from: last.public_key,
      to: public_key,
      handover: old ? signLines(old, "handover", [last.chain, public_key]) : null,
    },
  });
}

function chainOf(rows: readonly NewRow[], last: { position: number; hash: string }): EntryRow[] {
  let { position, hash } = last;
  return rows.map(({ detail, xid: _, ...row }) => {
    position += 1;
    const salt = createSalt();
    const head = { ...row, position, details: detailsHash(salt, detail) };
    const previous = hash;
    hash = linkOf(previous, leafOf(head));
    return { ...head, salt, previous, hash };
  });
}

/**
 * Seals what has been committed since, a batch at most, and signs where the chain ends.
 *
 * @param progress of a catch-up of several batches
 * @returns the new checkpoint, and whether there may be more; null: there was nothing
 */
async function sealBatch(tx: Tx, keys: Keys, progress: Progress) {
  const found = await selectLastCheckpoint(tx);
  const last = found?.checkpoint ?? null;
  if (last && last.public_key !== keys[0].public_key) await changeKey(tx, last, keys);
  // First the horizon, then the rows: what commits in between is read again the next time, and not missed.
  const { xmin, now } = await selectHorizon(tx);
  const since = found?.seen ?? "0";
  const rows = last ? await readNext(tx, since, progress) : await begin(tx, keys[0]);
  const position = last?.position ?? 0;
  const previous = (position > 0 && (await selectHash(tx, position))) || GENESIS;
  const entries = chainOf(rows, { position, hash: previous });
  const [first, end] = [entries[0], entries.at(-1)];
  if (!first || !end) return null;
  await insertEntries(tx, entries);
  const isLast = last !== null && rows.length < BATCH;
  const signed_at = new Date(Math.max(now.getTime(), last ? Date.parse(last.signed_at) + 1 : 0));
  const checkpoint = signCheckpoint(keys, {
    chain: last?.chain ?? first.hash,
    position: end.position,
    previous: position,
    hash: end.hash,
    signed_at: signed_at.toISOString(),
  });
  const { chain: _, ...stored } = checkpoint;
  await insertCheckpoint(tx, { ...stored, seen: isLast ? xmin : since });
  return { checkpoint, isLast };
}

/**
 * Seals everything that has been committed, unless another process is doing it.
 *
 * @param signal gives up between two batches
 * @returns the last checkpoint that was made
 */
export async function seal(db: Db, keys: Keys, signal?: AbortSignal): Promise<Checkpoint | null> {
  let progress: Progress = {};
  let last: Checkpoint | null = null;
  while (!signal?.aborted) {
    const made = await inTransaction(db, async (tx) => {
      if (!(await tryLock(tx, "sealing"))) return null;
      const own = { ...progress };
      const batch = await sealBatch(tx, keys, own);
      return batch && { ...batch, progress: own };
    });
    if (!made) break;
    ({ checkpoint: last, progress } = made);
    if (made.isLast) break;
  }
  return last;
}

/** Seals everything that this transaction sees, and keeps others from sealing until it ends. */
export async function sealWithin(tx: Tx, keys: Keys): Promise<void> {
  await lockSealing(tx);
  const progress: Progress = {};
  while ((await sealBatch(tx, keys, progress))?.isLast === false);
}
