"use client";

import { CircleCheck, CircleX, Info, TriangleAlert } from "lucide-react";
import { useEffect } from "react";
import { Toaster as Sonner, toast } from "sonner";
import { Spinner } from "#components/ui/display/spinner.tsx";

/** @param onReady called with what shows toasts, once it can */
export function ToasterView({ onReady }: { onReady: (show: typeof toast) => void }) {
  useEffect(() => onReady(toast), [onReady]);
  return (
    <Sonner
      position="bottom-right"
      // Above the bar that saves a form: the message of one save must not cover the way to the next.
      offset={{ bottom: "4.5rem", right: "1.5rem" }}
      mobileOffset={{ bottom: "4.5rem" }}
      gap={8}
      visibleToasts={4}
      expand
      icons={{
        success: <CircleCheck aria-hidden="true" className="size-4 text-success-text" />,
        error: <CircleX aria-hidden="true" className="size-4 text-danger-text" />,
        warning: <TriangleAlert aria-hidden="true" className="size-4 text-warning-text" />,
        info: <Info aria-hidden="true" className="size-4 text-info-text" />,
        loading: <Spinner className="text-faint" />,
      }}
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            "flex w-full items-center gap-2.5 rounded-lg bg-raised px-3.5 py-3 text-ink text-sm shadow-modal sm:w-[22rem] font-sans",
          content: "min-w-0 flex-1",
          title: "font-medium break-words",
          description: "text-muted text-xs",
          icon: "shrink-0 grid place-items-center",
          actionButton:
            "ml-auto h-7 shrink-0 rounded-md border border-line-strong bg-surface px-2 font-medium text-accent-text text-xs hover:bg-hover",
        },
      }}
    />
  );
}
