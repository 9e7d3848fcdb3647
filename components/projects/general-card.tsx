"use client";

import { useState } from "react";
import type { ProjectActions } from "#app/project/[project_id]/settings/project/project-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { useUnsavedGuard } from "#components/kit/editor/unsaved-guard.tsx";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { Copyable } from "#components/ui/display/copyable.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { ProjectFields } from "./project-fields.tsx";

type Props = {
  project: { id: number; name: string; timezone: string };
  access: Access;
  actions: ProjectActions;
};

/** A project's name and time zone. */
export function GeneralCard({ project, access, actions }: Props) {
  const [name, setName] = useState(project.name);
  const [timezone, setTimezone] = useState(project.timezone);
  const [problem, setProblem] = useState<{ attr: string | null; detail: string }>();
  const [saving, setSaving] = useState(false);
  const dirty = name.trim() !== project.name || timezone !== project.timezone;
  useUnsavedGuard(dirty);

  async function save() {
    if (!access.may_write || !dirty) return;
    if (!name.trim()) return setProblem({ attr: "name", detail: "Give the project a name." });
    setSaving(true);
    const result = await attempt(() =>
      actions.update(String(project.id), {
        ...(name.trim() === project.name ? {} : { name: name.trim() }),
        ...(timezone === project.timezone ? {} : { timezone }),
      }),
    );
    setSaving(false);
    setProblem(result.ok ? undefined : result.error);
    if (result.ok) toast.success("The project was updated");
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Card
        title="General"
        footer={
          <Permit access={access}>
            <Button
              type="submit"
              variant="primary"
              loading={saving}
              disabled={access.may_write && !dirty}
              {...refused(access)}
            >
              Save changes
            </Button>
          </Permit>
        }
      >
        <div className="flex flex-col gap-4">
          <ProjectFields
            name={name}
            onNameChange={setName}
            timezone={timezone}
            onTimezoneChange={setTimezone}
            problem={problem}
            readOnly={!access.may_write}
          />
          <p className="text-muted text-xs">
            Project id: <Copyable text={String(project.id)} label="project id" />
          </p>
        </div>
      </Card>
    </form>
  );
}
