"use client";

import * as Radix from "@radix-ui/react-popover";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { useLayer } from "./layer.tsx";
import { popClass } from "./menu.tsx";

type PopoverProps = {
  /** One focusable element that takes a ref. */
  trigger: ReactNode;
  /** Names the box for screen readers. */
  label: string;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
  children: ReactNode;
};

/** A small box beside its trigger, for a few controls or an explanation. */
export function Popover({
  trigger,
  label,
  align = "start",
  side,
  className,
  children,
  ...state
}: PopoverProps) {
  return (
    <Radix.Root {...state}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={useLayer()}>
        <Radix.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          className={cn(popClass, "w-72 max-w-[calc(100vw-1rem)] p-3", className)}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
