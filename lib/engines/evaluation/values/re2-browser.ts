import type { RE2JS as Engine } from "re2js";

type Compiled = { test: (text: string) => boolean; programSize: () => number };

/** What `regex.ts` needs of the engine. */
type Regexes = { translateRegExp: (pattern: string) => string; compile: (pattern: string) => Compiled };

function compileHere(pattern: string): Compiled {
  const compiled = new RegExp(pattern);
  return { test: (text) => compiled.test(text), programSize: () => 0 };
}

function load(): void {
  void import("re2js").then(
    (loaded: { RE2JS: typeof Engine }) => {
      RE2JS = loaded.RE2JS;
    },
    () => undefined,
  );
}

/**
 * The engine in the browser, where it is too large to be part of every page with a condition on it. It loads when the
 * first pattern is checked, and until then the browser's own takes its place: what is saved the service checks anyway.
 */
export let RE2JS: Regexes = {
  translateRegExp: (pattern) => pattern,
  compile(pattern) {
    load();
    return compileHere(pattern);
  },
};
