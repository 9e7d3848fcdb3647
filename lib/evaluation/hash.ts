import { block, digestBytes, digestHigh, digestLow, digestSingle, wordAt } from "./sha1.ts";

/**
 * Where a person falls on the unit interval, for one flag.
 *
 * The value is the first 15 hexadecimal digits of SHA-1(prefix + id + salt), divided by
 * 0xFFFFFFFFFFFFFFF. As doubles that divisor is 2^60, so the division is exact and the one rounding
 * is that of the 60-bit number: every client of the PostHog protocol computes the same bits.
 */

/** The salt of the hash that picks a variant; the rollout uses none. */
export const VARIANT_SALT = "variant";

/** The prefix shared by every flag's holdout hash: a person is held out of all of them or of none. */
export const HOLDOUT_PREFIX = "holdout-";

const SCALE = 2 ** 60;
const SINGLE_BLOCK_BYTES = 55;
const encoder = new TextEncoder();

/** The constant start of a hashed text (`<flag key>.`), laid out as the words of a SHA-1 block. */
export interface HashPrefix {
  readonly text: string;
  readonly length: number;
  readonly words: Int32Array;
}

/**
 * An id ready to be hashed after many prefixes. The id's bytes are laid out once for each of the four
 * places in a word where a prefix can end, so that joining is a handful of word operations.
 */
export interface HashId {
  readonly text: string;
  readonly bytes: Uint8Array;
  readonly salted: Uint8Array;
  readonly tails: (Int32Array | null)[];
}

/** Prepares the start of a hashed text, e.g. `checkout-pilot.`. */
export function hashPrefix(text: string): HashPrefix {
  const bytes = encoder.encode(text);
  const words = new Int32Array(16);
  for (let i = 0; i < 16; i++) words[i] = wordAt(bytes, i << 2);
  // wordAt marks the end of the text, but the message goes on with the id.
  if (bytes.length < 64) {
    const last = bytes.length >> 2;
    words[last] = (words[last] as number) & ~(0x80 << (24 - ((bytes.length & 3) << 3)));
  }
  return { text, length: bytes.length, words };
}

/** Prepares an id (distinct id or group key) of any length and alphabet. */
export function hashId(text: string): HashId {
  return {
    text,
    bytes: encoder.encode(text),
    salted: encoder.encode(text + VARIANT_SALT),
    tails: [null, null, null, null, null, null, null, null],
  };
}

/**
 * Hash of `prefix + id`, or of `prefix + id + "variant"` when `salted`.
 * @returns a double in [0, 1]
 */
export function hashOf(prefix: HashPrefix, id: HashId, salted: boolean): number {
  const length = prefix.length + (salted ? id.salted.length : id.bytes.length);
  if (length > SINGLE_BLOCK_BYTES)
    digestBytes(encoder.encode(prefix.text + id.text + (salted ? VARIANT_SALT : "")));
  else {
    const shift = prefix.length & 3;
    const slot = salted ? shift + 4 : shift;
    const tail = id.tails[slot] ?? layTail(id, slot);
    const start = prefix.length >> 2;
    for (let i = 0; i < start; i++) block[i] = prefix.words[i] as number;
    block[start] = (prefix.words[start] as number) | (tail[0] as number);
    for (let i = start + 1; i < 14; i++) block[i] = tail[i - start] as number;
    block[14] = 0;
    block[15] = length << 3;
    digestSingle();
  }
  return (digestHigh() * 0x10000000 + digestLow()) / SCALE;
}

function layTail(id: HashId, slot: number): Int32Array {
  const bytes = slot > 3 ? id.salted : id.bytes;
  const shift = slot & 3;
  const tail = new Int32Array(16);
  const moved = new Uint8Array(shift + bytes.length);
  moved.set(bytes, shift);
  for (let i = 0; i < 16; i++) tail[i] = wordAt(moved, i << 2);
  id.tails[slot] = tail;
  return tail;
}

/**
 * The hash of a flag key and an id.
 * @param salt "" for the rollout, {@link VARIANT_SALT} for the choice of variant
 * @returns a double in [0, 1]
 */
export function hashValue(flagKey: string, id: string, salt: "" | typeof VARIANT_SALT = ""): number {
  return hashOf(hashPrefix(`${flagKey}.`), hashId(id), salt !== "");
}

/** The 15 hexadecimal digits a hash is made of, for checking against another implementation. */
export function hashDigits(text: string): string {
  digestBytes(encoder.encode(text));
  return digestHigh().toString(16).padStart(8, "0") + digestLow().toString(16).padStart(7, "0");
}
