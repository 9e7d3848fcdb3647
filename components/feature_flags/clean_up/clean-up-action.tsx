"use client";

import { useState } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt, problemOf, reportProblem } from "#components/kit/action.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";

const ToggleDialog = later(
  async () => (await import("#components/feature_flags/changes/toggle-dialog.tsx")).ToggleDialog,
);

const DeleteDialog = later(
  async () => (await import("#components/feature_flags/changes/delete-dialog.tsx")).DeleteDialog,
);

type Props = {
  projectId: string;
  flag: Pick<FlagRecord, "id" | "key" | "active">;
  names: Names;
  access: Access;
  actions: FlagActions;
  kind: "off" | "deleted";
};

/** Turns the flag off or deletes it, after saying who is affected. */
export function CleanUpAction({ projectId, flag, names, access, actions, kind }: Props) {
  const [asking, setAsking] = useState(false);
  const put = (body: { active?: boolean; deleted?: boolean }) =>
    attempt(() => actions.update(projectId, flag.id, body));
  const undoing = (body: Parameters<typeof put>[0]) => async () => problemOf(await put(body));
  const close = () => setAsking(false);
  async function turnOff() {
    const result = await put({ active: false });
    if (result.ok) toast.withUndo(`${flag.key} is off`, undoing({ active: true }), `${flag.key} is on again`);
    else reportProblem(`${flag.key} was not changed`, result);
  }
  async function remove() {
    const result = await put({ deleted: true });
    if (!result.ok) return problemOf(result);
    toast.withUndo(`${flag.key} was deleted`, undoing({ deleted: false }), `${flag.key} is back`);
    return undefined;
  }
  return (
    <>
      <Permit access={access}>
        <Button
          size="sm"
          className="w-fit"
          {...refused(access)}
          onClick={() => access.may_write && setAsking(true)}
        >
          {kind === "off" ? "Turn it off…" : "Delete it…"}
        </Button>
      </Permit>
      {asking && kind === "off" ? (
        <ToggleDialog
          {...{ projectId, flag, names, actions }}
          onClose={close}
          onConfirm={() => void turnOff()}
        />
      ) : null}
      {asking && kind === "deleted" ? (
        <DeleteDialog {...{ projectId, flag, actions }} onClose={close} onConfirm={remove} />
      ) : null}
    </>
  );
}
