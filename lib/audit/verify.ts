import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type Db, inTransaction } from "#lib/platform/db/connect.ts";
import { detailsHash, GENESIS, leafOf, linkOf } from "./chain.ts";
import { checkpointSchema } from "./checkpoint-schema.ts";
import { type Checkpoint, isSigned, isSignedCheckpoint, type Keys } from "./keys.ts";
import {
  type EntryRow,
  type SourceRow,
  selectChain,
  selectCheckpoints,
  selectEntries,
  selectOutside,
  selectSealedNotes,
} from "./store.ts";

/** Something that is not as it was sealed, and where. */
export type Problem = {
  kind: "entry" | "record" | "checkpoint" | "copy" | "outside";
  /** Of the entry or checkpoint; null where there is none. */
  position: number | null;
  message: string;
};

export type Verification = {
  entries: number;
  checkpoints: number;
  /** Rows that are still to be sealed. */
  unsealed: number;
  problems: Problem[];
  /** More problems than are listed. */
  more: number;
  /** What differs from copies of checkpoints because a backup was restored. */
  notices: string[];
};

/** Checkpoints that are stored elsewhere. */
export type Copies = { name: string; checkpoints: Checkpoint[]; problems: string[] };

const PAGE = 1_000;
const PROBLEMS_MAX = 100;
const OUTSIDE_MAX = 1_000;

const erasure = z.object({
  position: z.number(),
  details: z.string(),
  public_key: z.string(),
  signature: z.string(),
});
const restoration = z.object({
  replaced: z.object({ chain: z.string(), position: z.number(), hash: z.string() }).nullable(),
  public_key: z.string(),
  signature: z.string(),
});
const keyChange = z.object({ from: z.string(), to: z.string() });

type Erased = Map<number, string>;
type Restoration = { position: number; at: number; replaced: number };

/** What the log says of itself: who signed before, what was erased, and when a backup was restored. */
async function readOwnNotes(tx: Db, chain: string, own: readonly string[]) {
  const trusted = new Set(own);
  const erased: Erased = new Map();
  const restorations: Restoration[] = [];
  const notes = await selectSealedNotes(tx, ["key_changed", "details_erased", "restored"]);
  // A key says who signed before it: from the newest one backwards.
  for (const { activity, detail } of notes.toReversed()) {
    const change = activity === "key_changed" && keyChange.safeParse(detail).data;
    if (change && trusted.has(change.to)) trusted.add(change.from);
  }
  for (const { activity, detail, position, created_at } of notes) {
    const gone = activity === "details_erased" ? erasure.safeParse(detail).data : undefined;
    const lines = gone && [chain, gone.position, gone.details];
    if (
      gone &&
      lines &&
      trusted.has(gone.public_key) &&
      isSigned(gone.public_key, gone.signature, "erasure", lines)
    )
      erased.set(gone.position, gone.details);
    const back = activity === "restored" ? restoration.safeParse(detail).data : undefined;
    if (back?.replaced && trusted.has(back.public_key)) {
      const { replaced, public_key, signature } = back;
      if (isSigned(public_key, signature, "restoration", [replaced.chain, replaced.position, replaced.hash]))
        restorations.push({ position, at: created_at.getTime(), replaced: replaced.position });
    }
  }
  return { trusted, erased, restorations };
}

const FIELDS = ["project_id", "user_id", "scope", "item_id", "activity", "created_at"] as const;

/** What of a row differs from what its entry sealed. */
function findRecordProblem(entry: EntryRow, row: SourceRow | null, erased: Erased): string | null {
  const where = `${entry.source} ${entry.source_id}`;
  if (!row) return `the row it sealed (${where}) was removed`;
  const differing = FIELDS.filter((field) => entry[field] !== row[field]);
  if (differing.length > 0) return `${differing.join(", ")} of ${where} was edited`;
  const details = erased.get(entry.position) ?? entry.details;
  return detailsHash(entry.salt, row.detail) === details ? null : `the details of ${where} were edited`;
}

