"use client";

import { Pencil, RefreshCw, Trash2, UserPlus } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { CohortActions } from "#app/project/[project_id]/cohorts/cohort-actions.ts";
import { idsIn } from "#components/cohorts/pasted-ids.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt, findProblem, problemOf, reportProblem } from "#components/kit/action.ts";
import { heldRequest } from "#components/kit/held.ts";
import { ConfirmOrPropose } from "#components/kit/propose/confirm-or-propose.tsx";
import { ProposeButton } from "#components/kit/propose/propose-button.tsx";
import { ProposeDialog } from "#components/kit/propose/propose-dialog.tsx";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { DialogClose } from "#components/ui/overlay/dialog-close.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { CohortRecord } from "#lib/people/cohorts/schema.ts";
import { plural } from "#lib/platform/format.ts";

type Props = {
  projectId: string;
  cohort: CohortRecord;
  access: Access;
  actions: CohortActions;
  users: string[];
};

/** The actions on a cohort. */
export function CohortButtons({ projectId, cohort, access, actions, users }: Props) {
  const router = useRouter();
  const [counting, setCounting] = useState(false);
  const [dialog, setDialog] = useState<"add" | "delete">();
  const list = `/project/${projectId}/cohorts` as Route;

  async function count() {
    setCounting(true);
    const result = await attempt(() => actions.count(projectId, cohort.id));
    setCounting(false);
    if (!result.ok) reportProblem("The cohort was not counted", result);
    else toast.success(`The cohort has ${plural(result.data.count ?? 0, "person", "people")} now`);
  }
  async function remove() {
    const result = await attempt(() => actions.update(projectId, cohort.id, { deleted: true }));
    if (!result.ok) return problemOf(result);
    toast.withUndo(
      `${cohort.name} was deleted`,
      () => findProblem(() => actions.update(projectId, cohort.id, { deleted: false })),
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
        <Button icon={UserPlus} onClick={() => setDialog("add")}>
          Add people
        </Button>
      ) : (
        <Button icon={RefreshCw} loading={counting} onClick={count}>
          Recount
        </Button>
      )}
      <Button icon={Trash2} variant="danger-ghost" onClick={() => setDialog("delete")}>
        Delete
      </Button>
      <ButtonLink href={`${list}/${cohort.id}/edit` as Route} icon={Pencil}>
        Edit
      </ButtonLink>
      {dialog === "add" ? (
        <AddDialog {...{ projectId, cohort, actions }} onClose={() => setDialog(undefined)} />
      ) : null}
      {dialog === "delete" ? (
        <ConfirmOrPropose
          onClose={() => setDialog(undefined)}
          title={`Delete ${cohort.name}?`}
          description={
            users.length > 0 ? "It is in use. Remove it from these first:" : "Not in use. You can undo this."
          }
          confirmLabel="Delete cohort"
          danger
          onConfirm={remove}
          proposal={{
            projectId,
            actions,
            title: `delete ${cohort.name}`,
            changes: () => [{ method: "PATCH", path: pathOf(projectId, cohort), body: { deleted: true } }],
          }}
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
        </ConfirmOrPropose>
      ) : null}
    </>
  );
}

const pathOf = (projectId: string, { id }: CohortRecord) => `/api/projects/${projectId}/cohorts/${id}/`;

type AddProps = Pick<Props, "projectId" | "cohort" | "actions"> & { onClose: () => void };

function AddDialog({ projectId, cohort, actions, onClose }: AddProps) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string>();
  const [pending, setPending] = useState(false);
  const [proposing, setProposing] = useState(false);
  const ids = idsIn(text);
  const isEmpty = () => {
    if (ids.length === 0) setProblem("Paste at least one id.");
    return ids.length === 0;
  };
  async function add() {
    if (isEmpty()) return;
    setPending(true);
    const result = await attempt(() => actions.addMembers(projectId, cohort.id, ids));
    setPending(false);
    if (heldRequest(result) !== null) return onClose();
    if (!result.ok) return setProblem(problemOf(result));
    const { added, not_found } = result.data;
    const unknown = not_found > 0 ? `${plural(not_found, "id was", "ids were")} not found.` : undefined;
    toast.success(
      `${plural(added, "person was", "people were")} added`,
      unknown === undefined ? undefined : { description: unknown },
    );
    onClose();
  }
  if (proposing)
    return (
      <ProposeDialog
        {...{ projectId, actions, onClose }}
        title={`add ${plural(ids.length, "person", "people")} to ${cohort.name}`}
        changes={() => [
          {
            method: "POST",
            path: `${pathOf(projectId, cohort)}add_persons_to_static_cohort/`,
            body: { distinct_ids: ids },
          },
        ]}
      />
    );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Add people to ${cohort.name}`}
      description="By distinct id. Existing members stay."
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <ProposeButton onClick={() => !isEmpty() && setProposing(true)} />
          <Button variant="primary" loading={pending} onClick={add}>
            Add people
          </Button>
        </>
      }
    >
      <Field
        label="Distinct ids"
        description="One per line, or separated by commas."
        error={problem}
        hint={plural(ids.length, "id")}
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
