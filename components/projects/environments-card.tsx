"use client";

import { ArrowRight, Layers, Pencil, Unlink } from "lucide-react";
import { useState } from "react";
import type { ProjectActions } from "#app/project/[project_id]/settings/project/project-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { findProblem } from "#components/kit/action.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { EnvironmentGroup } from "#lib/identity/environments/schema.ts";
import type { EnvironmentsDialogProps } from "./environments-dialog.tsx";

const EnvironmentsDialog = later<EnvironmentsDialogProps>(
  async () => (await import("./environments-dialog.tsx")).EnvironmentsDialog,
);

type Props = {
  project: { id: number; name: string };
  organizationId: string;
  groups: readonly EnvironmentGroup[];
  /** The projects of the organization. */
  projects: readonly { id: number; name: string }[];
  access: Access;
  actions: ProjectActions;
};

/** Which projects are environments of this one, in which order. */
export function EnvironmentsCard({ project, organizationId, groups, projects, access, actions }: Props) {
  const [dialog, setDialog] = useState<"edit" | "unlink">();
  const group = groups.find(({ environments }) =>
    environments.some((each) => each.project_id === project.id),
  );
  const taken = new Set(
    groups
      .filter((each) => each !== group)
      .flatMap((each) => each.environments.map(({ project_id }) => project_id)),
  );

  async function unlink() {
    if (!group) return undefined;
    const problem = await findProblem(() => actions.unlinkEnvironments(organizationId, group.id));
    if (problem) return problem;
    const environments = group.environments.map(({ project_id, name }) => ({ project_id, name }));
    toast.withUndo("The environments are no longer linked", () =>
      findProblem(() => actions.linkEnvironments(organizationId, { environments })),
    );
    return undefined;
  }
  const open = (which: typeof dialog) => access.may_write && setDialog(which);
  return (
    <Card
      id="environments"
      className="scroll-mt-16"
      title="Environments"
      description="Projects that run the same product, such as staging and production: their flags are compared, and changes are promoted from each to the next."
      actions={
        <Permit access={access}>
          <Button size="sm" icon={group ? Pencil : Layers} {...refused(access)} onClick={() => open("edit")}>
            {group ? "Edit environments" : "Link environments"}
          </Button>
        </Permit>
      }
    >
      {group ? (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <ol aria-label="Environments" className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
            {group.environments.map(({ project_id, name, project_name }, place) => (
              <li key={project_id} className="flex min-w-0 items-center gap-2">
                {place > 0 ? (
                  <ArrowRight aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
                ) : null}
                <span className="min-w-0 break-words font-medium">{name}</span>
                {project_id === project.id ? (
                  <Badge tone="accent">This project</Badge>
                ) : name === project_name ? null : (
                  <span className="break-words text-muted text-xs">{project_name}</span>
                )}
              </li>
            ))}
          </ol>
          <Permit access={access}>
            <Button
              size="sm"
              variant="danger-ghost"
              icon={Unlink}
              {...refused(access)}
              onClick={() => open("unlink")}
            >
              Unlink all
            </Button>
          </Permit>
        </div>
      ) : (
        <p className="text-muted text-sm">This project is not linked with any other.</p>
      )}
      {dialog === "edit" ? (
        <EnvironmentsDialog
          project={project}
          organizationId={organizationId}
          group={group ?? null}
          projects={projects.filter(({ id }) => !taken.has(id))}
          actions={actions}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
      {dialog === "unlink" ? (
        <ConfirmDialog
          open
          onOpenChange={(isOpen) => !isOpen && setDialog(undefined)}
          title="Unlink these environments?"
          description="Their flags stay as they are. They are no longer compared with one another."
          confirmLabel="Unlink"
          danger
          onConfirm={unlink}
        />
      ) : null}
    </Card>
  );
}
