import type { Trial, Tried } from "#lib/dashboard/try_it.ts";

/** What the reference knows of where it is read. */
export type ReferenceContext = {
  projectId: string;
  projectName: string;
  /** Address of the API; null: where this page comes from. */
  base: string | null;
  /** What the signed-in key may do; null where its API does not tell. */
  scopes: readonly string[] | null;
};

export type TryIt = (trial: Trial) => Promise<{ ok: true; data: Tried } | { ok: false; problem: string }>;
