/** How many parts a percent is edited in. */
export const WHOLE_PERCENTS = 1;
export const HUNDREDTHS = 100;

/** So many parts in the proportions of some weights, equally where all of them are 0; who is ahead stays ahead. */
function spread(weights: readonly number[], total: number): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const exact = weights.map((weight) => (sum > 0 ? (weight * total) / sum : total / weights.length));
  const given = exact.map((share) => Math.floor(share));
  let missing = total - given.reduce((all, share) => all + share, 0);
  const byRest = exact
    .map((share, place) => ({ place, rest: share - Math.floor(share) }))
    .sort((a, b) => b.rest - a.rest || a.place - b.place);
  for (const { place } of byRest) {
    if (missing <= 0) break;
    given[place] = (given[place] ?? 0) + 1;
    missing -= 1;
  }
  return given;
}

const toParts = (share: number, parts: number) => Math.round((share || 0) * parts);

/** Equal shares that add up to exactly 100; the remainder goes to the first ones. */
export const evenShares = (count: number, parts = HUNDREDTHS): number[] =>
  sharesTo100(Array(count).fill(1), parts);

/** The shares in the same proportions, adding up to exactly 100. */
export const sharesTo100 = (shares: readonly number[], parts = HUNDREDTHS): number[] =>
  spread(
    shares.map((share) => toParts(share, parts)),
    100 * parts,
  ).map((share) => share / parts);

/** The shares with one more at the end, which gets as much as if all were equal; the others keep their proportions. */
export function sharesWithOneMore(shares: readonly number[], parts = HUNDREDTHS): number[] {
  const own = shares.length > 0 ? Math.floor((100 * parts) / (shares.length + 1)) : 100 * parts;
  const others = spread(
    shares.map((share) => toParts(share, parts)),
    100 * parts - own,
  );
  return [...others, own].map((share) => share / parts);
}

/**
 * Shares that add up to 100 after one of them was set. Those after it share what is left in proportion, so that shares
 * can be typed from top to bottom; only where that is not enough, those before it give or take in proportion.
 *
 * @param set the place of the share that stays as it is
 */
export function balancedShares(shares: readonly number[], set: number, parts = HUNDREDTHS): number[] {
  const whole = 100 * parts;
  const fixed = Math.min(whole, Math.max(0, toParts(shares[set] ?? 0, parts)));
  if (shares.length === 1) return [...shares];
  const before = shares.slice(0, set).map((share) => toParts(share, parts));
  const after = shares.slice(set + 1).map((share) => toParts(share, parts));
  const left = whole - fixed - before.reduce((sum, share) => sum + share, 0);
  const next =
    after.length > 0 && left >= 0
      ? [...before, fixed, ...spread(after, left)]
      : [...spread(before, whole - fixed), fixed, ...after.map(() => 0)];
  return next.map((share) => share / parts);
}
