"use client";

import { otherMembers } from "#components/surveys/draft/other-members.ts";
import { Button } from "#components/ui/button.tsx";
import { useBuilder } from "./builder-context.tsx";

/** Lists members of the conditions or the appearance without a control; they are preserved. */
export function OtherSettingsNote({ of }: { of: "conditions" | "appearance" }) {
  const { draft, show } = useBuilder();
  const kept = otherMembers(of, draft[of]);
  if (kept.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md bg-sunken px-3 py-2 text-muted text-xs">
      <p className="min-w-0 flex-1 basis-64 break-words">
        Also set and left unchanged: <span className="font-mono text-ink">{kept.join(", ")}</span>.
      </p>
      <Button size="sm" variant="ghost" onClick={() => show("json")}>
        Open the JSON
      </Button>
    </div>
  );
}
