"use client";

import { Bell } from "lucide-react";
import { useOptimistic, useTransition } from "react";
import type { InboxActions } from "#app/project/[project_id]/inbox/inbox-actions.ts";
import { type Access, Permit } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { NativeSelect } from "#components/ui/form/native-select.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { ResourceType } from "#lib/notifications/messages/types-schema.ts";

const OPTIONS = [
  { value: "off", label: "Never" },
  { value: "at_once", label: "At once" },
  { value: "daily", label: "Once a day" },
] as const;

type Frequency = (typeof OPTIONS)[number]["value"];

const SAID: Record<Frequency, string> = {
  off: "You are no longer notified",
  at_once: "You are notified at once",
  daily: "You are notified once a day, at eight",
};

type Props = {
  projectId: string;
  resource: { resource_type: ResourceType; resource_id: string };
  current: Frequency;
  canSend: boolean;
  access: Access;
  actions: InboxActions;
  /** Where the page shows several: what it is about. */
  about?: string;
};

/** Whether, and how often, one is notified by e-mail. */
export function NotifySelect({ projectId, resource, current, canSend, access, actions, about }: Props) {
  const [shown, show] = useOptimistic(current);
  const [, start] = useTransition();
  const name = about === undefined ? "Notify me by e-mail" : `Notify me of ${about}`;

  function choose(next: string) {
    const chosen = OPTIONS.find(({ value }) => value === next)?.value;
    if (!chosen || !access.may_write) return;
    start(async () => {
      show(chosen);
      const problem = await findProblem(() =>
        chosen === "off"
          ? actions.unsubscribe(projectId, resource)
          : actions.subscribe(projectId, { ...resource, digest: chosen === "daily" }),
      );
      if (problem) toast.error(problem);
      else if (chosen !== "off" && !canSend)
        toast.warning(SAID[chosen], {
          description: "E-mail is not configured: nothing is sent until it is.",
        });
      else toast.success(SAID[chosen]);
    });
  }
  return (
    <div className="flex items-center gap-2 text-muted text-sm">
      {about === undefined ? (
        <>
          <Bell aria-hidden="true" className="size-4 shrink-0 text-faint" />
          <span>Notify me</span>
        </>
      ) : null}
      <Permit access={access}>
        <NativeSelect
          aria-label={name}
          value={shown}
          options={OPTIONS}
          disabled={!access.may_write}
          onChange={(event) => choose(event.target.value)}
          className="w-36"
        />
      </Permit>
    </div>
  );
}
