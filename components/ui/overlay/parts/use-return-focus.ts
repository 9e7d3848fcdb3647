import { useRef } from "react";
import { ignoring, type Opener } from "#components/ui/overlay/trigger.tsx";

type Outside = Parameters<ReturnType<typeof ignoring>>[0] & { readonly defaultPrevented: boolean };

/**
 * For a box that is no dialog: the focus goes back to what opened it, unless something else was pressed or has the
 * focus by now.
 */
export function useReturnFocus(opener: Opener) {
  const pressedElsewhere = useRef(false);
  return {
    onInteractOutside: (event: Outside) => {
      ignoring(opener)(event);
      pressedElsewhere.current = !event.defaultPrevented;
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      const isFree = document.activeElement === null || document.activeElement === document.body;
      if (!pressedElsewhere.current && isFree) opener.element.current?.focus();
      pressedElsewhere.current = false;
    },
  };
}
