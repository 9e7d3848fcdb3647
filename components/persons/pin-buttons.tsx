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

/** Pins the value of a flag for a person, or lets it go. */
export function PinButtons({ flag, ...props }: Props) {
  const [open, setOpen] = useState(false);
  const { projectId, person, actions } = props;
  const { pin } = flag;
  async function remove() {
    if (!pin) return;
    const problem = await findProblem(() => actions.unpin(projectId, flag.id, pin.id));
    if (problem) return toast.error("The pin was not removed", { description: problem });
    const { id: _, ...body } = pin;
    toast.withUndo(
      `${flag.key} is not pinned any more`,
      () => findProblem(() => actions.pin(projectId, flag.id, { ...body, person_id: person.id })),
      "The pin is back",
    );
  }
  return (
    <>
      <Button size="sm" variant="ghost" icon={Pin} onClick={() => setOpen(true)}>
        {pin ? "Edit pin…" : "Pin value…"}
        <span className="sr-only"> of {flag.key}</span>
      </Button>
      {pin ? (
        <Button size="sm" variant="ghost" icon={PinOff} onClick={remove}>
          Remove pin<span className="sr-only"> of {flag.key}</span>
        </Button>
      ) : null}
      {open ? <PinDialog {...props} flag={flag} pin={pin} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
