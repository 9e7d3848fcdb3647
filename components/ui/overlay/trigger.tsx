"use client";

import {
  cloneElement,
  type HTMLAttributes,
  isValidElement,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  type RefObject,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";

type TriggerProps = HTMLAttributes<HTMLElement> & { ref?: Ref<HTMLElement>; "data-state"?: string };

/** The state of a box that a button opens: its own, or that of whoever uses it. */
export function useOpen(given: {
  open?: boolean | undefined;
  onOpenChange?: ((open: boolean) => void) | undefined;
}) {
  const [own, setOwn] = useState(false);
  const setOpen = (next: boolean) => {
    setOwn(next);
    given.onOpenChange?.(next);
  };
  return [given.open ?? own, setOpen] as const;
}

/** What opens a box: where it is, its id, and whether the keyboard was used. */
export type Opener = { element: RefObject<HTMLElement | null>; id: string; byKeyboard: RefObject<boolean> };

export function useOpener(): Opener {
  const element = useRef<HTMLElement>(null);
  const byKeyboard = useRef(false);
  const id = useId();
  return useMemo(() => ({ element, id, byKeyboard }), [id]);
}

/** A press on the trigger closes the box by itself: it is not a press beside the box as well. */
export const ignoring =
  ({ element }: Opener) =>
  (event: { target: EventTarget | null; preventDefault: () => void }) => {
    if (event.target instanceof Node && element.current?.contains(event.target)) event.preventDefault();
  };

function setRef(ref: Ref<HTMLElement> | undefined, element: HTMLElement | null) {
  if (typeof ref === "function") ref(element);
  else if (ref) ref.current = element;
}

type OpeningProps = {
  opener: Opener;
  kind: "menu" | "dialog";
  open: boolean;
  setOpen: (open: boolean) => void;
  /** One focusable element that takes a ref. */
  children: ReactNode;
};

/** The element that opens a box, with what tells assistive technology about it. */
export function Opening({ opener, kind, open, setOpen, children }: OpeningProps): ReactNode {
  if (!isValidElement<TriggerProps>(children)) throw new Error("What opens a box has to be one element");
  const { props } = children;
  const { element, byKeyboard } = opener;
  return cloneElement(children, {
    id: opener.id,
    ref: (found: HTMLElement | null) => {
      element.current = found;
      setRef(props.ref, found);
    },
    "aria-haspopup": kind,
    "aria-expanded": open,
    "data-state": open ? "open" : "closed",
    onClick: (event: MouseEvent<HTMLElement>) => {
      props.onClick?.(event);
      if (event.defaultPrevented || props["aria-disabled"] === true) return;
      // A press of Enter or Space is a click without a pointer.
      byKeyboard.current = event.detail === 0;
      setOpen(!open);
    },
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      props.onKeyDown?.(event);
      if (kind !== "menu" || event.key !== "ArrowDown" || props["aria-disabled"] === true) return;
      event.preventDefault();
      byKeyboard.current = true;
      setOpen(true);
    },
  });
}
