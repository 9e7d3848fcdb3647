"use client";

import { ChevronsUpDown } from "lucide-react";
import { usePathname } from "next/navigation";
import { cn } from "#components/ui/cn.ts";
import { Menu, MenuLabel, MenuLink } from "#components/ui/menu.tsx";
import { placeHref, placeOf } from "./destinations.ts";
import { LogoMark } from "./logo.tsx";
import type { ProjectChoice } from "./people.ts";

type ProjectSwitcherProps = {
  project: ProjectChoice;
  projects: readonly ProjectChoice[];
  narrow: boolean;
};

/** Which project this is, and the way to the same place in another one. */
export function ProjectSwitcher({ project, projects, narrow }: ProjectSwitcherProps) {
  const place = placeOf(usePathname());
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
    </Menu>
  );
}
