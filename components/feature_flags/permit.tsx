"use client";

import type { ReactNode } from "react";
import { Tooltip } from "#components/ui/overlay/tooltip.tsx";
import type { Access } from "./flag-actions.ts";

/** Props of a control when the key cannot write: it stays focusable, says why, and does nothing. */
export const refused = (access: Access) => (access.may_write ? {} : { "aria-disabled": true as const });

/** Adds the reason to a control that the key cannot use, as a tooltip for pointer and keyboard. */
export function Permit({ access, children }: { access: Access; children: ReactNode }) {
  if (access.may_write) return children;
  return <Tooltip content={access.reason}>{children}</Tooltip>;
}
