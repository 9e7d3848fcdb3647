"use client";

import { Menu as MenuIcon, Search } from "lucide-react";
import dynamic from "next/dynamic";
import { usePathname, useRouter } from "next/navigation";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { useGuardedPush } from "#components/kit/editor/unsaved-guard.tsx";
import { DraftOwner } from "#components/kit/editor/use-kept-draft.ts";
import { useHeldWrites } from "#components/kit/held.ts";
import { whenIdle } from "#components/ui/after-page.ts";
import { cn } from "#components/ui/cn.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { useShortcut } from "#components/ui/overlay/shortcuts.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { SignedIn } from "./account-menu.tsx";
import type { SignInAgain } from "./asking-dialog.tsx";
import { placeHref, shownPlaces } from "./destinations.ts";
import { FrameProvider, useFrame, useMay } from "./frame-context.tsx";
import { LogoMark } from "./logo.tsx";
import type { ProjectChoice } from "./project-switcher.tsx";
import { RailBody, type RailProps } from "./rail.tsx";
import { SignInDialog } from "./sign-in-dialog.tsx";
import { rememberRail, type Theme } from "./theme.ts";

/** The keys that work on every page: one for each place, `/` for the search box, `c` to create. */
function FrameShortcuts({ projectId }: { projectId: number }) {
  useShortcut("/", "Search this page", focusSearch, { group: "Anywhere" });
  const push = useGuardedPush();
  useShortcut("c", "Create a feature flag", () => push(placeHref(projectId, "feature_flags/new")), {
    group: "Anywhere",
    enabled: useMay("feature_flag:write"),
  });
  return shownPlaces(useFrame().hasApprovals).map((place) =>
    place.keys ? (
      <GoTo key={place.path} keys={place.keys} label={place.label} href={placeHref(projectId, place.path)} />
    ) : null,
  );
}

function GoTo({ keys, label, href }: { keys: string; label: string; href: string }) {
  const push = useGuardedPush();
  useShortcut(keys, label, () => push(href), { group: "Go to" });
  return null;
}

function focusSearch() {
  const box = document.querySelector<HTMLInputElement>("main [data-shortcut-search]");
  box?.focus();
  box?.select();
}

const loadPalette = async () => (await import("./command-palette.tsx")).CommandPalette;

/** With the contract that it searches by it is large: it loads once the page is up, before it is needed. */
const CommandPalette = dynamic(loadPalette, { ssr: false });

const ShortcutsDialog = dynamic(async () => (await import("./shortcuts-dialog.tsx")).ShortcutsDialog, {
  ssr: false,
});
const MenuSheet = dynamic(async () => (await import("./menu-sheet.tsx")).MenuSheet, { ssr: false });

type FrameProps = {
  user: SignedIn;
  projects: readonly ProjectChoice[];
  project: ProjectChoice;
  theme: Theme;
  /** Scopes of the signed-in key; null if its API does not say. */
  scopes: readonly string[] | null;
  /** The public URL of the service, without a trailing slash. */
  publicAddress: string;
  /** Whether the project has an approval policy or a change request. */
  hasApprovals: boolean;
  /** Whether the sidebar starts collapsed. */
  narrow: boolean;
  signOut: () => Promise<void>;
  signInAgain: SignInAgain;
  /** Whose drafts are kept here; null where it is not known who is signed in. */
  draftOwner: string | null;
  children: ReactNode;
};

/** The sidebar, command palette and shortcuts around every page of a project. */
export function Frame(props: FrameProps) {
  const { theme, scopes, publicAddress, hasApprovals, signOut, signInAgain, draftOwner, ...rest } = props;
  const { narrow: first, children, ...who } = rest;
  const [narrow, setNarrow] = useState(first);
  const [palette, setPalette] = useState(false);
  const [keys, setKeys] = useState(false);
  function changeNarrow(next: boolean) {
    setNarrow(next);
    rememberRail(next);
  }
  const router = useRouter();
  const projectId = who.project.id;
  useHeldWrites(
    useCallback(
      (request) => {
        toast.notYet("This needs approval, so nothing was changed yet");
        router.push(placeHref(projectId, `change_requests/${request}`));
      },
      [router, projectId],
    ),
  );
  useEffect(() => whenIdle(() => void loadPalette().catch(() => undefined)), []);
  useShortcut("mod+k", "Search or jump to", () => setPalette((open) => !open), { group: "Anywhere" });
  useShortcut("?", "Keyboard shortcuts", () => setKeys(true), { group: "Anywhere" });
  useShortcut("[", "Collapse or expand the sidebar", () => changeNarrow(!narrow), { group: "Anywhere" });
  const rail: RailProps = { ...who, openPalette: () => setPalette(true), openShortcuts: () => setKeys(true) };
  return (
    <FrameProvider {...{ theme, scopes, publicAddress, hasApprovals, signOut }}>
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-md bg-inverse px-3 py-1.5 font-medium text-on-inverse text-sm shadow-pop focus:translate-y-0 print:hidden"
      >
        Skip to content
      </a>
      <FrameShortcuts projectId={projectId} />
      <div className="flex min-h-dvh max-frame:flex-col">
        <aside
          className={cn(
            "sticky top-0 h-dvh shrink-0 border-r bg-canvas transition-[width] duration-150 max-frame:hidden print:hidden",
            narrow ? "w-13" : "w-58",
          )}
        >
          <RailBody {...rail} narrow={narrow} onNarrow={changeNarrow} />
        </aside>
        <TopBar {...rail} />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 bg-page">
          <DraftOwner value={draftOwner}>{children}</DraftOwner>
        </main>
      </div>
      {palette ? (
        <CommandPalette
          open
          onOpenChange={setPalette}
          project={who.project}
          projects={who.projects}
          openShortcuts={() => setKeys(true)}
        />
      ) : null}
      {keys ? <ShortcutsDialog open onOpenChange={setKeys} /> : null}
      <SignInDialog email={who.user.email} signInAgain={signInAgain} />
    </FrameProvider>
  );
}

/** Small screens: a bar at the top, and the rail as a sheet. */
function TopBar(props: RailProps) {
  const [open, setOpen] = useState(false);
  const [isUsed, setIsUsed] = useState(false);
  const pathname = usePathname();
  // biome-ignore lint/correctness/useExhaustiveDependencies: arriving somewhere closes the sheet
  useEffect(() => setOpen(false), [pathname]);
  return (
    <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-b bg-canvas px-2 frame:hidden print:hidden">
      <IconButton
        icon={MenuIcon}
        label="Open the menu"
        side="bottom"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => {
          setIsUsed(true);
          setOpen(true);
        }}
      />
      {isUsed ? <MenuSheet {...props} open={open} onOpenChange={setOpen} /> : null}
      <LogoMark className="size-5" />
      <span className="min-w-0 flex-1 truncate font-semibold text-sm">{props.project.name}</span>
      <IconButton icon={Search} label="Search or jump to" side="bottom" onClick={props.openPalette} />
    </header>
  );
}
