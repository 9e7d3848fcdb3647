"use client";

import * as Radix from "@radix-ui/react-tooltip";
import type { ReactNode } from "react";
import { Kbd } from "#components/ui/display/kbd.tsx";
import { useLayer } from "./layer.tsx";

export const TooltipProvider = Radix.Provider;

type TooltipProps = {
  /** Short plain text. Never the only place where something is said. */
  content: ReactNode;
  /** A shortcut shown beside the text, for example `"g f"`. */
  keys?: string;
  side?: "top" | "right" | "bottom" | "left";
  /** The trigger: one focusable element that takes a ref. */
  children: ReactNode;
};

/** Shows on hover and on keyboard focus; Escape hides it. */
export function Tooltip({ content, keys, side = "top", children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal container={useLayer()}>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex max-w-72 items-center gap-2 rounded-sm bg-inverse px-2 py-1 text-on-inverse text-xs shadow-pop data-[state=delayed-open]:animate-fade-in"
        >
          {content}
          {keys ? <Kbd keys={keys} inverse /> : null}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
