import { Column } from "./column.ts";

/**
 * Which texts of answers to a question: `whole`, the answer as one text in lower case; `parts`, each text of
 * it in lower case; `exact`, each text of it as written, spaces at its ends apart, of a choice only where one
 * is a free text. Lower case is the database's, so that what is found here is what its ILIKE finds.
 */
export type TextKind = {
  form: "whole" | "parts" | "exact";
  index: number;
  id: string | null;
  type: "choice" | "multiple" | "open";
};

export const textKey = ({ form, index, id }: TextKind): string => `${form} ${index} ${id}`;

/** Separates texts: a byte that UTF-8 never has. */
const EDGE = 0xff;
const CHUNK_BYTES = 4 * 1024 * 1024;

type Chunk = { bytes: Buffer; used: number; first: number; entries: number };

const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Texts by row, concatenated in a few large buffers that are searched as a whole. */
export class TextColumn {
  readonly kind: TextKind;
  readonly #chunks: Chunk[] = [];
  /** By entry: its start in the chunk, and its row. */
  readonly #start = new Column();
  readonly #row = new Column();
  /** By row: its entry, plus one. */
  readonly #entry = new Column();
  #entries = 0;

  constructor(kind: TextKind) {
    this.kind = kind;
  }

  get bytes(): number {
    const chunks = this.#chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0);
    return chunks + this.#start.bytes + this.#row.bytes + this.#entry.bytes;
  }

  /** Removes the texts of a row. */
  clear(row: number): void {
    this.#entry.set(row, 0);
  }

  /** Writes the texts of a row; at least one. */
  put(row: number, texts: readonly Uint8Array[]): void {
    const size = texts.reduce((sum, text) => sum + text.length + 1, 1);
    const chunk = this.#roomFor(size);
    this.#start.set(this.#entries, chunk.used);
    this.#row.set(this.#entries, row);
    this.#entries += 1;
    this.#entry.set(row, this.#entries);
    chunk.entries += 1;
    chunk.bytes[chunk.used++] = EDGE;
    for (const text of texts) {
      chunk.bytes.set(text, chunk.used);
      chunk.used += text.length;
      chunk.bytes[chunk.used++] = EDGE;
    }
  }

  #roomFor(size: number): Chunk {
    const last = this.#chunks.at(-1);
    if (last && last.used + size <= last.bytes.length) return last;
    const bytes = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, size));
    const chunk = { bytes, used: 0, first: this.#entries, entries: 0 };
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Marks the rows with a text that contains, or equals, `text`. */
  async mark(marks: Uint8Array, text: string, whole: boolean): Promise<void> {
    const inner = Buffer.from(text);
    const needle = whole ? Buffer.concat([Buffer.of(EDGE), inner, Buffer.of(EDGE)]) : inner;
    for (const chunk of this.#chunks) {
      this.#markIn(chunk, marks, needle);
      await pause();
    }
  }

  #markIn({ bytes, used, first, entries }: Chunk, marks: Uint8Array, needle: Buffer): void {
    const searched = bytes.subarray(0, used);
    const end = first + entries;
    const startOf = (entry: number) => (entry < end ? this.#start.at(entry) : used);
    let entry = first;
    for (let at = searched.indexOf(needle, 0); at >= 0 && entry < end; ) {
      entry = this.#entryAt(at, entry, end);
      const row = this.#row.at(entry);
      if (this.#entry.at(row) === entry + 1) marks[row] = 1;
      // The rest of this entry need not be searched.
      entry += 1;
      at = entry < end ? searched.indexOf(needle, startOf(entry)) : -1;
    }
  }

  /** The entry at a place, searched from `from`. */
  #entryAt(at: number, from: number, end: number): number {
    let [low, step] = [from, 1];
    while (low + step < end && this.#start.at(low + step) <= at) {
      low += step;
      step *= 2;
    }
    for (; step >= 1; step = step >> 1) if (low + step < end && this.#start.at(low + step) <= at) low += step;
    return low;
  }
}

/** A uuid as four words. */
export function wordsOfUuid(uuid: string): Uint32Array {
  const hex = uuid.replaceAll("-", "");
  return Uint32Array.from({ length: 4 }, (_, i) => Number.parseInt(hex.slice(i * 8, i * 8 + 8), 16));
}
