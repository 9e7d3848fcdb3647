import type { CupedEstimator } from "./types.ts";

/** How CUPED compares variants, by name and in a sentence. */
export function cupedWords(estimator: CupedEstimator): { readonly name: string; readonly means: string } {
  if (estimator === "public_service")
    return {
      name: "PostHog's formula",
      means:
        "Gives the same figures as PostHog. Relative differences are called significant too often: up to four times as often as stated where earlier and later behaviour are strongly related.",
    };
  return {
    name: "Adjusted means",
    means:
      "Compares all variants at the same average of earlier behaviour. The stated error rate holds for relative and absolute differences.",
  };
}
