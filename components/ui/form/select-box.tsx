import * as Radix from "@radix-ui/react-popover";
import type { ReactNode } from "react";
import { cn } from "#components/ui/cn.ts";
import type { Listbox } from "#components/ui/form/use-listbox.ts";
import { popClass } from "#components/ui/overlay/boxes.ts";
import { useLayer } from "#components/ui/overlay/layer.tsx";

type SelectBoxProps = { listbox: Listbox; label: string; children: ReactNode };

/** The list of a select. The button keeps the focus, and moves in the list. */
export function SelectBox({ listbox, label, children }: SelectBoxProps) {
  return (
    <Radix.Root open={listbox.open} onOpenChange={listbox.setOpen}>
      <Radix.Anchor virtualRef={listbox.button} />
      <Radix.Portal container={useLayer()}>
        <Radix.Content
          id={listbox.id}
          role="listbox"
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onInteractOutside={listbox.ignoreButton}
          onMouseDown={(event) => event.preventDefault()}
          className={cn(
            popClass,
            "max-h-(--radix-popover-content-available-height) min-w-(--radix-popover-trigger-width) max-w-96 overflow-y-auto p-1 scroll-thin",
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
