"use client";

import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { Spinner } from "#components/ui/display/spinner.tsx";
import { Tooltip } from "#components/ui/overlay/tooltip.tsx";
import { type ButtonSize, type ButtonVariant, buttonClass } from "./button-class.ts";
import { cn } from "./cn.ts";

type IconButtonProps = Omit<ComponentProps<"button">, "children"> & {
  icon: LucideIcon;
  /** Names the button and is its tooltip. */
  label: string;
  keys?: string;
  variant?: ButtonVariant;
  size?: ButtonSize;
  side?: "top" | "right" | "bottom" | "left";
  loading?: boolean;
};

const squares: Record<ButtonSize, string> = {
  sm: "w-7 px-0",
  md: "w-8 px-0",
  lg: "w-10 px-0",
};

/** A button with a picture only: always named, always with a tooltip. */
export function IconButton({
  icon: Icon,
  label,
  keys,
  variant = "ghost",
  size = "md",
  side,
  loading = false,
  className,
  onClick,
  ...props
}: IconButtonProps) {
  return (
    <Tooltip content={label} keys={keys} side={side}>
      <button
        type="button"
        {...props}
        aria-label={label}
        aria-busy={loading || undefined}
        aria-disabled={loading || props["aria-disabled"]}
        onClick={loading ? undefined : onClick}
        className={cn(buttonClass(variant, size), squares[size], "touch-target", className)}
      >
        {loading ? <Spinner /> : <Icon aria-hidden="true" />}
      </button>
    </Tooltip>
  );
}
