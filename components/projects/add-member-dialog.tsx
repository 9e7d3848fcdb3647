"use client";

import { useState } from "react";
import type { ProjectActions } from "#app/project/[project_id]/settings/project/project-actions.ts";
import { attempt } from "#components/kit/action.ts";
import { LEVELS } from "#components/projects/levels.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { DialogClose } from "#components/ui/overlay/dialog-close.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";

type Props = {
  organization: { id: string; name: string; level: number };
  actions: ProjectActions;
  onClose: () => void;
};

type Draft = { email: string; first_name: string; last_name: string; level: string };

/** Adds a member, who signs in with a key that an administrator creates for them. */
export function AddMemberDialog({ organization, actions, onClose }: Props) {
  const [draft, setDraft] = useState<Draft>({ email: "", first_name: "", last_name: "", level: "1" });
  const [problem, setProblem] = useState<{ attr: string | null; detail: string }>();
  const [pending, setPending] = useState(false);
  const put = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const at = (field: string) => (problem?.attr === field ? problem.detail : undefined);
  const placed = ["email", "first_name", "last_name", "level"].includes(problem?.attr ?? "");

  async function add() {
    if (!draft.email.trim()) return setProblem({ attr: "email", detail: "Enter an email address." });
    setPending(true);
    const result = await attempt(() =>
      actions.addMember(organization.id, { ...draft, level: Number(draft.level) as 1 | 8 | 15 }),
    );
    setPending(false);
    if (!result.ok) return setProblem(result.error);
    toast.success(`${result.data.user.email} is a member now`, {
      description: "Create an API key for them so that they can sign in.",
    });
    onClose();
  }
  const name = (field: "first_name" | "last_name", label: string) => (
    <Field label={label} optional error={at(field)}>
      <Input
        autoComplete="off"
        maxLength={150}
        value={draft[field]}
        onChange={(event) => put({ [field]: event.target.value })}
      />
    </Field>
  );
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title={`Add a member to ${organization.name}`}
      description="No email is sent. Create an API key for them afterwards: they sign in with it."
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button type="submit" form="member-form" variant="primary" loading={pending}>
            Add member
          </Button>
        </>
      }
    >
      <form
        id="member-form"
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        {problem && !placed ? (
          <Callout tone="danger" live>
            {problem.detail}
          </Callout>
        ) : null}
        <Field label="Email address" required error={at("email")}>
          <Input
            type="email"
            autoComplete="off"
            value={draft.email}
            onChange={(event) => put({ email: event.target.value })}
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          {name("first_name", "First name")}
          {name("last_name", "Last name")}
        </div>
        <Field label="Level" error={at("level")} hint="Administrators also manage members, keys and tokens.">
          <Select
            value={draft.level}
            onValueChange={(level) => put({ level })}
            options={LEVELS.map((level) => ({
              ...level,
              disabled: Number(level.value) > organization.level,
            }))}
          />
        </Field>
      </form>
    </Dialog>
  );
}
