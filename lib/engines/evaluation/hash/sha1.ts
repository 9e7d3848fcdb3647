import { digestBlock } from "./sha1-rounds.ts";

/**
 * SHA-1 (FIPS 180-4) reduced to what bucketing needs: the first 60 bits of the digest.
 *
 * Written out here rather than taken from the platform because one request hashes hundreds of short
 * texts, and a call into a crypto library costs more than the digest of one 64-byte block.
 * The working memory is shared by all calls: a digest must be made and read without yielding.
 */

/** The sixteen big-endian words of the block to digest next; the caller fills them. */
export const block = new Int32Array(16);

/** The byte that ends a message, before zeros up to its length. */
export const END_MARK = 0x80;

const state = new Int32Array(5);

/** Begins a message. */
export function startDigest(): void {
  state[0] = 0x67452301;
  state[1] = 0xefcdab89 | 0;
  state[2] = 0x98badcfe | 0;
  state[3] = 0x10325476;
  state[4] = 0xc3d2e1f0 | 0;
}

/** Puts the message's length in bytes at the end of the block, as its last block demands. */
export function setLength(bytes: number): void {
  block[14] = Math.floor(bytes / 0x20000000);
  block[15] = bytes << 3;
}

/** Digests the words in `block` as the message's next block. */
export function digestNext(): void {
  digestBlock(state, block);
}

/** The first 32 bits of the digest, unsigned. */
export function digestHigh(): number {
  return (state[0] as number) >>> 0;
}

/** Bits 32 to 59 of the digest, unsigned. */
export function digestLow(): number {
  return (state[1] as number) >>> 4;
}
