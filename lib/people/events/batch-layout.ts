const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Where one event is in the JSON of a request, and how many values it holds; see `holdsMoreValuesThan`. */
type Place = { start: number; end: number; values: number };

const BATCH = Buffer.from('"batch"');
/** Each of its letters may be written as an escape of six characters. */
const LONGEST_BATCH = 6 * "batch".length + 2;

/**
 * Finds the events in the JSON of a request without parsing it, so that they can be parsed a few at a time: the
 * elements of the outer list, or those of `batch` in the outer object. It only follows brackets and quotes. Whether
 * the text is JSON shows when the events and what is around them are parsed.
 */
export class BatchLayout {
  /** Places of the events, `mostEvents` at most. */
  readonly events: Place[] = [];
  /** How many events there are. */
  count = 0;
  /** Values in the whole text. */
  values = 1;
  /** The list of events from its opening bracket to behind its closing one; null where there is none. */
  list: { start: number; end: number } | null = null;
  readonly #bytes: Uint8Array;
  readonly #mostEvents: number;
  #at: number;
  #depth = 0;
  #isInString = false;
  /** Depth inside the list of events while the scan is in it, else 0. */
  #listDepth = 0;
  #eventStart = 0;
  #valuesBefore = 0;
  /** Depth-1 names: where the one being read began, and whether the last one was "batch". */
  #nameStart = -1;
  #expectsName = false;
  #isBatch = false;
  #hasWrongBracket = false;

  /** @param start where the JSON begins in `bytes` */
  constructor(bytes: Uint8Array, start: number, mostEvents: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#mostEvents = mostEvents;
  }

  /** Whether the list of events, read to the end, is not closed by its own bracket. */
  get isTorn(): boolean {
    return this.#hasWrongBracket || this.#listDepth > 0;
  }

  /** Reads on for about so many bytes. @returns whether more is left */
  scan(length: number): boolean {
    const bytes = this.#bytes;
    const until = Math.min(bytes.length, this.#at + length);
    while (this.#at < until) {
      if (this.#isInString) {
        this.#skipString(until);
        continue;
      }
      const byte = bytes[this.#at];
      if (byte === QUOTE) this.#openString();
      else if (byte === COMMA) this.#separate();
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#open(byte);
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#close(byte);
      this.#at += 1;
    }
    return this.#at < bytes.length;
  }

  #skipString(until: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    while (at < until && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    this.#at = at;
    if (at >= until) return;
    this.#isInString = false;
    if (this.#nameStart >= 0) this.#isBatch = this.#nameIsBatch(this.#nameStart, at + 1);
    this.#nameStart = -1;
    this.#at = at + 1;
  }

  #openString(): void {
    this.#isInString = true;
    if (!this.#expectsName) return;
    this.#expectsName = false;
    this.#nameStart = this.#at;
  }

  #nameIsBatch(start: number, end: number): boolean {
    const name = this.#bytes.subarray(start, end);
    if (name.length <= BATCH.length) return BATCH.equals(name);
    if (name.length > LONGEST_BATCH || !name.includes(BACKSLASH)) return false;
    try {
      return JSON.parse(Buffer.from(name).toString("latin1")) === "batch";
    } catch {
      return false;
    }
  }

  #open(byte: number): void {
    this.values += 1;
    this.#depth += 1;
    const isOuterList = this.#depth === 1 && byte === OPEN_LIST && this.list === null;
    if (isOuterList || (this.#depth === 2 && byte === OPEN_LIST && this.#isBatch)) this.#openList();
    else if (this.#depth === 1) this.#expectsName = true;
  }

  #openList(): void {
    // Of a name given twice the last one counts, as in JSON.parse.
    this.events.length = 0;
    this.count = 0;
    this.list = { start: this.#at, end: this.#bytes.length };
    this.#listDepth = this.#depth;
    this.#startEvent();
  }

  #startEvent(): void {
    this.#eventStart = this.#at + 1;
    this.#valuesBefore = this.values;
  }

  #endEvent(): void {
    this.count += 1;
    if (this.events.length >= this.#mostEvents) return;
    const values = this.values - this.#valuesBefore + 1;
    this.events.push({ start: this.#eventStart, end: this.#at, values });
  }

  #separate(): void {
    if (this.#listDepth > 0 && this.#depth === this.#listDepth) {
      this.#endEvent();
      this.values += 1;
      this.#startEvent();
      return;
    }
    this.values += 1;
    if (this.#depth !== 1) return;
    this.#expectsName = true;
    this.#isBatch = false;
  }

  #close(byte: number): void {
    if (this.list && this.#listDepth > 0 && this.#depth === this.#listDepth) {
      this.#hasWrongBracket ||= byte !== CLOSE_LIST;
      if (this.count > 0 || !this.#isBlank(this.#eventStart, this.#at)) this.#endEvent();
      this.list.end = this.#at + 1;
      this.#listDepth = 0;
      this.#isBatch = false;
    }
    this.#depth -= 1;
  }

  #isBlank(start: number, end: number): boolean {
    for (let at = start; at < end; at += 1) if ((this.#bytes[at] ?? 0) > 0x20) return false;
    return true;
  }
}
