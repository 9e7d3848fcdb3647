import { formatValue } from "#components/charts/format.ts";

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

/** A caution where a share rests on few answers. */
export function smallNote(of: number): string | undefined {
  if (of === 0) return undefined;
  if (of < TOO_FEW) return "too few to tell";
  return of < FEW ? "few answers" : undefined;
}

export const percent = (fraction: number, digits = 1): string =>
  formatValue(fraction, { unit: "share", digits });

export const whole = (value: number): string => formatValue(value, { unit: "count" });

export const decimal = (value: number, digits = 2): string => formatValue(value, { unit: "number", digits });

export const intervalOf = ({
  lower,
  upper,
}: Pick<Share, "lower" | "upper">): readonly [number, number] | null =>
  lower === null || upper === null ? null : [lower, upper];

/** "41.2 %, 95 % interval 38.0 % to 44.5 %". */
export function shareInWords(share: Share): string {
  if (share.share === null) return "no share of nothing";
  const interval = intervalOf(share);
  const range = interval ? `, 95 % interval ${percent(interval[0])} to ${percent(interval[1])}` : "";
  return `${percent(share.share)}${range}`;
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${whole(count)} ${count === 1 ? one : many}`;

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
