type Numbers =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

const FIRST_ROWS = 64;

/** The array type that the largest number needs. */
function kindFor(value: number) {
  if (value >= 0 && value <= 0xffff) return value <= 0xff ? Uint8Array : Uint16Array;
  return Math.abs(value) <= 0x7fff_ffff ? Int32Array : Float64Array;
}

/** Integers, one per row, in as few bytes as possible. Rows never set are 0. */
export class Column {
  #data: Numbers = new Uint8Array(FIRST_ROWS);

  /** For reading many rows; valid until the next `set`. */
  get data(): Numbers {
    return this.#data;
  }

  get bytes(): number {
    return this.#data.byteLength;
  }

  at(row: number): number {
    return this.#data[row] ?? 0;
  }

  set(row: number, value: number): void {
    const least = kindFor(value);
    const fits = this.#data.BYTES_PER_ELEMENT >= least.BYTES_PER_ELEMENT;
    if (!fits || row >= this.#data.length) {
      const length = row < this.#data.length ? this.#data.length : Math.ceil((row + 1) * 1.5);
      const Kind = fits ? kindOf(this.#data) : least;
      const wider = new Kind(length);
      wider.set(this.#data);
      this.#data = wider;
    }
    this.#data[row] = value;
  }
}

function kindOf(data: Numbers) {
  if (data instanceof Uint8Array) return Uint8Array;
  if (data instanceof Uint16Array) return Uint16Array;
  return data instanceof Int32Array ? Int32Array : Float64Array;
}

/** Numbers keys (of a few 32-bit words) in order of arrival. */
export class Keys {
  readonly #width: number;
  readonly #seed = Math.floor(Math.random() * 0xffff_ffff);
  #words: Uint32Array<ArrayBuffer>;
  #slots = new Int32Array(FIRST_ROWS * 2);
  #length = 0;

  constructor(width: number) {
    this.#width = width;
    this.#words = new Uint32Array(FIRST_ROWS * width);
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#words.byteLength + this.#slots.byteLength;
  }

  /** A word of a key. */
  word(index: number, place: number): number {
    return this.#words[index * this.#width + place] ?? 0;
  }

  #hash(words: ArrayLike<number>, from: number): number {
    let hash = this.#seed;
    for (let i = 0; i < this.#width; i++) {
      hash = Math.imul(hash ^ (words[from + i] ?? 0), 0x85eb_ca6b);
      hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
      hash ^= hash >>> 16;
    }
    return hash >>> 0;
  }

  /** The slot of a key, or the free slot for it. */
  #slot(words: ArrayLike<number>): number {
    const mask = this.#slots.length - 1;
    for (let slot = this.#hash(words, 0) & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index < 0) return slot;
      let same = true;
      for (let i = 0; i < this.#width && same; i++) same = this.#words[index * this.#width + i] === words[i];
      if (same) return slot;
    }
  }

  /** The number of a key; -1 if unknown. */
  find(words: Uint32Array): number {
    return (this.#slots[this.#slot(words)] ?? 0) - 1;
  }

  /** The number of a key; assigns one if unknown. */
  add(words: Uint32Array): number {
    let slot = this.#slot(words);
    const known = (this.#slots[slot] ?? 0) - 1;
    if (known >= 0) return known;
    if ((this.#length + 1) * 2 > this.#slots.length) {
      this.#grow();
      slot = this.#slot(words);
    }
    this.#words.set(words, this.#length * this.#width);
    this.#length += 1;
    this.#slots[slot] = this.#length;
    return this.#length - 1;
  }

  #grow(): void {
    const words = new Uint32Array(this.#length * 2 * this.#width);
    words.set(this.#words.subarray(0, this.#length * this.#width));
    this.#words = words;
    this.#slots = new Int32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let index = 0; index < this.#length; index++) {
      let slot = this.#hash(words, index * this.#width) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = index + 1;
    }
  }
}

/** Numbers texts. */
export class Words {
  readonly #numbers = new Map<string, number>();
  readonly list: string[] = [];
  #bytes = 0;

  /** An estimate: texts are in the heap, with a map's overhead. */
  get bytes(): number {
    return this.#bytes;
  }

  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#bytes += text.length * 2 + 80;
    this.#numbers.set(text, this.list.length);
    return this.list.push(text) - 1;
  }
}
