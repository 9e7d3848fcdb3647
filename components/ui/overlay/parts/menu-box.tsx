import * as Radix from "@radix-ui/react-menu";
import { type ReactNode, useCallback } from "react";
import { cn } from "#components/ui/cn.ts";
import { popClass } from "#components/ui/overlay/boxes.ts";
import { useLayer } from "#components/ui/overlay/layer.tsx";
import type { Opener } from "#components/ui/overlay/trigger.tsx";
import { MenuPartsContext } from "./menu-context.ts";
import { useReturnFocus } from "./use-return-focus.ts";

export type MenuProps = {
  /** One focusable element that takes a ref. */
  trigger: ReactNode;
  children: ReactNode;
  align?: "start" | "center" | "end";
  side?: "top" | "right" | "bottom" | "left";
  className?: string;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
};

type MenuBoxProps = Omit<MenuProps, "trigger" | "open" | "onOpenChange"> & {
  opener: Opener;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** Where the box opens by the keyboard, its first row has the focus; Radix knows that only of later times. */
function focusFirstRow(box: HTMLElement | null, opener: Opener): void {
  if (!box || !opener.byKeyboard.current) return;
  requestAnimationFrame(() =>
    box.querySelector<HTMLElement>('[role^="menuitem"]:not([data-disabled])')?.focus(),
  );
}

/** The menu itself. Not modal: the page stays readable to everyone while a menu is open. */
export function MenuBox({ opener, align = "end", side = "bottom", ...props }: MenuBoxProps) {
  const showFocus = useCallback((box: HTMLElement | null) => focusFirstRow(box, opener), [opener]);
  return (
    <Radix.Root modal={false} open={props.open} onOpenChange={props.onOpenChange}>
      <Radix.Anchor virtualRef={opener.element} />
      <Radix.Portal container={useLayer()}>
        <Radix.Content
          ref={showFocus}
          aria-labelledby={opener.id}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          {...useReturnFocus(opener)}
          className={cn(
            popClass,
            "max-h-(--radix-popper-available-height) min-w-44 max-w-80 overflow-y-auto p-1",
            props.className,
          )}
        >
          <MenuPartsContext value={Radix}>{props.children}</MenuPartsContext>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
