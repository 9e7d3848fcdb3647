"use client";

import { History } from "lucide-react";
import { useState } from "react";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import type { ReplayRequest } from "#lib/flags/feature_flags/replay/replay-contract.ts";

const ReplayResult = later(async () => (await import("./replay-result.tsx")).ReplayResult);

type Props = { projectId: string; request: ReplayRequest };

/** Opens what an unsaved draft would have answered recorded calls with. */
export function ReplayDraft({ projectId, request }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" icon={History} onClick={() => setOpen(true)}>
        Replay recorded calls…
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        size="lg"
        title="Replay recorded calls"
        description="The calls of the last 7 days, answered by the unsaved draft."
      >
        <ReplayResult projectId={projectId} request={request} />
      </Dialog>
    </>
  );
}
