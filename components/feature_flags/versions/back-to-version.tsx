"use client";

import { useState } from "react";
import type { Proposed } from "#components/conditions/who_changes/use-who-changes.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";

const WhoChanges = later(
  async () => (await import("#components/conditions/who_changes/who-changes.tsx")).WhoChanges,
);

type Props = { projectId: string; number: number | null; proposed: Proposed };

/** Whose value would change by going back to a version; counted when asked for. */
export function BackToVersion({ projectId, number, proposed }: Props) {
  const [asked, setAsked] = useState(false);
  if (!asked)
    return (
      <Button size="sm" className="w-fit" onClick={() => setAsked(true)}>
        Count who would change by reverting to version {number}
      </Button>
    );
  return (
    <section aria-label={`Reverting to version ${number}`} className="flex flex-col gap-1.5 text-sm">
      <h3 className="font-medium">Reverting to version {number}</h3>
      <WhoChanges projectId={projectId} proposed={proposed} />
    </section>
  );
}