/** Follows the chain, entry by entry. */
class Chain {
  readonly problems: Problem[] = [];
  /** By position, what the hash may be: as stored, as computed, and as the next entry has it. They differ where it is edited. */
  readonly #hashes = new Map<number, Set<string>>();
  readonly #wanted: ReadonlySet<number>;
  #last = { position: 0, hash: GENESIS, isSound: true };

  /** @param wanted positions whose hashes are asked for later */
  constructor(wanted: ReadonlySet<number>) {
    this.#wanted = wanted;
  }

  get length(): number {
    return this.#last.position;
  }

  has(position: number, hash: string): boolean {
    return this.#hashes.get(position)?.has(hash) === true;
  }

  add(entry: EntryRow): void {
    const { position, hash, previous } = entry;
    const expected = this.#last.position + 1;
    if (position < 1) {
      this.#report(position, `An entry was inserted at ${position}, before the first one.`);
      return;
    }
    const isNext = position === expected;
    if (!isNext) {
      const to = position - 1;
      const which = to === expected ? `Entry ${to} is` : `Entries ${expected} to ${to} are`;
      this.#report(expected, `${which} missing.`);
    }
    const computed = linkOf(previous, leafOf(entry));
    const isSound = computed === hash;
    if (!isSound)
      this.#report(
        position,
        `Entry ${position} is not what was sealed: it was edited, inserted or moved here.`,
      );
    else if (isNext && this.#last.isSound && previous !== this.#last.hash)
      this.#report(
        Math.max(1, position - 1),
        position === 1
          ? "Entry 1 follows something that is not there."
          : `Entry ${position - 1} is not the one that entry ${position} follows: it was replaced.`,
      );
    if (isSound && isNext) this.#keep(position - 1, previous);
    this.#keep(position, hash, computed);
    this.#last = { position, hash, isSound };
  }

  #keep(position: number, ...hashes: string[]): void {
    if (!this.#wanted.has(position)) return;
    this.#hashes.set(position, new Set([...(this.#hashes.get(position) ?? []), ...hashes]));
  }

  #report(position: number, message: string): void {
    this.problems.push({ kind: "entry", position, message });
  }
}

/** Compares the checkpoints that the database has with the chain. */
function checkCheckpoints(
  checkpoints: readonly Checkpoint[],
  chain: Chain,
  trusted: ReadonlySet<string>,
): Problem[] {
  const problems: Problem[] = [];
  let previous = 0;
  for (const checkpoint of checkpoints) {
    const { position } = checkpoint;
    const problem = findCheckpointProblem(checkpoint, previous, chain, trusted);
    if (problem)
      problems.push({ kind: "checkpoint", position, message: `The checkpoint at ${position} ${problem}.` });
    previous = position;
  }
  if (previous < chain.length)
    problems.push({
      kind: "checkpoint",
      position: chain.length,
      message: `No checkpoint signs what follows entry ${previous}.`,
    });
  return problems;
}

function findCheckpointProblem(
  checkpoint: Checkpoint,
  previous: number,
  chain: Chain,
  trusted: ReadonlySet<string>,
): string | null {
  if (!isSignedCheckpoint(checkpoint)) return "was edited: its signature is wrong";
  if (!trusted.has(checkpoint.public_key)) return "was signed with a key that is not known here";
  if (checkpoint.previous !== previous) return `follows one at ${checkpoint.previous}, which is missing`;
  if (checkpoint.position > chain.length) return "signs entries that are missing";
  if (!chain.has(checkpoint.position, checkpoint.hash)) return "signs another history";
  return null;
}

