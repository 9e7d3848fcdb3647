"use client";

import { Pencil, RefreshCw, Trash2, UserPlus } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { type Access, attempt } from "#components/feature_flags/flag_actions.ts";
import { Permit, refused } from "#components/feature_flags/permit.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Dialog, DialogClose } from "#components/ui/dialog.tsx";
import { Field } from "#components/ui/field.tsx";
import { Textarea } from "#components/ui/textarea.tsx";
import { toast } from "#components/ui/toaster.tsx";
import type { CohortRecord } from "#lib/cohorts/schema.ts";
import { type CohortActions, idsIn } from "./cohort_actions.ts";

type Props = {
  projectId: string;
  cohort: CohortRecord;
  access: Access;
  actions: CohortActions;
  users: string[];
};

/** What can be done with a cohort. */
export function CohortButtons({ projectId, cohort, access, actions, users }: Props) {
  const router = useRouter();
  const [counting, setCounting] = useState(false);
  const [asking, setAsking] = useState<"add" | "delete">();
  const list = `/project/${projectId}/cohorts` as Route;

  async function count() {
    setCounting(true);
    const result = await attempt(() => actions.count(projectId, cohort.id));
    setCounting(false);
    if (!result.ok) toast.error(result.error.detail);
    else toast.success(`${(result.data.count ?? 0).toLocaleString("en")} people belong now`);
  }
  async function remove() {
    const result = await attempt(() => actions.update(projectId, cohort.id, { deleted: true }));
    if (!result.ok) return result.error.detail;
    toast.withUndo(
      `${cohort.name} was deleted`,
      async () => {
        const undone = await attempt(() => actions.update(projectId, cohort.id, { deleted: false }));
        return undone.ok ? undefined : undone.error.detail;
      },
      `${cohort.name} is back`,
    );
    router.push(list);
    return undefined;
  }
  if (!access.may_write)
    return (
      <Permit access={access}>
        <Button icon={Pencil} {...refused(access)}>
          Edit
        </Button>
      </Permit>
    );
  return (
    <>
      {cohort.is_static ? (
        <Button icon={UserPlus} onClick={() => setAsking("add")}>
          Add people
        </Button>
      ) : (
        <Button icon={RefreshCw} loading={counting} onClick={count}>
          Count again
        </Button>
      )}
      <Button icon={Trash2} variant="danger-ghost" onClick={() => setAsking("delete")}>
        Delete
      </Button>
      <ButtonLink href={`${list}/${cohort.id}/edit` as Route} icon={Pencil}>
        Edit
      </ButtonLink>
      {asking === "add" ? (
        <AddDialog {...{ projectId, cohort, actions }} onClose={() => setAsking(undefined)} />
      ) : null}
      {asking === "delete" ? (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && setAsking(undefined)}
          title={`Delete ${cohort.name}?`}
          description={
            users.length > 0
              ? "It is still used, and cannot be deleted before these let go of it:"
              : "Nothing uses it. You can undo this."
          }
          confirmLabel="Delete cohort"
          danger
          onConfirm={remove}
        >
          {users.length > 0 ? (
            <ul className="max-h-40 divide-y overflow-y-auto rounded-md border bg-sunken text-xs scroll-thin">
              {users.map((user) => (
                <li key={user} className="break-words px-3 py-1.5 font-medium">
                  {user}
                </li>
              ))}
            </ul>
          ) : null}
        </ConfirmDialog>
      ) : null}
    </>
  );
}

type AddProps = Pick<Props, "projectId" | "cohort" | "actions"> & { onClose: () => void };

function AddDialog({ projectId, cohort, actions, onClose }: AddProps) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [pending, setPending] = useState(false);
  const ids = idsIn(text);
  async function add() {
    if (ids.length === 0) return setProblem("Paste at least one id.");
    setPending(true);
    const result = await attempt(() => actions.addMembers(projectId, cohort.id, ids));
    setPending(false);
    if (!result.ok) return setProblem(result.error.detail);
    const { added, not_found } = result.data;
    const unknown = not_found > 0 ? `${not_found.toLocaleString("en")} ids belong to nobody.` : undefined;
    toast.success(
      `${added.toLocaleString("en")} people were added`,
      unknown === undefined ? undefined : { description: unknown },
    );
    onClose();
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Add people to ${cohort.name}`}
      description="By distinct id. Who is a member already stays one."
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="primary" loading={pending} onClick={add}>
            Add people
          </Button>
        </>
      }
    >
      <Field
        label="Distinct ids"
        description="One a line, or parted by commas."
        error={problem}
        hint={`${ids.length.toLocaleString("en")} ids`}
      >
        <Textarea
          mono
          rows={8}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
    </Dialog>
  );
}
