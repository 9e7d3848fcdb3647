"use client";

import { useParts } from "#components/ui/use-parts.ts";
import type { PopoverProps } from "./parts/popover-box.tsx";
import { Opening, useOpen, useOpener } from "./trigger.tsx";

/** A small box beside its trigger, for a few controls or an explanation. */
export function Popover({ trigger, ...props }: PopoverProps) {
  const [open, setOpen] = useOpen(props);
  const opener = useOpener();
  const parts = useParts(open);
  return (
    <>
      <Opening opener={opener} kind="dialog" open={open} setOpen={setOpen}>
        {trigger}
      </Opening>
      {parts ? <parts.PopoverBox {...props} opener={opener} open={open} onOpenChange={setOpen} /> : null}
    </>
  );
}
