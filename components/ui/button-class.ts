import { cn } from "./cn.ts";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger" | "danger-ghost";
export type ButtonSize = "sm" | "md" | "lg";

const base =
  "relative inline-flex shrink-0 select-none items-center justify-center rounded-md border font-medium whitespace-nowrap transition-[background-color,border-color,color,box-shadow] duration-100 disabled:opacity-50 aria-disabled:opacity-50 disabled:cursor-not-allowed aria-disabled:cursor-not-allowed";

const variants: Record<ButtonVariant, string> = {
  primary:
    "border-transparent bg-accent text-on-accent shadow-xs hover:bg-accent-hover active:bg-accent-hover aria-busy:bg-accent",
  secondary:
    "border-line-strong bg-surface text-ink shadow-xs hover:bg-hover active:bg-pressed data-[state=open]:bg-hover",
  ghost:
    "border-transparent bg-transparent text-muted hover:bg-hover hover:text-ink active:bg-pressed data-[state=open]:bg-hover data-[state=open]:text-ink",
  danger:
    "border-transparent bg-danger text-on-danger shadow-xs hover:bg-danger-hover active:bg-danger-hover",
  "danger-ghost":
    "border-transparent bg-transparent text-danger-text hover:bg-danger-soft active:bg-danger-soft",
};

const sizes: Record<ButtonSize, string> = {
  sm: "h-7 gap-1.5 px-2 text-xs [&_svg]:size-3.5",
  md: "h-8 gap-1.5 px-3 text-sm [&_svg]:size-4",
  lg: "h-10 gap-2 px-4 text-base [&_svg]:size-4",
};

/** The classes of a button, for the rare element that has to look like one. */
export function buttonClass(variant: ButtonVariant = "secondary", size: ButtonSize = "md"): string {
  return cn(base, variants[variant], sizes[size]);
}
