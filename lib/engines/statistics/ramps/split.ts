import type { Before, Comparison, Plan, Split } from "./types.ts";

/** The split within a step: that of before the ramp, with what this and earlier steps set. */
export function splitAt(before: Split, { steps }: Pick<Plan, "steps">, index: number): Required<Split> {
  const reached = [before, ...steps.slice(0, index + 1)];
  return {
    shares: Object.assign({}, ...reached.map(({ shares }) => shares)),
    variants: Object.assign({}, ...reached.map(({ variants }) => variants)),
  };
}

/** The variant that has grown most since the ramp began, and the baseline or else the largest other one. */
function comparedVariants(before: Before, { variants }: Required<Split>): Comparison {
  const shares = Object.entries(variants ?? {}).map(([key, share]) => ({
    key,
    share,
    growth: share - (before.variants?.[key] ?? 0),
  }));
  const grown = shares.filter(({ growth }) => growth > 0).sort((a, b) => b.growth - a.growth)[0];
  const others = shares.filter(({ key, share }) => key !== grown?.key && share > 0);
  const isBaseline = (key: string) => Number(key === before.baseline);
  const [control] = others.sort((a, b) => isBaseline(b.key) - isBaseline(a.key) || b.share - a.share);
  return grown && control ? { kind: "variants", control: control.key, treatment: grown.key } : null;
}

/**
 * Who is compared in a step. Condition sets whose share the ramp has not raised, or that let everybody in, have no
 * control of their own.
 */
export function comparisonAt(before: Before, plan: Pick<Plan, "steps">, index: number): Comparison {
  const now = splitAt(before, plan, index);
  const variants = comparedVariants(before, now);
  if (variants) return variants;
  const sets = Object.entries(now.shares ?? {})
    .filter(([set, share]) => share < 100 && share > (before.shares?.[set] ?? 0))
    .map(([set]) => Number(set))
    .sort((a, b) => a - b);
  return sets.length > 0 ? { kind: "shares", sets } : null;
}
