const TEXT = 25;
const HEADER_BYTES = 20;

/**
 * A list of texts in PostgreSQL's binary form of text[], which needs no quoting: as text, every quotation mark of
 * thousands of JSON documents would be escaped here and unescaped there.
 */
export function textArray(texts: readonly string[]): Buffer {
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const array = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + 4 + size, HEADER_BYTES));
  let at = 0;
  // Dimensions, no nulls, the type of the elements, how many there are, index of the first.
  for (const field of [1, 0, TEXT, texts.length, 1]) at = array.writeInt32BE(field, at);
  for (const [index, text] of texts.entries()) {
    at = array.writeInt32BE(sizes[index] ?? 0, at);
    at += array.write(text, at);
  }
  return array;
}
