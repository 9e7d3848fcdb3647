/** What somebody typed and has not saved. */
export type Draft = {
  /** The editor that it was typed in: two tabs do not overwrite each other's. */
  id: string;
  /** Milliseconds since the epoch. */
  saved_at: number;
  value: unknown;
};

/** Whose draft it is, and of which record. */
export type DraftPlace = { owner: string; record: string };

/** The part of `localStorage` that drafts need. */
export type DraftStorage = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const PREFIX = "switchyard:draft:";
const KEPT_MS = 30 * 86_400_000;
const KEPT_OF_A_RECORD = 5;

const keyOf = ({ owner, record }: DraftPlace) => PREFIX + JSON.stringify([owner, record]);

function isDraft(value: unknown): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const { id, saved_at } = value as Partial<Draft>;
  return typeof id === "string" && typeof saved_at === "number" && "value" in value;
}

function read(storage: DraftStorage, key: string): Draft[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(key) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isDraft) : [];
  } catch {
    return [];
  }
}

function write(storage: DraftStorage, key: string, drafts: readonly Draft[]): boolean {
  try {
    if (drafts.length === 0) storage.removeItem(key);
    else storage.setItem(key, JSON.stringify(drafts));
    return true;
  } catch {
    // The browser stores nothing, or no more.
    return false;
  }
}

/** The drafts of a record that its owner left, the latest first. */
export const draftsOf = (storage: DraftStorage, place: DraftPlace, now: number): Draft[] =>
  read(storage, keyOf(place))
    .filter(({ saved_at }) => now - saved_at < KEPT_MS)
    .sort((a, b) => b.saved_at - a.saved_at);

/**
 * Keeps a draft in the place of the same editor's last one.
 *
 * @returns false where the browser could not store it
 */
export function keepDraft(storage: DraftStorage, place: DraftPlace, draft: Draft): boolean {
  const others = draftsOf(storage, place, draft.saved_at).filter(({ id }) => id !== draft.id);
  return write(storage, keyOf(place), [draft, ...others].slice(0, KEPT_OF_A_RECORD));
}

export function dropDraft(storage: DraftStorage, place: DraftPlace, id: string): void {
  const drafts = read(storage, keyOf(place));
  const others = drafts.filter((draft) => draft.id !== id);
  if (others.length < drafts.length) write(storage, keyOf(place), others);
}

/** Removes what nobody has come back for. */
export function dropOldDrafts(storage: DraftStorage, now: number): void {
  const keys = Array.from({ length: storage.length }, (_, place) => storage.key(place));
  for (const key of keys) {
    if (!key?.startsWith(PREFIX)) continue;
    const drafts = read(storage, key);
    const fresh = drafts.filter(({ saved_at }) => now - saved_at < KEPT_MS);
    if (fresh.length < drafts.length || fresh.length === 0) write(storage, key, fresh);
  }
}
