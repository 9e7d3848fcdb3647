import type * as Radix from "@radix-ui/react-menu";
import { createContext, useContext } from "react";

/** What the rows of an open menu are made of; there are none in a closed one. */
export const MenuPartsContext = createContext<typeof Radix | null>(null);

export function useMenuParts(): typeof Radix {
  const parts = useContext(MenuPartsContext);
  if (!parts) throw new Error("Rows of a menu have to be inside one");
  return parts;
}
