import type { Db } from "#lib/platform/db/connect.ts";
import { inSnapshot, type Snapshot } from "#lib/platform/db/copy.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import { SurveyColumns } from "./columns.ts";
import {
  copyDays,
  copyResponses,
  selectChanges,
  selectExpected,
  selectVersion,
  type Version,
} from "./columns-store.ts";
import { TextColumn, type TextKind, wordsOfUuid } from "./text-column.ts";
import { copyTexts } from "./text-column-store.ts";

/** A survey's columns, and the last change they include. */
export type Held = {
  scope: SurveyScope;
  columns: SurveyColumns;
  /** Texts of answers by `textKey`, loaded when a condition first needs them. */
  texts: Map<string, TextColumn>;
  version: Version | null;
};

/** Loading needs more memory than allowed. */
export class TooLarge extends Error {}

/** Receives the progress of loading. */
export type Progress = (done: number, total: number) => void;

/** Estimated bytes per row; the actual size depends on the answers. */
const RESPONSE_BYTES = 48;
const DAY_BYTES = 16;
const REPORT_EVERY = 8_192;

/** Calls back every few thousand rows. */
function counter(total: number, check: () => void, progress: Progress): () => void {
  let done = 0;
  return () => {
    done += 1;
    if (done % REPORT_EVERY !== 0) return;
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

/** The maximum number of changes applied one by one; with more, everything is read again. */
const FOLLOWED_MAX = 50_000;

/**
 * Brings columns up to date with what changed since, all of one moment.
 *
 * @returns false if they have to be read again
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

/** Reads the texts of a question's answers as of the moment of the columns. @throws TooLarge */
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
