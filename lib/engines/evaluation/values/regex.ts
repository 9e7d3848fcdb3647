import { RE2JS } from "#re2";

/**
 * Regular expressions from definitions: a pattern typed into a form must not be able to stall the service.
 * They run on an engine whose time grows with the text's length only.
 */

/** Longest pattern taken, in characters. */
export const LONGEST_PATTERN = 1_000;

/** Longest text searched, in characters. */
export const LONGEST_TEXT = 20_000;

// Counted repetition multiplies: (a{30}){30} is short to write and 900 steps to run.
const LARGEST_PROGRAM = 5_000;

/** A pattern ready to search with, or what is wrong with it in words for its author. */
export type Regex =
  | {
      /** Null when the text is too long: neither yes nor no. */
      readonly test: (text: string) => boolean | null;
      readonly error: null;
    }
  | { readonly test: null; readonly error: string };

/**
 * Compiles a pattern for unanchored, case-sensitive search. The syntax is RE2's, plus JavaScript's
 * `\uXXXX` and `(?<name>…)`; look-around and backreferences have no linear-time form and are refused.
 */
export function compileRegex(pattern: string): Regex {
  if (pattern.length > LONGEST_PATTERN) {
    return { test: null, error: `The pattern is longer than ${LONGEST_PATTERN} characters.` };
  }
  const construct = unsupportedConstruct(pattern);
  if (construct) {
    return { test: null, error: `${construct} cannot be matched in linear time and is not supported.` };
  }
  try {
    const search = compileSearch(pattern);
    return { test: (text) => (text.length > LONGEST_TEXT ? null : search(text)), error: null };
  } catch (error) {
    const detail =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    return { test: null, error: `The pattern is not valid: ${detail}.` };
  }
}

function compileSearch(pattern: string): (text: string) => boolean {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  if (compiled.programSize() > LARGEST_PROGRAM) throw new SyntaxError("it expands to too many steps");
  return (text) => compiled.test(text);
}

/** The name of the first construct that has no linear-time form. */
function unsupportedConstruct(pattern: string): string | null {
  // Escapes and classes are skipped whole, so that `\(?=` and `[(?=]` are not taken for look-ahead.
  for (const [token] of pattern.matchAll(/\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]])*\]|\(\?<?[=!]/g)) {
    if (token.startsWith("(?<")) return "Look-behind";
    if (token.startsWith("(?")) return "Look-ahead";
    if (/^\\[1-9k]/.test(token)) return "A backreference";
  }
  return null;
}
