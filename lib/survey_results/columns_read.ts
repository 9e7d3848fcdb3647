import type { Db } from "#lib/db/connect.ts";
import { inSnapshot, type Snapshot } from "#lib/db/copy.ts";
import { SurveyColumns } from "./columns.ts";
import {
  copyDays,
  copyResponses,
  selectChanges,
  selectExpected,
  selectVersion,
  type Version,
} from "./columns_store.ts";
import type { SurveyScope } from "./ingest_store.ts";
import { TextColumn, type TextKind, wordsOfUuid } from "./text_column.ts";
import { copyTexts } from "./text_column_store.ts";

/** A survey's columns with the last change that they take in. */
export type Held = {
  scope: SurveyScope;
  columns: SurveyColumns;
  /** Texts of answers, by `textKey`: read when a condition first asks for them. */
  texts: Map<string, TextColumn>;
  version: Version | null;
};

/** A reading needs more memory than there may be. */
export class TooLarge extends Error {}

/** Told how much of a reading is done. */
export type Progress = (done: number, total: number) => void;

/** Bytes of a row that an estimate counts with; the real ones depend on the answers. */
const RESPONSE_BYTES = 48;
const DAY_BYTES = 16;
const TOLD_EVERY = 8_192;

/** Calls back every few thousand rows. */
function counter(total: number, check: () => void, progress: Progress): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (done % TOLD_EVERY !== 0) return;
    check();
    progress(Math.min(done, total), total);
  };
}

/**
 * Reads a survey's responses and its people's days, all of one moment.
 *
 * @throws TooLarge where that takes more than `bytes` of memory
 */
export async function readColumns(
  db: Db,
  scope: SurveyScope,
  bytes: number,
  progress: Progress,
): Promise<Held> {
  return inSnapshot(db, async (snapshot) => {
    const version = await selectVersion(snapshot.db, scope);
    const columns = new SurveyColumns();
    const held: Held = { scope, columns, texts: new Map(), version };
    const { responses, days } = await selectExpected(snapshot.db, scope);
    if (responses * RESPONSE_BYTES + (days * DAY_BYTES) / 4 > bytes) throw new TooLarge();
    const check = () => {
      if (columns.bytes > bytes) throw new TooLarge();
    };
    const tick = counter(responses + days, check, progress);
    await copyResponses({ snapshot, scope, columns }, null, tick);
    await copyDays({ snapshot, scope, columns }, null, tick);
    check();
    return held;
  });
}

const nothing = () => undefined;

/** Named changes that are followed; with more of them everything is read anew. */
const FOLLOWED_MAX = 50_000;

/**
 * Brings columns up to date with what changed since, all of one moment.
 *
 * @returns false where they have to be read anew
 */
export async function catchUp(db: Db, held: Held): Promise<boolean> {
  const { scope, version, columns } = held;
  if (!version) return false;
  return inSnapshot(db, async (snapshot) => {
    const changes = await selectChanges(snapshot.db, scope, version);
    if (!changes || changes.people.length + changes.responses.length > FOLLOWED_MAX) return false;
    const { people, responses } = changes;
    if (responses.length > 0) {
      for (const uuid of responses) columns.responses.remove(wordsOfUuid(uuid));
      await copyResponses({ snapshot, scope, columns }, responses, nothing);
      for (const column of held.texts.values())
        await copyTexts({ snapshot, scope, columns: columns.responses, texts: column }, responses, nothing);
    }
    if (people.length > 0) {
      for (const id of people) columns.days.clear(personPlace(columns, id));
      await copyDays({ snapshot, scope, columns }, people, nothing);
    }
    held.version = changes.version;
    return true;
  });
}

const personPlace = (columns: SurveyColumns, id: number) =>
  columns.personOf(Math.floor(id / 2 ** 32), id % 2 ** 32);

/** Reads the texts of a question's answers, of the moment that the columns are of. @throws TooLarge */
export async function readTexts(
  snapshot: Snapshot,
  held: Held,
  kind: TextKind,
  bytes: number,
  progress: Progress,
): Promise<TextColumn> {
  const texts = new TextColumn(kind);
  const total = held.columns.responses.length;
  const check = () => {
    if (texts.bytes > bytes) throw new TooLarge();
  };
  const reading = { snapshot, scope: held.scope, columns: held.columns.responses, texts };
  await copyTexts(reading, null, counter(total, check, progress));
  return texts;
}
