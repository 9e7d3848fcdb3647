"use client";

import { Pin, PinOff } from "lucide-react";
import { useState } from "react";
import type { PersonActions } from "#app/project/[project_id]/persons/person-actions.ts";
import { findProblem } from "#components/kit/action.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

const PinDialog = later(async () => (await import("./pin-dialog.tsx")).PinDialog);

export type Pinning = {
  timezone: string;
  person: { id: string; name: string };
  actions: PersonActions;
};

type Props = Pinning & {
  projectId: string;
  idCount: number;
  flag: {
    id: number;
    key: string;
    active: boolean;
    value: boolean | string;
    pin: { id: string; value: boolean | string; until: string | null; reason: string } | null;
  };
};

/** Opens the dialog that pins the value of a flag for a person. */
export function PinButton({ flag, ...props }: Props) {
  const [open, setOpen] = useState(false);
  const { pin } = flag;
  return (
    <>
      <Button size="sm" variant="ghost" icon={Pin} onClick={() => setOpen(true)}>
        <span className="max-sm:sr-only">{pin ? "Edit pin…" : "Pin value…"}</span>
        <span className="sr-only"> of {flag.key}</span>
      </Button>
      {open ? <PinDialog {...props} flag={flag} pin={pin} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

export function RemovePinButton({ projectId, person, actions, flag }: Omit<Props, "idCount" | "timezone">) {
  const { pin } = flag;
  if (!pin) return null;
  const { id: pinId, ...body } = pin;
  async function remove() {
    const problem = await findProblem(() => actions.unpin(projectId, flag.id, pinId));
    if (problem) return toast.error("The pin was not removed", { description: problem });
    toast.withUndo(
      `${flag.key} is not pinned any more`,
      () => findProblem(() => actions.pin(projectId, flag.id, { ...body, person_id: person.id })),
      "The pin is back",
    );
  }
  return (
    <Button size="sm" variant="ghost" icon={PinOff} className="-ml-2" onClick={remove}>
      Remove pin<span className="sr-only"> of {flag.key}</span>
    </Button>
  );
}
