import { digestBlock } from "./sha1_rounds.ts";

/**
 * SHA-1 (FIPS 180-4) reduced to what bucketing needs: the first 60 bits of the digest.
 *
 * Written out here rather than taken from the platform because one request hashes hundreds of short
 * texts, and a call into a crypto library costs more than the digest of one 64-byte block.
 * The working memory is shared by all calls: every function here runs to its end without yielding.
 */

/** The sixteen words of the block to digest next; a caller fills them. */
export const block = new Int32Array(16);

const state = new Int32Array(5);

/** Digests the words in `block` as the only block of a message. */
export function digestSingle(): void {
  resetState();
  digestBlock(state, block);
}

/** Digests a whole message of any length. */
export function digestBytes(bytes: Uint8Array): void {
  const blocks = (bytes.length + 8 + 64) >> 6;
  resetState();
  for (let n = 0; n < blocks; n++) {
    for (let i = 0; i < 16; i++) block[i] = wordAt(bytes, (n << 6) + (i << 2));
    if (n === blocks - 1) {
      block[14] = Math.floor(bytes.length / 0x20000000);
      block[15] = bytes.length << 3;
    }
    digestBlock(state, block);
  }
}

/** The first 32 bits of the last digest, unsigned. */
export function digestHigh(): number {
  return (state[0] as number) >>> 0;
}

/** Bits 32 to 59 of the last digest, unsigned. */
export function digestLow(): number {
  return (state[1] as number) >>> 4;
}

/** Four bytes, big-endian, of a message followed by its end mark 0x80 and zeros. */
export function wordAt(bytes: Uint8Array, offset: number): number {
  return (
    (byteAt(bytes, offset) << 24) |
    (byteAt(bytes, offset + 1) << 16) |
    (byteAt(bytes, offset + 2) << 8) |
    byteAt(bytes, offset + 3)
  );
}

function byteAt(bytes: Uint8Array, offset: number): number {
  if (offset < bytes.length) return bytes[offset] as number;
  return offset === bytes.length ? 0x80 : 0;
}

function resetState(): void {
  state[0] = 0x67452301;
  state[1] = 0xefcdab89 | 0;
  state[2] = 0x98badcfe | 0;
  state[3] = 0x10325476;
  state[4] = 0xc3d2e1f0 | 0;
}
