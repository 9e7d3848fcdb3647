"use client";

import { PanelLeftClose, PanelLeftOpen, Search } from "lucide-react";
import { usePathname } from "next/navigation";
import { cn } from "#components/ui/cn.ts";
import { Kbd } from "#components/ui/display/kbd.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Link } from "#components/ui/link.tsx";
import { Tooltip } from "#components/ui/overlay/tooltip.tsx";
import type { SignedIn } from "./account-menu.tsx";
import { AccountMenu } from "./account-menu.tsx";
import { type Destination, destinations, placeHref, placeOf, shownPlaces } from "./destinations.ts";
import { useFrame } from "./frame-context.tsx";
import type { ProjectChoice } from "./project-switcher.tsx";
import { ProjectSwitcher } from "./project-switcher.tsx";

export type RailProps = {
  user: SignedIn;
  projects: readonly ProjectChoice[];
  project: ProjectChoice;
  openPalette: () => void;
  openShortcuts: () => void;
};

type BodyProps = RailProps & {
  narrow: boolean;
  /** Absent in the sheet of small screens, which closes instead. */
  onNarrow?: (narrow: boolean) => void;
};

/** The contents of the sidebar, and of the sheet that replaces it on small screens. */
export function RailBody({
  narrow,
  onNarrow,
  project,
  projects,
  user,
  openPalette,
  openShortcuts,
}: BodyProps) {
  const { hasApprovals } = useFrame();
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className={cn("flex flex-col gap-2 p-2 pt-3", narrow && "items-center")}>
        <ProjectSwitcher project={project} projects={projects} narrow={narrow} />
        <SearchButton narrow={narrow} open={openPalette} />
      </div>
      <nav aria-label="Main" className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 scroll-thin">
        {destinations.map((group) => (
          <div
            key={group.title ?? "first"}
            className={cn(group.title && "mt-4", narrow && group.title && "border-t pt-3")}
          >
            {group.title && !narrow ? (
              <h2 className="px-2 pb-1 font-medium text-2xs text-faint">{group.title}</h2>
            ) : null}
            <ul className={cn("flex flex-col gap-px", narrow && "items-center")}>
              {shownPlaces(hasApprovals, group.places).map((place) => (
                <li key={place.path} className={cn(!narrow && "w-full")}>
                  <PlaceLink place={place} projectId={project.id} narrow={narrow} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div className={cn("flex items-center gap-1 border-t p-2", narrow && "flex-col")}>
        <AccountMenu user={user} projectId={project.id} narrow={narrow} openShortcuts={openShortcuts} />
        {onNarrow ? (
          <IconButton
            icon={narrow ? PanelLeftOpen : PanelLeftClose}
            label={narrow ? "Expand the sidebar" : "Collapse the sidebar"}
            keys="["
            side={narrow ? "right" : "top"}
            aria-pressed={narrow}
            onClick={() => onNarrow(!narrow)}
          />
        ) : null}
      </div>
    </div>
  );
}

function SearchButton({ narrow, open }: { narrow: boolean; open: () => void }) {
  if (narrow)
    return <IconButton icon={Search} label="Search or jump to" keys="mod+k" side="right" onClick={open} />;
  return (
    <button
      type="button"
      onClick={open}
      className="flex h-8 items-center gap-2 rounded-md border border-line-strong bg-surface px-2 text-faint text-sm shadow-xs hover:border-line-control hover:text-muted"
    >
      <Search aria-hidden="true" className="size-3.5" />
      <span className="min-w-0 flex-1 truncate text-left">Search…</span>
      <Kbd keys="mod+k" />
    </button>
  );
}

function PlaceLink({ place, projectId, narrow }: { place: Destination; projectId: number; narrow: boolean }) {
  const current = placeOf(usePathname()) === place;
  const { inbox } = useFrame();
  const found = place.path === "inbox" && inbox?.projectId === projectId ? inbox : null;
  const label = found?.label ?? place.label;
  const Icon = place.icon;
  const link = (
    <Link
      href={placeHref(projectId, place.path)}
      aria-current={current ? "page" : undefined}
      aria-label={narrow || found ? label : undefined}
      className={cn(
        "focus-inset group flex h-7 items-center gap-2 rounded-md px-2 font-medium text-muted text-sm hover:bg-pressed/70 hover:text-ink max-frame:h-9",
        "aria-[current=page]:bg-pressed aria-[current=page]:text-ink",
        narrow && "relative w-8 justify-center px-0 h-8",
      )}
    >
      <Icon
        aria-hidden="true"
        className="size-4 shrink-0 text-faint group-hover:text-muted group-aria-[current=page]:text-accent-text"
      />
      {narrow ? null : <span className="truncate">{place.label}</span>}
      {found?.shown ? (
        <span
          className={cn(
            "tabular text-2xs",
            narrow
              ? "absolute top-0.5 right-0.5 size-1.5 rounded-full bg-accent"
              : "ml-auto min-w-5 rounded-full bg-pressed px-1.5 py-px text-center text-ink",
          )}
        >
          {narrow ? null : found.shown}
        </span>
      ) : null}
    </Link>
  );
  if (!narrow) return link;
  return (
    <Tooltip content={label} keys={place.keys} side="right">
      {link}
    </Tooltip>
  );
}
