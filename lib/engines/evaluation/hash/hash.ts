import { block, digestHigh, digestLow, digestNext, END_MARK, setLength, startDigest } from "./sha1.ts";

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
const encoder = new TextEncoder();

/** The constant start of a hashed text (`<flag key>.`), laid out as the words of a SHA-1 message. */
export interface HashPrefix {
  readonly length: number;
  /** One word more than is full: the last holds the bytes left over, zeros after them. */
  readonly words: Int32Array;
}

/**
 * An id ready to be hashed after many prefixes. Its bytes and the message's end mark are laid out once
 * for each of the four places in a word where a prefix can end, so that joining the two is a handful of
 * word operations.
 */
export interface HashId {
  readonly text: string;
  readonly length: number;
  /** Its bytes and those of the salt. */
  readonly salted: Uint8Array;
  /** By the prefix's length modulo 4; four more for the salted text. */
  readonly tails: (Int32Array | null)[];
}

/** Prepares the start of a hashed text, e.g. `checkout-pilot.`. */
export function hashPrefix(text: string): HashPrefix {
  const bytes = encoder.encode(text);
  const words = new Int32Array((bytes.length >> 2) + 1);
  bytes.forEach((byte, i) => {
    words[i >> 2] = (words[i >> 2] as number) | (byte << (24 - ((i & 3) << 3)));
  });
  return { length: bytes.length, words };
}

/** Prepares an id (distinct id or group key) of any length and alphabet. */
export function hashId(text: string): HashId {
  const salted = encoder.encode(text + VARIANT_SALT);
  return {
    text,
    length: salted.length - VARIANT_SALT.length,
    salted,
    tails: [null, null, null, null, null, null, null, null],
  };
}

/**
 * Hash of `prefix + id`, or of `prefix + id + "variant"` when `salted`.
 * @returns a double in [0, 1]
 */
export function hashOf(prefix: HashPrefix, id: HashId, salted: boolean): number {
  return hashAt(prefix.words, 0, prefix.length, id, salted);
}

/**
 * As `hashOf`, for a prefix that is one of many in an array.
 * @param first where in `words` it starts
 * @param bytes how long it is; as in a `HashPrefix`, it takes one word more than is full
 */
export function hashAt(words: Int32Array, first: number, bytes: number, id: HashId, salted: boolean): number {
  const slot = (bytes & 3) + (salted ? 4 : 0);
  const tail = id.tails[slot] ?? layTail(id, slot);
  const length = bytes + id.length + (salted ? VARIANT_SALT.length : 0);
  const join = bytes >> 2;
  const end = join + tail.length;
  const last = (length + 8) >> 6;
  startDigest();
  for (let n = 0; n <= last; n++) {
    const start = n << 4;
    let i = 0;
    for (; i < 16 && start + i < join; i++) block[i] = words[first + start + i] as number;
    if (i < 16 && start + i === join) {
      block[i] = (words[first + join] as number) | (tail[0] as number);
      i++;
    }
    for (; i < 16 && start + i < end; i++) block[i] = tail[start + i - join] as number;
    for (; i < 16; i++) block[i] = 0;
    if (n === last) setLength(length);
    digestNext();
  }
  return (digestHigh() * 0x10000000 + digestLow()) / SCALE;
}

function layTail(id: HashId, slot: number): Int32Array {
  const bytes = slot > 3 ? id.salted : id.salted.subarray(0, id.length);
  const shift = slot & 3;
  const moved = new Uint8Array(shift + bytes.length + 1);
  moved.set(bytes, shift);
  moved[shift + bytes.length] = END_MARK;
  const tail = new Int32Array((moved.length + 3) >> 2);
  moved.forEach((byte, i) => {
    tail[i >> 2] = (tail[i >> 2] as number) | (byte << (24 - ((i & 3) << 3)));
  });
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

/** The 15 hexadecimal digits the hash of a text is made of, for comparing with another implementation. */
export function hashDigits(text: string): string {
  hashOf(hashPrefix(""), hashId(text), false);
  return digestHigh().toString(16).padStart(8, "0") + digestLow().toString(16).padStart(7, "0");
}
