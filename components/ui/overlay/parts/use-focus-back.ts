import { useRef } from "react";

/** For a modal box that is opened by state: Radix gives the focus back to a trigger only, and there is none. */
export function useFocusBack() {
  const before = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: () => {
      before.current = document.activeElement;
    },
    onCloseAutoFocus: (event: Event) => {
      const opener = before.current;
      if (!(opener instanceof HTMLElement) || !opener.isConnected || opener === document.body) return;
      event.preventDefault();
      opener.focus();
    },
  };
}
