"use client";

import { Download, Trash2 } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { PersonActions } from "#app/project/[project_id]/persons/person-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Spinner } from "#components/ui/display/spinner.tsx";
import { FieldError } from "#components/ui/form/field.tsx";
import type { personDataContract } from "#lib/people/erasures/contract.ts";
import { StoredRows } from "./stored-rows.tsx";

type Props = {
  projectId: string;
  person: { uuid: string; name: string };
  access: Access;
  actions: PersonActions;
};

/** Exporting and erasing a person. */
export function PersonButtons({ projectId, person, access, actions }: Props) {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  const stored = useEndpoint<typeof personDataContract.stored>(
    "/api/projects/{project_id}/persons/{id}/stored/",
    { params: { project_id: projectId, id: person.uuid } },
    { enabled: open, retry: false },
  );
  async function erase() {
    const result = await attempt(() => actions.erase(projectId, person.uuid));
    if (!result.ok) return result.error.detail;
    router.push(`/project/${projectId}/persons/erasures/${result.data.id}` as Route);
    return undefined;
  }
  return (
    <>
      <Permit access={access}>
        <Button
          icon={Trash2}
          variant="danger-ghost"
          onClick={() => access.may_write && setOpen(true)}
          {...refused(access)}
        >
          Erase person
        </Button>
      </Permit>
      <a
        href={`/bff/api/projects/${projectId}/persons/${person.uuid}/export/`}
        download={`person-${person.uuid}.json`}
        className={buttonClass()}
      >
        <Download aria-hidden="true" />
        Export data
      </a>
      <ConfirmDialog
        open={open}
        onOpenChange={setOpen}
        title="Erase this person?"
        description="Everything stored about them is deleted for good, and figures change as if they had never been here, as far as the events behind them are still stored. This cannot be undone. Events with the same distinct id that arrive later create a new person."
        confirmLabel="Erase person"
        danger
        typeToConfirm={person.name}
        blocked={!stored.data}
        onConfirm={erase}
      >
        {stored.data ? (
          <StoredRows rows={stored.data.stored} label="What is deleted" />
        ) : stored.isError ? (
          <FieldError>{stored.error.message}</FieldError>
        ) : (
          <p className="flex items-center gap-2 text-muted text-sm">
            <Spinner /> Counting what is stored…
          </p>
        )}
      </ConfirmDialog>
    </>
  );
}
