import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Mutant } from "./mutants.ts";

/** Mutants that no test has to notice, mostly because they change nothing that can be seen. */
const acceptedSchema = z.array(
  z.strictObject({
    file: z.string(),
    /** The line that is changed; tells two equal changes of a file apart. */
    line: z.string(),
    original: z.string(),
    replacement: z.string(),
    reason: z.string().min(10),
  }),
);

export type Accepted = z.infer<typeof acceptedSchema>[number];

const squeeze = (text: string) => text.replace(/\s+/g, " ").trim();

/** What names a mutant wherever its line has moved to. */
const nameOf = (file: string, line: string, original: string, replacement: string) =>
  JSON.stringify([file, ...[line, original, replacement].map(squeeze)]);

export const nameOfMutant = (file: string, { context, original, replacement }: Mutant) =>
  nameOf(file, context, original, replacement);

export function readAccepted(): Map<string, Accepted> {
  const list = acceptedSchema.parse(
    JSON.parse(readFileSync(join(import.meta.dirname, "accepted.json"), "utf8")),
  );
  return new Map(
    list.map((entry) => [nameOf(entry.file, entry.line, entry.original, entry.replacement), entry]),
  );
}
