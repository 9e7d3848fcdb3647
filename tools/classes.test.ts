import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { extendTailwindMerge } from "tailwind-merge";
import { expect, it } from "vitest";
import { cn } from "#components/ui/cn.ts";

/** Every kind of class that there is, with the sizes and shadows of our theme. */
const full = extendTailwindMerge({
  extend: {
    classGroups: {
      "font-size": [{ text: ["2xs", "xs", "sm", "base", "touch", "lg", "xl", "2xl"] }],
      shadow: [{ shadow: ["xs", "card", "pop", "modal"] }],
    },
  },
});

const root = join(import.meta.dirname, "..");

/** Words that look like classes. */
const OTHER_WORDS = new Set(["my-first-flag"]);

/** Everything in the pages that may be a class, without the variants before it. */
function classesInUse(): string[] {
  const found = new Set<string>();
  for (const folder of ["app", "components"])
    for (const path of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(path) || /\.test\.|class-groups/.test(path)) continue;
      const text = readFileSync(join(root, folder, path), "utf8");
      for (const [, string = ""] of text.matchAll(/["`]([^"`\n]+)["`]/g))
        for (const word of string.split(/[\s${}]+/)) found.add(word.split(/:(?![^[]*\])/).at(-1) ?? "");
    }
  return [...found].filter((word) => !OTHER_WORDS.has(word) && /^!?-?[a-z][\w[\]().,/%#-]*!?$/.test(word));
}

/** The classes that a later one replaces. */
function replacedAmong(words: readonly string[]): string[] {
  const kept = new Set(full(words.join(" ")).split(" "));
  return words.filter((word) => !kept.has(word));
}

/** Classes that replace another one or are replaced by it. Nearly all are found without comparing every pair. */
function conflictingClasses(): string[] {
  // A word that is not a class is kept even when it is repeated.
  const classes = classesInUse().filter((word) => full(`${word} ${word}`) === word);
  const replaced = new Set([...replacedAmong(classes), ...replacedAmong(classes.toReversed())]);
  const replaces = (word: string) =>
    classes.some((other) => other !== word && full(`${other} ${word}`) === word);
  return classes.filter((word) => replaced.has(word) || replaces(word));
}

it("merges any two classes that the pages use as the whole of Tailwind's classes would", () => {
  const classes = conflictingClasses();
  expect(classes.length).toBeGreaterThan(300);
  const different: string[] = [];
  for (const one of classes)
    for (const other of classes) {
      const pair = `${one} ${other}`;
      if (cn(pair) !== full(pair)) different.push(`${pair}: ${cn(pair)}`);
    }
  expect(different.slice(0, 40)).toEqual([]);
});

it("keeps variants apart, and joins what is given", () => {
  expect(cn("p-2 hover:p-3", false, ["px-1", { "sm:p-4": true }])).toBe("p-2 hover:p-3 px-1 sm:p-4");
  expect(cn("hover:p-3 text-sm/6", "hover:px-1 text-lg")).toBe("hover:p-3 hover:px-1 text-lg");
});
