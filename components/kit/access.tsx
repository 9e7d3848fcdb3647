"use client";

import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { Tooltip } from "#components/ui/overlay/tooltip.tsx";

/** What the signed-in key can do, and why not. */
export type Access = { may_write: boolean; reason: string | null };

/** Props of a control when the key cannot write: it stays focusable, says why, and does nothing. */
export const refused = (access: Access) => (access.may_write ? {} : { "aria-disabled": true as const });

/** Adds the reason to a control that the key cannot use, as a tooltip for pointer and keyboard. */
export function Permit({ access, children }: { access: Access; children: ReactNode }) {
  if (access.may_write) return children;
  return <Tooltip content={access.reason}>{children}</Tooltip>;
}

/** Says up front that this key is read-only. */
export function ReadOnlyNote({ access }: { access: Access }) {
  if (access.may_write) return null;
  return (
    <p
      role="note"
      className="mb-4 flex items-start gap-2 rounded-lg border border-line-strong bg-sunken px-3 py-2 text-muted text-sm"
    >
      <Lock aria-hidden="true" className="mt-0.5 size-3.5 shrink-0" />
      <span>
        <strong className="font-medium text-ink">Read only.</strong> {access.reason}
      </span>
    </p>
  );
}
