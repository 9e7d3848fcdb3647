/** A share of something counted, with its interval of 95 % (fractions). */
export type Share = {
  count: number;
  of: number;
  share: number | null;
  lower: number | null;
  upper: number | null;
};

const TOO_FEW = 10;
const FEW = 30;

/** A caution for shares of few answers. */
export function smallNote(of: number): string | undefined {
  if (of === 0) return undefined;
  if (of < TOO_FEW) return "too few to tell";
  return of < FEW ? "few answers" : undefined;
}

export const intervalOf = ({
  lower,
  upper,
}: Pick<Share, "lower" | "upper">): readonly [number, number] | null =>
  lower === null || upper === null ? null : [lower, upper];

/** "41.2%, 95% interval 38.0% to 44.5%". */
export function shareInWords(share: Share): string {
  if (share.share === null) return "no share";
  const interval = intervalOf(share);
  const range = interval
    ? `, 95% interval ${formatPercent(interval[0])} to ${formatPercent(interval[1])}`
    : "";
  return `${formatPercent(share.share)}${range}`;
}

/** A score with its sign, as wide as the digits allow: "+12.4", "−22.2". */
export const signed = (text: string): string =>
  /^[1-9]|^0\.[0-9]*[1-9]/.test(text) ? `+${text}` : text.replace(/^-/, "−");

export const BUCKET_WORDS: Record<string, string> = {
  detractors: "Detractors",
  passives: "Passives",
  promoters: "Promoters",
  negative: "Negative",
  neutral: "Neutral",
  positive: "Positive",
};

const BUCKET_COLORS: Record<string, string> = {
  detractors: "var(--danger)",
  negative: "var(--danger)",
  passives: "var(--variant-1)",
  neutral: "var(--variant-1)",
  promoters: "var(--success)",
  positive: "var(--success)",
};

export const bucketColor = (bucket: string): string => BUCKET_COLORS[bucket] ?? "var(--variant-2)";

import { formatPercent } from "#lib/platform/format.ts";
