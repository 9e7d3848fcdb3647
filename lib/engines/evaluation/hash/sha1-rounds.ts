/**
 * One block of SHA-1 (FIPS 180-4, section 6.1.2), every round written out.
 *
 * Straight-line code on purpose: with the sixteen schedule words in local variables instead of an array
 * a block takes about half the time of the loop, and bucketing is most of what evaluating a flag costs.
 * The five state words take turns in the five roles, so nothing is shuffled between rounds.
 */

/** Rotates left by one bit: the step that extends the message schedule. */
function turn(x: number): number {
  return (x << 1) | (x >>> 31);
}

/**
 * Digests one block into the state.
 * @param state the five chaining words, updated in place
 * @param block the sixteen message words
 */
export function digestBlock(state: Int32Array, block: Int32Array): void {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let w0 = block[0] as number;
  let w1 = block[1] as number;
  let w2 = block[2] as number;
  let w3 = block[3] as number;
  let w4 = block[4] as number;
  let w5 = block[5] as number;
  let w6 = block[6] as number;
  let w7 = block[7] as number;
  let w8 = block[8] as number;
  let w9 = block[9] as number;
  let w10 = block[10] as number;
  let w11 = block[11] as number;
  let w12 = block[12] as number;
  let w13 = block[13] as number;
  let w14 = block[14] as number;
  let w15 = block[15] as number;

  // Rounds 0 to 19
  e = (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + w0) | 0;
  b = (b << 30) | (b >>> 2);
  d = (((e << 5) | (e >>> 27)) + (c ^ (a & (b ^ c))) + d + 0x5a827999 + w1) | 0;
  a = (a << 30) | (a >>> 2);
  c = (((d << 5) | (d >>> 27)) + (b ^ (e & (a ^ b))) + c + 0x5a827999 + w2) | 0;
  e = (e << 30) | (e >>> 2);
  b = (((c << 5) | (c >>> 27)) + (a ^ (d & (e ^ a))) + b + 0x5a827999 + w3) | 0;
  d = (d << 30) | (d >>> 2);
  a = (((b << 5) | (b >>> 27)) + (e ^ (c & (d ^ e))) + a + 0x5a827999 + w4) | 0;
  c = (c << 30) | (c >>> 2);
  e = (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + w5) | 0;
  b = (b << 30) | (b >>> 2);
  d = (((e << 5) | (e >>> 27)) + (c ^ (a & (b ^ c))) + d + 0x5a827999 + w6) | 0;
  a = (a << 30) | (a >>> 2);
  c = (((d << 5) | (d >>> 27)) + (b ^ (e & (a ^ b))) + c + 0x5a827999 + w7) | 0;
  e = (e << 30) | (e >>> 2);
  b = (((c << 5) | (c >>> 27)) + (a ^ (d & (e ^ a))) + b + 0x5a827999 + w8) | 0;
  d = (d << 30) | (d >>> 2);
  a = (((b << 5) | (b >>> 27)) + (e ^ (c & (d ^ e))) + a + 0x5a827999 + w9) | 0;
  c = (c << 30) | (c >>> 2);
  e = (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + w10) | 0;
  b = (b << 30) | (b >>> 2);
  d = (((e << 5) | (e >>> 27)) + (c ^ (a & (b ^ c))) + d + 0x5a827999 + w11) | 0;
  a = (a << 30) | (a >>> 2);
  c = (((d << 5) | (d >>> 27)) + (b ^ (e & (a ^ b))) + c + 0x5a827999 + w12) | 0;
  e = (e << 30) | (e >>> 2);
  b = (((c << 5) | (c >>> 27)) + (a ^ (d & (e ^ a))) + b + 0x5a827999 + w13) | 0;
  d = (d << 30) | (d >>> 2);
  a = (((b << 5) | (b >>> 27)) + (e ^ (c & (d ^ e))) + a + 0x5a827999 + w14) | 0;
  c = (c << 30) | (c >>> 2);
  e = (((a << 5) | (a >>> 27)) + (d ^ (b & (c ^ d))) + e + 0x5a827999 + w15) | 0;
  b = (b << 30) | (b >>> 2);
  w0 = turn(w13 ^ w8 ^ w2 ^ w0);
  d = (((e << 5) | (e >>> 27)) + (c ^ (a & (b ^ c))) + d + 0x5a827999 + w0) | 0;
  a = (a << 30) | (a >>> 2);
  w1 = turn(w14 ^ w9 ^ w3 ^ w1);
  c = (((d << 5) | (d >>> 27)) + (b ^ (e & (a ^ b))) + c + 0x5a827999 + w1) | 0;
  e = (e << 30) | (e >>> 2);
  w2 = turn(w15 ^ w10 ^ w4 ^ w2);
  b = (((c << 5) | (c >>> 27)) + (a ^ (d & (e ^ a))) + b + 0x5a827999 + w2) | 0;
  d = (d << 30) | (d >>> 2);
  w3 = turn(w0 ^ w11 ^ w5 ^ w3);
  a = (((b << 5) | (b >>> 27)) + (e ^ (c & (d ^ e))) + a + 0x5a827999 + w3) | 0;
  c = (c << 30) | (c >>> 2);

  // Rounds 20 to 39
  w4 = turn(w1 ^ w12 ^ w6 ^ w4);
  e = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + w4) | 0;
  b = (b << 30) | (b >>> 2);
  w5 = turn(w2 ^ w13 ^ w7 ^ w5);
  d = (((e << 5) | (e >>> 27)) + (a ^ b ^ c) + d + 0x6ed9eba1 + w5) | 0;
  a = (a << 30) | (a >>> 2);
  w6 = turn(w3 ^ w14 ^ w8 ^ w6);
  c = (((d << 5) | (d >>> 27)) + (e ^ a ^ b) + c + 0x6ed9eba1 + w6) | 0;
  e = (e << 30) | (e >>> 2);
  w7 = turn(w4 ^ w15 ^ w9 ^ w7);
  b = (((c << 5) | (c >>> 27)) + (d ^ e ^ a) + b + 0x6ed9eba1 + w7) | 0;
  d = (d << 30) | (d >>> 2);
  w8 = turn(w5 ^ w0 ^ w10 ^ w8);
  a = (((b << 5) | (b >>> 27)) + (c ^ d ^ e) + a + 0x6ed9eba1 + w8) | 0;
  c = (c << 30) | (c >>> 2);
  w9 = turn(w6 ^ w1 ^ w11 ^ w9);
  e = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + w9) | 0;
  b = (b << 30) | (b >>> 2);
  w10 = turn(w7 ^ w2 ^ w12 ^ w10);
  d = (((e << 5) | (e >>> 27)) + (a ^ b ^ c) + d + 0x6ed9eba1 + w10) | 0;
  a = (a << 30) | (a >>> 2);
  w11 = turn(w8 ^ w3 ^ w13 ^ w11);
  c = (((d << 5) | (d >>> 27)) + (e ^ a ^ b) + c + 0x6ed9eba1 + w11) | 0;
  e = (e << 30) | (e >>> 2);
  w12 = turn(w9 ^ w4 ^ w14 ^ w12);
  b = (((c << 5) | (c >>> 27)) + (d ^ e ^ a) + b + 0x6ed9eba1 + w12) | 0;
  d = (d << 30) | (d >>> 2);
  w13 = turn(w10 ^ w5 ^ w15 ^ w13);
  a = (((b << 5) | (b >>> 27)) + (c ^ d ^ e) + a + 0x6ed9eba1 + w13) | 0;
  c = (c << 30) | (c >>> 2);
  w14 = turn(w11 ^ w6 ^ w0 ^ w14);
  e = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + w14) | 0;
  b = (b << 30) | (b >>> 2);
  w15 = turn(w12 ^ w7 ^ w1 ^ w15);
  d = (((e << 5) | (e >>> 27)) + (a ^ b ^ c) + d + 0x6ed9eba1 + w15) | 0;
  a = (a << 30) | (a >>> 2);
  w0 = turn(w13 ^ w8 ^ w2 ^ w0);
  c = (((d << 5) | (d >>> 27)) + (e ^ a ^ b) + c + 0x6ed9eba1 + w0) | 0;
  e = (e << 30) | (e >>> 2);
  w1 = turn(w14 ^ w9 ^ w3 ^ w1);
  b = (((c << 5) | (c >>> 27)) + (d ^ e ^ a) + b + 0x6ed9eba1 + w1) | 0;
  d = (d << 30) | (d >>> 2);
  w2 = turn(w15 ^ w10 ^ w4 ^ w2);
  a = (((b << 5) | (b >>> 27)) + (c ^ d ^ e) + a + 0x6ed9eba1 + w2) | 0;
  c = (c << 30) | (c >>> 2);
  w3 = turn(w0 ^ w11 ^ w5 ^ w3);
  e = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e + 0x6ed9eba1 + w3) | 0;
  b = (b << 30) | (b >>> 2);
  w4 = turn(w1 ^ w12 ^ w6 ^ w4);
  d = (((e << 5) | (e >>> 27)) + (a ^ b ^ c) + d + 0x6ed9eba1 + w4) | 0;
  a = (a << 30) | (a >>> 2);
  w5 = turn(w2 ^ w13 ^ w7 ^ w5);
  c = (((d << 5) | (d >>> 27)) + (e ^ a ^ b) + c + 0x6ed9eba1 + w5) | 0;
  e = (e << 30) | (e >>> 2);
  w6 = turn(w3 ^ w14 ^ w8 ^ w6);
  b = (((c << 5) | (c >>> 27)) + (d ^ e ^ a) + b + 0x6ed9eba1 + w6) | 0;
  d = (d << 30) | (d >>> 2);
  w7 = turn(w4 ^ w15 ^ w9 ^ w7);
  a = (((b << 5) | (b >>> 27)) + (c ^ d ^ e) + a + 0x6ed9eba1 + w7) | 0;
  c = (c << 30) | (c >>> 2);

  // Rounds 40 to 59
  w8 = turn(w5 ^ w0 ^ w10 ^ w8);
  e = (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e - 0x70e44324 + w8) | 0;
  b = (b << 30) | (b >>> 2);
  w9 = turn(w6 ^ w1 ^ w11 ^ w9);
  d = (((e << 5) | (e >>> 27)) + ((a & b) | (c & (a | b))) + d - 0x70e44324 + w9) | 0;
  a = (a << 30) | (a >>> 2);
  w10 = turn(w7 ^ w2 ^ w12 ^ w10);
  c = (((d << 5) | (d >>> 27)) + ((e & a) | (b & (e | a))) + c - 0x70e44324 + w10) | 0;
  e = (e << 30) | (e >>> 2);
  w11 = turn(w8 ^ w3 ^ w13 ^ w11);
  b = (((c << 5) | (c >>> 27)) + ((d & e) | (a & (d | e))) + b - 0x70e44324 + w11) | 0;
  d = (d << 30) | (d >>> 2);
  w12 = turn(w9 ^ w4 ^ w14 ^ w12);
  a = (((b << 5) | (b >>> 27)) + ((c & d) | (e & (c | d))) + a - 0x70e44324 + w12) | 0;
  c = (c << 30) | (c >>> 2);
  w13 = turn(w10 ^ w5 ^ w15 ^ w13);
  e = (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e - 0x70e44324 + w13) | 0;
  b = (b << 30) | (b >>> 2);
  w14 = turn(w11 ^ w6 ^ w0 ^ w14);
  d = (((e << 5) | (e >>> 27)) + ((a & b) | (c & (a | b))) + d - 0x70e44324 + w14) | 0;
  a = (a << 30) | (a >>> 2);
  w15 = turn(w12 ^ w7 ^ w1 ^ w15);
  c = (((d << 5) | (d >>> 27)) + ((e & a) | (b & (e | a))) + c - 0x70e44324 + w15) | 0;
  e = (e << 30) | (e >>> 2);
  w0 = turn(w13 ^ w8 ^ w2 ^ w0);
  b = (((c << 5) | (c >>> 27)) + ((d & e) | (a & (d | e))) + b - 0x70e44324 + w0) | 0;
  d = (d << 30) | (d >>> 2);
  w1 = turn(w14 ^ w9 ^ w3 ^ w1);
  a = (((b << 5) | (b >>> 27)) + ((c & d) | (e & (c | d))) + a - 0x70e44324 + w1) | 0;
  c = (c << 30) | (c >>> 2);
  w2 = turn(w15 ^ w10 ^ w4 ^ w2);
  e = (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e - 0x70e44324 + w2) | 0;
  b = (b << 30) | (b >>> 2);
  w3 = turn(w0 ^ w11 ^ w5 ^ w3);
  d = (((e << 5) | (e >>> 27)) + ((a & b) | (c & (a | b))) + d - 0x70e44324 + w3) | 0;
  a = (a << 30) | (a >>> 2);
  w4 = turn(w1 ^ w12 ^ w6 ^ w4);
  c = (((d << 5) | (d >>> 27)) + ((e & a) | (b & (e | a))) + c - 0x70e44324 + w4) | 0;
  e = (e << 30) | (e >>> 2);
  w5 = turn(w2 ^ w13 ^ w7 ^ w5);
  b = (((c << 5) | (c >>> 27)) + ((d & e) | (a & (d | e))) + b - 0x70e44324 + w5) | 0;
  d = (d << 30) | (d >>> 2);
  w6 = turn(w3 ^ w14 ^ w8 ^ w6);
  a = (((b << 5) | (b >>> 27)) + ((c & d) | (e & (c | d))) + a - 0x70e44324 + w6) | 0;
  c = (c << 30) | (c >>> 2);
  w7 = turn(w4 ^ w15 ^ w9 ^ w7);
  e = (((a << 5) | (a >>> 27)) + ((b & c) | (d & (b | c))) + e - 0x70e44324 + w7) | 0;
  b = (b << 30) | (b >>> 2);
  w8 = turn(w5 ^ w0 ^ w10 ^ w8);
  d = (((e << 5) | (e >>> 27)) + ((a & b) | (c & (a | b))) + d - 0x70e44324 + w8) | 0;
  a = (a << 30) | (a >>> 2);
  w9 = turn(w6 ^ w1 ^ w11 ^ w9);
  c = (((d << 5) | (d >>> 27)) + ((e & a) | (b & (e | a))) + c - 0x70e44324 + w9) | 0;
  e = (e << 30) | (e >>> 2);
  w10 = turn(w7 ^ w2 ^ w12 ^ w10);
  b = (((c << 5) | (c >>> 27)) + ((d & e) | (a & (d | e))) + b - 0x70e44324 + w10) | 0;
  d = (d << 30) | (d >>> 2);
  w11 = turn(w8 ^ w3 ^ w13 ^ w11);
  a = (((b << 5) | (b >>> 27)) + ((c & d) | (e & (c | d))) + a - 0x70e44324 + w11) | 0;
  c = (c << 30) | (c >>> 2);

  // Rounds 60 to 79
  w12 = turn(w9 ^ w4 ^ w14 ^ w12);
  e = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e - 0x359d3e2a + w12) | 0;
  b = (b << 30) | (b >>> 2);
  w13 = turn(w10 ^ w5 ^ w15 ^ w13);
  d = (((e << 5) | (e >>> 27)) + (a ^ b ^ c) + d - 0x359d3e2a + w13) | 0;
  a = (a << 30) | (a >>> 2);
  w14 = turn(w11 ^ w6 ^ w0 ^ w14);
  c = (((d << 5) | (d >>> 27)) + (e ^ a ^ b) + c - 0x359d3e2a + w14) | 0;
  e = (e << 30) | (e >>> 2);
  w15 = turn(w12 ^ w7 ^ w1 ^ w15);
  b = (((c << 5) | (c >>> 27)) + (d ^ e ^ a) + b - 0x359d3e2a + w15) | 0;
  d = (d << 30) | (d >>> 2);
  w0 = turn(w13 ^ w8 ^ w2 ^ w0);
  a = (((b << 5) | (b >>> 27)) + (c ^ d ^ e) + a - 0x359d3e2a + w0) | 0;
  c = (c << 30) | (c >>> 2);
  w1 = turn(w14 ^ w9 ^ w3 ^ w1);
  e = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e - 0x359d3e2a + w1) | 0;
  b = (b << 30) | (b >>> 2);
  w2 = turn(w15 ^ w10 ^ w4 ^ w2);
  d = (((e << 5) | (e >>> 27)) + (a ^ b ^ c) + d - 0x359d3e2a + w2) | 0;
  a = (a << 30) | (a >>> 2);
  w3 = turn(w0 ^ w11 ^ w5 ^ w3);
  c = (((d << 5) | (d >>> 27)) + (e ^ a ^ b) + c - 0x359d3e2a + w3) | 0;
  e = (e << 30) | (e >>> 2);
  w4 = turn(w1 ^ w12 ^ w6 ^ w4);
  b = (((c << 5) | (c >>> 27)) + (d ^ e ^ a) + b - 0x359d3e2a + w4) | 0;
  d = (d << 30) | (d >>> 2);
  w5 = turn(w2 ^ w13 ^ w7 ^ w5);
  a = (((b << 5) | (b >>> 27)) + (c ^ d ^ e) + a - 0x359d3e2a + w5) | 0;
  c = (c << 30) | (c >>> 2);
  w6 = turn(w3 ^ w14 ^ w8 ^ w6);
  e = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e - 0x359d3e2a + w6) | 0;
  b = (b << 30) | (b >>> 2);
  w7 = turn(w4 ^ w15 ^ w9 ^ w7);
  d = (((e << 5) | (e >>> 27)) + (a ^ b ^ c) + d - 0x359d3e2a + w7) | 0;
  a = (a << 30) | (a >>> 2);
  w8 = turn(w5 ^ w0 ^ w10 ^ w8);
  c = (((d << 5) | (d >>> 27)) + (e ^ a ^ b) + c - 0x359d3e2a + w8) | 0;
  e = (e << 30) | (e >>> 2);
  w9 = turn(w6 ^ w1 ^ w11 ^ w9);
  b = (((c << 5) | (c >>> 27)) + (d ^ e ^ a) + b - 0x359d3e2a + w9) | 0;
  d = (d << 30) | (d >>> 2);
  w10 = turn(w7 ^ w2 ^ w12 ^ w10);
  a = (((b << 5) | (b >>> 27)) + (c ^ d ^ e) + a - 0x359d3e2a + w10) | 0;
  c = (c << 30) | (c >>> 2);
  w11 = turn(w8 ^ w3 ^ w13 ^ w11);
  e = (((a << 5) | (a >>> 27)) + (b ^ c ^ d) + e - 0x359d3e2a + w11) | 0;
  b = (b << 30) | (b >>> 2);
  w12 = turn(w9 ^ w4 ^ w14 ^ w12);
  d = (((e << 5) | (e >>> 27)) + (a ^ b ^ c) + d - 0x359d3e2a + w12) | 0;
  a = (a << 30) | (a >>> 2);
  w13 = turn(w10 ^ w5 ^ w15 ^ w13);
  c = (((d << 5) | (d >>> 27)) + (e ^ a ^ b) + c - 0x359d3e2a + w13) | 0;
  e = (e << 30) | (e >>> 2);
  w14 = turn(w11 ^ w6 ^ w0 ^ w14);
  b = (((c << 5) | (c >>> 27)) + (d ^ e ^ a) + b - 0x359d3e2a + w14) | 0;
  d = (d << 30) | (d >>> 2);
  w15 = turn(w12 ^ w7 ^ w1 ^ w15);
  a = (((b << 5) | (b >>> 27)) + (c ^ d ^ e) + a - 0x359d3e2a + w15) | 0;
  c = (c << 30) | (c >>> 2);

  state[0] = ((state[0] as number) + a) | 0;
  state[1] = ((state[1] as number) + b) | 0;
  state[2] = ((state[2] as number) + c) | 0;
  state[3] = ((state[3] as number) + d) | 0;
  state[4] = ((state[4] as number) + e) | 0;
}
