import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Mutant } from "./mutants.ts";

const entrySchema = z.strictObject({
  file: z.string(),
  /** The line that is changed; distinguishes equal changes of a file. */
  line: z.string(),
  original: z.string(),
  replacement: z.string(),
  /** Why no test has to notice: mostly, because the change cannot be seen from outside. */
  reason: z.string(),
});

export type Accepted = z.infer<typeof entrySchema>;

const squeeze = (text: string) => text.replace(/\s+/g, " ").trim();

/** What names a mutant wherever its line has moved to. */
const nameOf = (file: string, line: string, original: string, replacement: string) =>
  JSON.stringify([file, ...[line, original, replacement].map(squeeze)]);

export const nameOfMutant = (file: string, { context, original, replacement }: Mutant) =>
  nameOf(file, context, original, replacement);

/** A list of mutants in a file, by name. */
export function readEntries(path: string): Map<string, Accepted> {
  const list = z.array(entrySchema).parse(JSON.parse(readFileSync(path, "utf8")));
  return new Map(
    list.map((entry) => [nameOf(entry.file, entry.line, entry.original, entry.replacement), entry]),
  );
}

/** The mutants that no test has to notice; each needs a reason. */
export function readAccepted(): Map<string, Accepted> {
  const accepted = readEntries(join(import.meta.dirname, "accepted.json"));
  for (const { file, line, reason } of accepted.values())
    if (reason === "") throw new Error(`accepted.json gives no reason for a change in ${file}: ${line}`);
  return accepted;
}
