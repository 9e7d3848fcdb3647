import { describe, expect, it } from "vitest";
import { type DraftStorage, draftsOf, dropDraft, dropOldDrafts, keepDraft } from "./drafts.ts";

/** A browser's storage that holds so many characters. */
function storageOf(capacity = Number.POSITIVE_INFINITY): DraftStorage & { keys: () => string[] } {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem(key, value) {
      if (key.length + value.length > capacity) throw new DOMException("full", "QuotaExceededError");
      items.set(key, value);
    },
    removeItem: (key) => void items.delete(key),
    key: (place) => [...items.keys()][place] ?? null,
    get length() {
      return items.size;
    },
    keys: () => [...items.keys()],
  };
}

const NOW = Date.parse("2026-03-01T12:00:00Z");
const DAY = 86_400_000;
const ada = { owner: "own ada@example.com", record: "flag 1" };
const draft = (id: string, value: unknown, saved_at = NOW) => ({ id, value, saved_at });

describe("a draft", () => {
  it("is kept as it was typed, once for each editor, the latest first", () => {
    const storage = storageOf();
    keepDraft(storage, ada, draft("tab-1", { name: "Mu" }, NOW - 3));
    keepDraft(storage, ada, draft("tab-2", { name: "Other" }, NOW - 2));
    keepDraft(storage, ada, draft("tab-1", { name: "Multi", tags: [null] }, NOW - 1));
    expect(draftsOf(storage, ada, NOW)).toEqual([
      draft("tab-1", { name: "Multi", tags: [null] }, NOW - 1),
      draft("tab-2", { name: "Other" }, NOW - 2),
    ]);
  });

  it("belongs to one person and one record", () => {
    const storage = storageOf();
    keepDraft(storage, ada, draft("tab", "mine"));
    expect(draftsOf(storage, { ...ada, owner: "own grace@example.com" }, NOW)).toEqual([]);
    expect(draftsOf(storage, { ...ada, owner: "https://eu.example ada@example.com" }, NOW)).toEqual([]);
    expect(draftsOf(storage, { ...ada, record: "flag 11" }, NOW)).toEqual([]);
  });

  it("is gone once it was dropped, and leaves nothing behind", () => {
    const storage = storageOf();
    keepDraft(storage, ada, draft("tab-1", 1));
    keepDraft(storage, ada, draft("tab-2", 2));
    dropDraft(storage, ada, "tab-1");
    expect(draftsOf(storage, ada, NOW)).toEqual([draft("tab-2", 2)]);
    dropDraft(storage, ada, "tab-2");
    expect(storage.keys()).toEqual([]);
  });

  it("of another month is neither offered nor kept, also one that nobody asks for", () => {
    const storage = storageOf();
    storage.setItem("theme", "dark");
    keepDraft(storage, ada, draft("old", 1, NOW - 30 * DAY));
    keepDraft(storage, { ...ada, record: "flag 2" }, draft("new", 2, NOW - 29 * DAY));
    expect(draftsOf(storage, ada, NOW)).toEqual([]);
    dropOldDrafts(storage, NOW);
    expect(storage.keys()).toHaveLength(2);
    expect(draftsOf(storage, { ...ada, record: "flag 2" }, NOW)).toHaveLength(1);
  });

  it("does not pile up: a record has the last five", () => {
    const storage = storageOf();
    for (let tab = 0; tab < 9; tab++) keepDraft(storage, ada, draft(`tab-${tab}`, tab, NOW + tab));
    expect(draftsOf(storage, ada, NOW + 9).map(({ value }) => value)).toEqual([8, 7, 6, 5, 4]);
  });

  it("that does not fit or cannot be read is no draft, and no error", () => {
    const small = storageOf(60);
    expect(keepDraft(small, ada, draft("tab", "x".repeat(100)))).toBe(false);
    expect(draftsOf(small, ada, NOW)).toEqual([]);
    const storage = storageOf();
    keepDraft(storage, ada, draft("tab", 1));
    for (const broken of ["{", "7", '{"id": 1}', '[null, 3, {"id": "a"}, {"id": "a", "saved_at": "x"}]']) {
      storage.setItem(storage.keys()[0] ?? "", broken);
      expect(draftsOf(storage, ada, NOW)).toEqual([]);
    }
  });
});
