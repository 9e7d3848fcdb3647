/** The answer to one question about a person, as a small number so that it costs nothing to pass around. */
export type Verdict = typeof NO | typeof YES | typeof UNKNOWN | typeof SERVER;

export const NO = 0;
export const YES = 1;
/** Cannot be decided from what was given. Partial mode only. */
export const UNKNOWN = 2;
/** Cannot be decided anywhere but on the server (a cohort that is not at hand). Partial mode only. */
export const SERVER = 3;

/** Turns yes into no and no into yes; what cannot be decided stays so. */
export function opposite(verdict: Verdict): Verdict {
  return verdict === YES ? NO : verdict === NO ? YES : verdict;
}
