"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { ActionResult } from "#lib/app/session/action-result.ts";
import { ProjectFields } from "./project-fields.tsx";

type Props = {
  access: Access;
  /** Creates a project; returns its id. */
  create: (body: { name: string; timezone: string }) => Promise<ActionResult<number>>;
};

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** A project is its name and its time zone; the rest comes with it. */
export function NewProjectForm({ access, create }: Props) {
  const router = useRouter();
  const [name, setName] = useState("");
  const [timezone, setTimezone] = useState("UTC");
  const [problem, setProblem] = useState<{ attr: string | null; detail: string }>();
  const [saving, setSaving] = useState(false);
  // The server does not know the reader's zone.
  useEffect(() => setTimezone(ownZone()), []);

  async function make() {
    if (!access.may_write) return;
    if (!name.trim()) return setProblem({ attr: "name", detail: "Give the project a name." });
    setSaving(true);
    const result = await attempt(() => create({ name: name.trim(), timezone }));
    setSaving(false);
    if (!result.ok) return setProblem(result.error);
    toast.success(`${name.trim()} is ready`);
    router.push(`/project/${result.data}/feature_flags` as Route);
  }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <Card
        footer={
          <Permit access={access}>
            <Button type="submit" variant="primary" loading={saving} {...refused(access)}>
              Create project
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
            explained
          />
        </div>
      </Card>
    </form>
  );
}
