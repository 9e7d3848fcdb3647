"use client";

import { CircleCheck, CircleX, Info, TriangleAlert } from "lucide-react";
import { Toaster as Sonner, toast as sonner } from "sonner";
import { Spinner } from "#components/ui/display/spinner.tsx";

/** Where toasts appear. Mounted once, in the providers. */
export function Toaster() {
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

type ToastOptions = { description?: string; id?: string | number };

/** Short messages at the edge of the page. Never the only place of an error that belongs to a field. */
export const toast = {
  success: (message: string, options?: ToastOptions) => sonner.success(message, options),
  info: (message: string, options?: ToastOptions) => sonner.info(message, options),
  warning: (message: string, options?: ToastOptions) => sonner.warning(message, options),
  error: (message: string, options?: ToastOptions) => sonner.error(message, { duration: 10_000, ...options }),
  dismiss: (id?: string | number) => sonner.dismiss(id),

  /**
   * Says what was done and offers to undo it for ten seconds.
   *
   * @param undo reverts the action; a returned text is the problem that stopped it
   * @param undone said when it has worked
   */
  withUndo(message: string, undo: () => Promise<string | undefined>, undone = "Undone") {
    sonner.success(message, {
      duration: 10_000,
      action: {
        label: "Undo",
        onClick: async () => {
          const id = sonner.loading("Undoing…");
          const problem = await undo().catch(
            () => "That could not be undone. Reload to see the current state.",
          );
          if (problem === undefined) sonner.success(undone, { id });
          else sonner.error(problem, { id, duration: 10_000 });
        },
      },
    });
  },
};