/** Compares checkpoints that are stored elsewhere with the chain. */
function checkCopies(
  { name, checkpoints, problems }: Copies,
  chain: Chain,
  own: string,
  trusted: ReadonlySet<string>,
  restorations: readonly Restoration[],
): { problems: Problem[]; notices: string[] } {
  const found: Problem[] = problems.map((message) => ({ kind: "copy", position: null, message }));
  const replaced = new Map<number, number>();
  for (const checkpoint of checkpoints) {
    if (checkpoint.chain !== own) continue;
    const { position } = checkpoint;
    const at = `${name} has a checkpoint at ${position} of ${checkpoint.signed_at}`;
    const report = (message: string) => found.push({ kind: "copy", position, message });
    if (!isSignedCheckpoint(checkpoint)) report(`${at} whose signature is wrong.`);
    else if (!trusted.has(checkpoint.public_key)) report(`${at} signed with a key that is not known here.`);
    else if (!chain.has(position, checkpoint.hash)) {
      const back = restorations.find(
        (each) => position <= each.replaced && each.at >= Date.parse(checkpoint.signed_at),
      );
      if (back) replaced.set(back.position, Math.max(replaced.get(back.position) ?? 0, position));
      else if (position > chain.length)
        report(`${at}, and the log ends at ${chain.length}: entries were removed from its end.`);
      else report(`${at}, and the log has another history there.`);
    }
  }
  return {
    problems: found,
    notices: [...replaced].map(
      ([position, to]) =>
        `${name} knows entries up to ${to} that are no longer here: a backup was restored (entry ${position}).`,
    ),
  };
}

/** Reads a file of checkpoints, line by line. */
export async function readCheckpointFile(path: string): Promise<Copies> {
  const name = `The file ${path}`;
  const text = await readFile(path, "utf8");
  const copies: Copies = { name, checkpoints: [], problems: [] };
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const [i, line] of lines.entries()) {
    const parsed = parseCheckpoint(line);
    if (parsed) copies.checkpoints.push(parsed);
    else copies.problems.push(`${name} has something other than a checkpoint in line ${i + 1}.`);
  }
  return copies;
}

/** @returns null where it is none */
export function parseCheckpoint(line: string): Checkpoint | null {
  try {
    return checkpointSchema.parse(JSON.parse(line));
  } catch {
    return null;
  }
}

/**
 * Compares everything that was sealed with what is stored, as of one moment.
 *
 * @param copies of checkpoints, which alone can show that entries were removed from the end
 */
export async function verifyAudit(
  db: Db,
  keys: Keys,
  { copies = [], signal }: { copies?: readonly Copies[]; signal?: AbortSignal | undefined } = {},
): Promise<Verification> {
  return inTransaction(db, (tx) => verifyWithin(tx, keys, copies, signal), {
    isolationLevel: "repeatable read",
    accessMode: "read only",
  });
}

async function verifyWithin(
  tx: Db,
  keys: Keys,
  copies: readonly Copies[],
  signal: AbortSignal | undefined,
): Promise<Verification> {
  const checkpoints = await selectCheckpoints(tx, { limit: Number.MAX_SAFE_INTEGER });
  const name = (await selectChain(tx)) ?? "";
  const own = keys.map(({ public_key }) => public_key);
  const { trusted, erased, restorations } = await readOwnNotes(tx, name, own);
  const stated = [...checkpoints, ...copies.flatMap((copy) => copy.checkpoints)];
  const chain = new Chain(new Set(stated.map(({ position }) => position)));
  const records: Problem[] = [];
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    signal?.throwIfAborted();
    const page = await selectEntries(tx, { after, limit: PAGE });
    for (const { row, ...entry } of page) {
      chain.add(entry);
      const problem = findRecordProblem(entry, row, erased);
      if (problem)
        records.push({
          kind: "record",
          position: entry.position,
          message: `Entry ${entry.position}: ${problem}.`,
        });
    }
    after = page.at(-1)?.position ?? after;
    if (page.length < PAGE) break;
  }
  const outside = await selectOutside(tx, OUTSIDE_MAX);
  const late = outside.filter(({ is_late }) => is_late);
  const compared = copies.map((copy) => checkCopies(copy, chain, name, trusted, restorations));
  const problems = [
    ...chain.problems,
    ...records,
    ...checkCheckpoints(checkpoints, chain, trusted),
    ...late.map(
      ({ source, id }): Problem => ({
        kind: "outside",
        position: null,
        message: `${source} ${id} is in no entry, although entries of later transactions are sealed.`,
      }),
    ),
    ...compared.flatMap((copy) => copy.problems),
  ];
  return {
    entries: chain.length,
    checkpoints: checkpoints.length,
    unsealed: outside.length - late.length,
    problems: problems.slice(0, PROBLEMS_MAX),
    more: Math.max(0, problems.length - PROBLEMS_MAX),
    notices: compared.flatMap((copy) => copy.notices),
  };
}
