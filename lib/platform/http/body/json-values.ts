const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Whether a JSON text holds more values than `most`: lists and objects count, names of members do not. What parsing
 * costs depends on them, so they are counted without it. Of text that is not JSON the answer means nothing.
 */
export function holdsMoreValuesThan(most: number, bytes: Uint8Array): boolean {
  // Each value but the first takes two bytes.
  if (bytes.length < 2 * most) return false;
  let count = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      count += 1;
      if (count > most) return true;
    }
  }
  return false;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
