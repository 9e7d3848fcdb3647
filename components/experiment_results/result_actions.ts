import type { Outcome } from "#components/feature_flags/flag_actions.ts";

/** What the results page lets the browser do, as server actions with the signed-in key. */
export type ResultActions = {
  /** Records that the results are shown to the signed-in person. */
  look: (projectId: string, experimentId: number) => Promise<Outcome<null>>;
  /** Keeps results hidden until the planned sample, or shows them again. */
  hide: (projectId: string, experimentId: number, hidden: boolean) => Promise<Outcome<null>>;
  /** Has the recorded days of a metric computed anew, in the background. */
  recompute: (
    projectId: string,
    experimentId: number,
    body: { metric: Record<string, unknown>; fingerprint: string },
  ) => Promise<Outcome<null>>;
};
