import * as Radix from "@radix-ui/react-popover";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import { popClass } from "#components/ui/overlay/boxes.ts";
import { useLayer } from "#components/ui/overlay/layer.tsx";
import type { Opener } from "#components/ui/overlay/trigger.tsx";
import { useReturnFocus } from "./use-return-focus.ts";

export type PopoverProps = {
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

type PopoverBoxProps = Omit<PopoverProps, "trigger" | "open" | "onOpenChange"> & {
  opener: Opener;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** The box itself. */
export function PopoverBox({ opener, label, align = "start", side, ...props }: PopoverBoxProps) {
  return (
    <Radix.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Radix.Anchor virtualRef={opener.element} />
      <Radix.Portal container={useLayer()}>
        <Radix.Content
          aria-label={label}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          {...useReturnFocus(opener)}
          className={cn(popClass, "w-72 max-w-[calc(100vw-1rem)] p-3", props.className)}
        >
          {props.children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
