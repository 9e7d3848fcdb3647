"use client";

import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { useState } from "react";
import { scrimClass } from "#components/ui/overlay/boxes.ts";
import { LayerContext } from "#components/ui/overlay/layer.tsx";
import { useFocusBack } from "#components/ui/overlay/parts/use-focus-back.ts";
import { RailBody, type RailProps } from "./rail.tsx";

type MenuSheetProps = RailProps & { open: boolean; onOpenChange: (open: boolean) => void };

/** The sidebar on small screens. */
export function MenuSheet({ open, onOpenChange, ...props }: MenuSheetProps) {
  const [layer, setLayer] = useState<HTMLElement | null>(null);
  const focusBack = useFocusBack();
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={scrimClass} />
        <Radix.Content
          ref={setLayer}
          {...focusBack}
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] bg-canvas shadow-modal data-[state=closed]:animate-sheet-out data-[state=open]:animate-sheet-in"
        >
          <Radix.Title className="sr-only">Menu</Radix.Title>
          <LayerContext value={layer}>
            <RailBody
              {...props}
              narrow={false}
              openPalette={() => {
                onOpenChange(false);
                props.openPalette();
              }}
            />
          </LayerContext>
          <Radix.Close
            aria-label="Close the menu"
            className="absolute top-2 -right-11 grid size-9 place-items-center rounded-full bg-raised text-ink shadow-pop"
          >
            <X aria-hidden="true" className="size-4" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
