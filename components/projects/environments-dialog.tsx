"use client";

import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useState } from "react";
import type { ProjectActions } from "#app/project/[project_id]/settings/project/project-actions.ts";
import { attempt } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { DialogClose } from "#components/ui/overlay/dialog-close.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { ENVIRONMENTS_MAX, type EnvironmentGroup } from "#lib/identity/environments/schema.ts";

export type EnvironmentsDialogProps = {
  project: { id: number; name: string };
  organizationId: string;
  /** null: the project is in none yet. */
  group: EnvironmentGroup | null;
  /** The projects that can be environments of it, itself included. */
  projects: readonly { id: number; name: string }[];
  actions: ProjectActions;
  onClose: () => void;
};

type Listed = { project_id: number; name: string };

/** Links projects as environments of one another, names and orders them. */
export function EnvironmentsDialog(props: EnvironmentsDialogProps) {
  const { project, organizationId, group, projects, actions, onClose } = props;
  const original = group?.environments.map(({ project_id, name }) => ({ project_id, name }));
  const [list, setList] = useState<readonly Listed[]>(
    original ?? [{ project_id: project.id, name: project.name.slice(0, 60) }],
  );
  const [problem, setProblem] = useState<{ attr: string | null; detail: string }>();
  const [saving, setSaving] = useState(false);
  const nameOf = (id: number) => projects.find((each) => each.id === id)?.name ?? `Project ${id}`;
  const free = projects.filter(({ id }) => !list.some(({ project_id }) => project_id === id));
  const change = (next: readonly Listed[]) => {
    setProblem(undefined);
    setList(next);
  };
  const problemAt = (place: number) =>
    problem?.attr?.startsWith(`environments__${place}__`) ? problem.detail : undefined;
  const isPlaced = list.some((_, place) => problemAt(place) !== undefined);

  function move(place: number, by: number) {
    const next = [...list];
    const [moved] = next.splice(place, 1);
    if (moved) next.splice(place + by, 0, moved);
    change(next);
  }

  async function save() {
    setSaving(true);
    const environments = [...list];
    const result = await attempt(() =>
      group
        ? actions.updateEnvironments(organizationId, group.id, {
            environments,
            original_environments: original,
          })
        : actions.linkEnvironments(organizationId, { environments }),
    );
    setSaving(false);
    if (!result.ok) return setProblem(result.error);
    toast.success(group ? "The environments were changed" : "The environments are linked");
    onClose();
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={group ? "Edit environments" : "Link environments"}
      description="From the first to the last: changes are promoted from each to the next."
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button
            variant="primary"
            type="submit"
            form="environments-form"
            loading={saving}
            disabled={list.length < 2}
          >
            {group ? "Save" : "Link environments"}
          </Button>
        </>
      }
    >
      <form
        id="environments-form"
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {problem && !isPlaced ? (
          <Callout tone="danger" live>
            {problem.detail}
          </Callout>
        ) : null}
        <ol aria-label="Environments in order" className="flex flex-col gap-3">
          {list.map(({ project_id, name }, place) => (
            <li key={project_id} className="flex items-start gap-1.5">
              <Field
                label={nameOf(project_id)}
                className="min-w-0 flex-1"
                error={problemAt(place)}
                hint={place === 0 ? "What the environment is called." : undefined}
              >
                <Input
                  value={name}
                  maxLength={60}
                  onChange={(event) =>
                    change(
                      list.map((each, i) => (i === place ? { ...each, name: event.target.value } : each)),
                    )
                  }
                />
              </Field>
              <span className="flex pt-6">
                <IconButton
                  icon={ArrowUp}
                  label={`Move ${name} up`}
                  disabled={place === 0}
                  onClick={() => move(place, -1)}
                />
                <IconButton
                  icon={ArrowDown}
                  label={`Move ${name} down`}
                  disabled={place === list.length - 1}
                  onClick={() => move(place, 1)}
                />
                <IconButton
                  icon={X}
                  label={`Unlink ${name}`}
                  disabled={project_id === project.id && !group}
                  onClick={() => change(list.filter((_, i) => i !== place))}
                />
              </span>
            </li>
          ))}
        </ol>
        {free.length > 0 && list.length < ENVIRONMENTS_MAX ? (
          <Field label="Add a project">
            <Select
              value={undefined}
              placeholder="Choose a project"
              onValueChange={(id) =>
                change([...list, { project_id: Number(id), name: nameOf(Number(id)).slice(0, 60) }])
              }
              options={free.map(({ id, name }) => ({ value: String(id), label: name }))}
            />
          </Field>
        ) : free.length === 0 && list.length < 2 ? (
          <p className="text-muted text-sm">
            The organization has no other project that could be linked. Create one first.
          </p>
        ) : null}
      </form>
    </Dialog>
  );
}
