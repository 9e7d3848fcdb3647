import { createHash, randomBytes } from "node:crypto";
import { canonical } from "#lib/platform/canonical.ts";

/** Everything of an entry but its details, of which it has a salted hash. */
export type Head = {
  position: number;
  /** The table that has the details. */
  source: string;
  source_id: string;
  project_id: number | null;
  user_id: number | null;
  scope: string;
  item_id: string;
  activity: string;
  /** UTC with six decimals. */
  created_at: string;
  /** Hex. */
  details: string;
};

/** What the first entry follows. */
export const GENESIS = "0".repeat(64);

/** Each kind of text is hashed with a name of its own, so that none can be taken for another. */
const hashOf = (kind: string, ...parts: (string | Buffer)[]): string => {
  const hash = createHash("sha256").update(`switchyard audit ${kind} v1\0`);
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

const bytes = (hex: string) => Buffer.from(hex, "hex");

export const createSalt = (): string => randomBytes(16).toString("hex");

/**
 * What stands for an entry's details: nobody finds out from it what they were, once the salt is gone.
 *
 * @param text the JSON as it is stored, to the byte
 */
export const detailsHash = (salt: string, text: string): string => hashOf("details", bytes(salt), text);

/** What stands for an entry where it is not shown. */
export const leafOf = (entry: Head): string =>
  hashOf(
    "entry",
    canonical([
      entry.position,
      entry.source,
      entry.source_id,
      entry.project_id,
      entry.user_id,
      entry.scope,
      entry.item_id,
      entry.activity,
      entry.created_at,
      entry.details,
    ]),
  );

/** The hash of an entry: of everything up to and including it. */
export const linkOf = (previous: string, leaf: string): string =>
  hashOf("chain", bytes(previous), bytes(leaf));
