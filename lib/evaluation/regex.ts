import { RE2JS } from "re2js";

/**
 * Regular expressions from definitions, run by an engine whose time grows with the text's length only:
 * a pattern typed into a form must not be able to stall the service.
 */

/** Longest pattern taken, in characters. */
export const LONGEST_PATTERN = 1_000;

/** Longest text searched, in characters; a longer one never matches. */
export const LONGEST_TEXT = 20_000;

// Counted repetition multiplies: (a{30}){30} is short to write and 900 steps to run.
const LARGEST_PROGRAM = 5_000;

/** A pattern ready to search with, or what is wrong with it in words for its author. */
export type Regex =
  | { readonly test: (text: string) => boolean; readonly error: null }
  | {
      readonly test: null;
      readonly error: string;
      /** The pattern may be fine for an engine that backtracks, as those of the SDKs do. */
      readonly unsupported: boolean;
    };

/**
 * Compiles a pattern for unanchored, case-sensitive search. The syntax is RE2's, plus JavaScript's
 * `\uXXXX` and `(?<name>…)`; look-around and backreferences have no linear-time form and are refused.
 */
export function compileRegex(pattern: string): Regex {
  if (pattern.length > LONGEST_PATTERN) {
    return refused(`The pattern is longer than ${LONGEST_PATTERN} characters.`, true);
  }
  const construct = unsupportedConstruct(pattern);
  if (construct)
    return refused(`${construct} are not supported: they cannot be matched in linear time.`, true);
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    if (compiled.programSize() > LARGEST_PROGRAM)
      return refused("The pattern expands to too many steps.", true);
    return { test: (text) => text.length <= LONGEST_TEXT && compiled.test(text), error: null };
  } catch (error) {
    const detail =
      error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : String(error);
    return refused(`The pattern is not valid: ${detail}.`, compilesNatively(pattern));
  }
}

/** Names the construct that keeps a pattern from the linear-time engine, null when there is none. */
function unsupportedConstruct(pattern: string): string | null {
  // Escapes and classes are skipped whole, so that `\(?=` and `[(?=]` are not taken for look-ahead.
  for (const [token] of pattern.matchAll(/\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]])*\]|\(\?<?[=!]/g)) {
    if (/^\\[1-9k]/.test(token)) return "Backreferences";
    if (token.startsWith("(?<")) return "Look-behinds";
    if (token.startsWith("(?")) return "Look-aheads";
  }
  return null;
}

function compilesNatively(pattern: string): boolean {
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}

function refused(error: string, unsupported: boolean): Regex {
  return { test: null, error, unsupported };
}
