import { RE2JS } from "re2js";
import { compileBacktracking } from "./regex_backtrack.ts";

/**
 * Regular expressions from definitions: a pattern typed into a form must not be able to stall the service.
 * They run on an engine whose time grows with the text's length only; the few constructs that it has no
 * form for are searched by trying, within a fixed effort.
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
      /** Null when the text is too long or the search took too much effort: neither yes nor no. */
      readonly test: (text: string) => boolean | null;
      readonly error: null;
    }
  | { readonly test: null; readonly error: string };

/**
 * Compiles a pattern for unanchored, case-sensitive search. The syntax is RE2's, plus JavaScript's
 * `\uXXXX` and `(?<name>…)`, look-around and backreferences.
 */
export function compileRegex(pattern: string): Regex {
  if (pattern.length > LONGEST_PATTERN) {
    return { test: null, error: `The pattern is longer than ${LONGEST_PATTERN} characters.` };
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

function compileSearch(pattern: string): (text: string) => boolean | null {
  if (needsBacktracking(pattern)) return compileBacktracking(pattern);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    // Some patterns are only out of the engine's bounds: a{2000}.
    const tried = attempt(() => compileBacktracking(pattern));
    if (tried === null) throw error;
    return tried;
  }
  if (compiled.programSize() > LARGEST_PROGRAM) throw new SyntaxError("it expands to too many steps");
  return (text) => compiled.test(text);
}

function attempt<T>(make: () => T): T | null {
  try {
    return make();
  } catch {
    return null;
  }
}

/** Whether a pattern has a construct without a linear-time form. */
function needsBacktracking(pattern: string): boolean {
  // Escapes and classes are skipped whole, so that `\(?=` and `[(?=]` are not taken for look-ahead.
  for (const [token] of pattern.matchAll(/\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]])*\]|\(\?<?[=!]/g)) {
    if (/^(\\[1-9k]|\(\?)/.test(token)) return true;
  }
  return false;
}
