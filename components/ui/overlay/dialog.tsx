"use client";

import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { buttonClass } from "#components/ui/button.tsx";
import { cn } from "#components/ui/cn.ts";
import { LayerContext } from "./layer.tsx";

/** The dimmed page behind anything modal. */
export const scrimClass =
  "fixed inset-0 z-40 bg-scrim data-[state=open]:animate-fade-in data-[state=closed]:animate-fade-out";

/** A modal box: full width at the bottom of a phone, centred from 640 px on. */
export const modalClass =
  "fixed z-50 flex max-h-[min(88dvh,56rem)] flex-col overflow-hidden bg-raised text-ink shadow-modal inset-x-0 bottom-0 rounded-t-xl data-[state=open]:animate-rise-in sm:inset-x-4 sm:top-[12vh] sm:bottom-auto sm:mx-auto sm:max-h-[76vh] sm:rounded-xl";

const widths = {
  sm: "sm:max-w-md",
  md: "sm:max-w-xl",
  lg: "sm:max-w-3xl",
  xl: "sm:max-w-5xl",
};

type DialogProps = {
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** The element that opens it, when it is not opened by state. */
  trigger?: ReactNode;
  title: ReactNode;
  description?: ReactNode;
  size?: keyof typeof widths;
  /** `drawer` opens at the right edge, full height: for looking at a row without leaving the list. */
  kind?: "modal" | "drawer";
  /** Buttons, right-aligned; put the main one last. */
  footer?: ReactNode;
  /** Left end of the footer: a hint, or a link. */
  aside?: ReactNode;
  children?: ReactNode;
  className?: string;
};

/** A modal dialog. Escape and the scrim close it; focus returns to where it was. */
export function Dialog(props: DialogProps) {
  const { size = "md", kind = "modal", trigger, footer, aside, children, description } = props;
  const [layer, setLayer] = useState<HTMLElement | null>(null);
  const before = useRef<Element | null>(null);
  // Radix gives the focus back to a trigger only; without one it would be lost.
  function giveFocusBack(event: Event) {
    const opener = before.current;
    if (trigger || !(opener instanceof HTMLElement) || !opener.isConnected || opener === document.body)
      return;
    event.preventDefault();
    opener.focus();
  }
  const drawer =
    "fixed inset-y-0 right-0 z-50 flex w-full max-w-xl flex-col bg-raised text-ink shadow-modal data-[state=closed]:animate-drawer-out data-[state=open]:animate-drawer-in";
  return (
    <Radix.Root open={props.open} onOpenChange={props.onOpenChange}>
      {trigger ? <Radix.Trigger asChild>{trigger}</Radix.Trigger> : null}
      <Radix.Portal>
        <Radix.Overlay className={scrimClass} />
        <Radix.Content
          ref={setLayer}
          onOpenAutoFocus={() => {
            before.current = document.activeElement;
          }}
          onCloseAutoFocus={giveFocusBack}
          {...(description ? {} : { "aria-describedby": undefined })}
          className={
            kind === "drawer" ? cn(drawer, size === "lg" && "max-w-3xl") : cn(modalClass, widths[size])
          }
        >
          <header className="py-4 pr-14 pl-5">
            <Radix.Title className="text-balance font-semibold text-ink text-lg">{props.title}</Radix.Title>
            {description ? (
              <Radix.Description className="mt-0.5 text-muted text-sm">{description}</Radix.Description>
            ) : null}
          </header>
          <div className={cn("min-h-0 flex-1 overflow-y-auto px-5 pb-5 scroll-thin", props.className)}>
            <LayerContext value={layer}>{children}</LayerContext>
          </div>
          {footer || aside ? <DialogFooter aside={aside}>{footer}</DialogFooter> : null}
          {/* Last, so that opening focuses what the dialog is about. */}
          <Radix.Close
            aria-label="Close"
            className={cn(buttonClass("ghost"), "absolute top-3 right-3 w-8 px-0")}
          >
            <X aria-hidden="true" />
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function DialogFooter({ aside, children }: { aside?: ReactNode; children?: ReactNode }) {
  return (
    <footer className="flex flex-wrap items-center justify-end gap-2 border-t bg-sunken px-5 py-3">
      {aside ? <div className="mr-auto min-w-0 text-muted text-xs">{aside}</div> : null}
      {children}
    </footer>
  );
}

/** Wraps a footer's button that only closes. */
export function DialogClose({ children }: { children: ReactNode }) {
  return <Radix.Close asChild>{children}</Radix.Close>;
}
