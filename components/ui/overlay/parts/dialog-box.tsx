import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { buttonClass } from "#components/ui/button-class.ts";
import { cn } from "#components/ui/cn.ts";
import { modalClass, scrimClass } from "#components/ui/overlay/boxes.ts";
import { CloseContext } from "#components/ui/overlay/dialog-close.tsx";
import { LayerContext } from "#components/ui/overlay/layer.tsx";
import { useFocusBack } from "./use-focus-back.ts";

const widths = {
  sm: "sm:max-w-md",
  md: "sm:max-w-xl",
  lg: "sm:max-w-3xl",
  xl: "sm:max-w-5xl",
};

const drawer =
  "fixed inset-y-0 right-0 z-50 flex w-full max-w-xl flex-col bg-raised text-ink shadow-modal data-[state=closed]:animate-drawer-out data-[state=open]:animate-drawer-in";

export type DialogProps = {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  description?: ReactNode;
  size?: "sm" | "md" | "lg" | "xl";
  /** `drawer` opens at the right edge, full height: for looking at a row without leaving the list. */
  kind?: "modal" | "drawer";
  /** Buttons, right-aligned; put the main one last. */
  footer?: ReactNode;
  /** Left end of the footer: a hint, or a link. */
  aside?: ReactNode;
  children?: ReactNode;
  className?: string;
};

/** The dialog itself. */
export function DialogBox(props: DialogProps) {
  const { size = "md", kind = "modal", footer, aside, children, description } = props;
  const [layer, setLayer] = useState<HTMLElement | null>(null);
  const focusBack = useFocusBack();
  return (
    <Radix.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={scrimClass} />
        <Radix.Content
          ref={setLayer}
          {...focusBack}
          {...(description ? {} : { "aria-describedby": undefined })}
          className={
            kind === "drawer" ? cn(drawer, size === "lg" && "max-w-3xl") : cn(modalClass, widths[size])
          }
        >
          <CloseContext value={() => props.onOpenChange(false)}>
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
          </CloseContext>
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
