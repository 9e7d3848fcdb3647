"use client";

import type { ReactNode } from "react";
import { Tooltip } from "#components/ui/tooltip.tsx";
import type { Access } from "./flag_actions.ts";

/** What a control takes when the key may not write: it stays reachable, says why, and does nothing. */
export const refused = (access: Access) => (access.may_write ? {} : { "aria-disabled": true as const });

/** Puts the reason on a control that the key may not use, as a tooltip for pointer and keyboard. */
export function Permit({ access, children }: { access: Access; children: ReactNode }) {
  if (access.may_write) return children;
  return <Tooltip content={access.reason}>{children}</Tooltip>;
}
