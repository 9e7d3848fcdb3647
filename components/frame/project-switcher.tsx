"use client";

import { ChevronsUpDown, FlaskConical, FolderPlus } from "lucide-react";
import { usePathname } from "next/navigation";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { cn } from "#components/ui/cn.ts";
import { Menu, MenuLabel, MenuLink, MenuSeparator } from "#components/ui/overlay/menu.tsx";
import type { demoContract } from "#lib/app/demo/contract.ts";
import { placeHref, placeOf } from "./destinations.ts";
import { useMay } from "./frame-context.tsx";
import { LogoMark } from "./logo.tsx";

/** A project to switch to. */
export type ProjectChoice = { id: number; name: string };

/** Link to load a demo project if there is none yet; for keys that can create one. */
function DemoLink({ projectId }: { projectId: number }) {
  const demo = useEndpoint<typeof demoContract.retrieve>(
    "/api/organizations/@current/demo_project/",
    {},
    { retry: false },
  );
  if (demo.data !== null) return null;
  return (
    <MenuLink href={placeHref(projectId, "settings/project#demo")} icon={FlaskConical}>
      Load the demo project…
    </MenuLink>
  );
}

type ProjectSwitcherProps = {
  project: ProjectChoice;
  projects: readonly ProjectChoice[];
  narrow: boolean;
};

/** Shows the project and switches to the same page in another one. */
export function ProjectSwitcher({ project, projects, narrow }: ProjectSwitcherProps) {
  const place = placeOf(usePathname());
  const mayMake = useMay("project:write");
  return (
    <Menu
      align="start"
      className="min-w-56"
      trigger={
        <button
          type="button"
          aria-label={`Project ${project.name}, switch project`}
          className={cn(
            "focus-inset flex h-9 min-w-0 items-center gap-2 rounded-md px-1.5 text-left hover:bg-pressed/70 data-[state=open]:bg-pressed",
            narrow && "w-9 justify-center px-0",
          )}
        >
          <LogoMark className="size-6 shrink-0" />
          {narrow ? null : (
            <>
              <span className="min-w-0 flex-1 truncate font-semibold text-sm">{project.name}</span>
              <ChevronsUpDown aria-hidden="true" className="size-3.5 shrink-0 text-faint" />
            </>
          )}
        </button>
      }
    >
      <MenuLabel>Projects</MenuLabel>
      {projects.map((each) => (
        <MenuLink
          key={each.id}
          href={placeHref(each.id, place?.path ?? "feature_flags")}
          current={each.id === project.id}
        >
          {each.name}
        </MenuLink>
      ))}
      {mayMake ? (
        <>
          <MenuSeparator />
          <MenuLink href={placeHref(project.id, "settings/new_project")} icon={FolderPlus}>
            New project…
          </MenuLink>
          <DemoLink projectId={project.id} />
        </>
      ) : null}
    </Menu>
  );
}
