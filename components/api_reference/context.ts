import type { Trial, Tried } from "#lib/app/session/try-it.ts";

/** The context in which the reference is shown. */
export type ReferenceContext = {
  projectId: string;
  projectName: string;
  /** Address of the API; null: where this page comes from. */
  base: string | null;
  /** Scopes of the signed-in key; null if its API does not say. */
  scopes: readonly string[] | null;
};

export type TryIt = (trial: Trial) => Promise<{ ok: true; data: Tried } | { ok: false; problem: string }>;
