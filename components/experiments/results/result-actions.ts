import type { Outcome } from "#components/feature_flags/flag-actions.ts";

/** Server actions of the results page, with the signed-in key. */
export type ResultActions = {
  /** Records that the results are shown to the signed-in person. */
  look: (projectId: string, experimentId: number) => Promise<Outcome<null>>;
  /** Keeps results hidden until the planned sample, or shows them again. */
  hide: (projectId: string, experimentId: number, hidden: boolean) => Promise<Outcome<null>>;
  /** Recomputes the recorded days of a metric in the background. */
  recompute: (
    projectId: string,
    experimentId: number,
    body: { metric: Record<string, unknown>; fingerprint: string },
  ) => Promise<Outcome<null>>;
};
