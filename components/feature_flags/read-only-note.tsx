import { Lock } from "lucide-react";
import type { Access } from "./flag-actions.ts";

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
