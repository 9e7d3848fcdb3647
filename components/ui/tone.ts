/** What a colour means. `neutral` carries no judgement, `accent` marks what is chosen or new. */
export type Tone = "neutral" | "accent" | "success" | "warning" | "danger" | "info";

/** Text, fill and border of a tinted surface. */
export const softTone: Record<Tone, string> = {
  neutral: "bg-hover text-muted border-line-strong",
  accent: "bg-accent-soft text-accent-text border-accent-line",
  success: "bg-success-soft text-success-text border-success-line",
  warning: "bg-warning-soft text-warning-text border-warning-line",
  danger: "bg-danger-soft text-danger-text border-danger-line",
  info: "bg-info-soft text-info-text border-info-line",
};

/** Text alone, on any surface. */
export const textTone: Record<Tone, string> = {
  neutral: "text-muted",
  accent: "text-accent-text",
  success: "text-success-text",
  warning: "text-warning-text",
  danger: "text-danger-text",
  info: "text-info-text",
};

/** How many variant colours there are; an eleventh variant reuses the first. */
export const variantColorCount = 10;

/**
 * Colour of the variant at `index` (0-based) as a CSS value: the same on every page. Always name the variant
 * beside it.
 */
export function variantColor(index: number): string {
  return `var(--variant-${(index % variantColorCount) + 1})`;
}
