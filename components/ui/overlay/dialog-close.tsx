"use client";

import {
  cloneElement,
  createContext,
  isValidElement,
  type MouseEvent,
  type ReactNode,
  useContext,
} from "react";

/** Closes the dialog around it. */
export const CloseContext = createContext<() => void>(() => undefined);

type Pressable = { onClick?: (event: MouseEvent<HTMLElement>) => void };

/** Wraps a footer's button that only closes. */
export function DialogClose({ children }: { children: ReactNode }): ReactNode {
  const close = useContext(CloseContext);
  if (!isValidElement<Pressable>(children)) throw new Error("What closes a dialog has to be one button");
  return cloneElement(children, {
    onClick: (event: MouseEvent<HTMLElement>) => {
      children.props.onClick?.(event);
      close();
    },
  });
}
