"use client";

import { Keyboard, LogOut, Monitor, MonitorSmartphone, Moon, Sun } from "lucide-react";
import { useTransition } from "react";
import { cn } from "#components/ui/cn.ts";
import { Avatar } from "#components/ui/display/avatar.tsx";
import {
  Menu,
  MenuItem,
  MenuLabel,
  MenuLink,
  MenuRadios,
  MenuSeparator,
} from "#components/ui/overlay/menu.tsx";
import { placeHref } from "./destinations.ts";
import { useFrame } from "./frame-context.tsx";

/** Who is signed in, as the frame shows it. */
export type SignedIn = { name: string; email: string };

export const themeOptions = [
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
  { value: "system", label: "System", icon: Monitor },
] as const;

type AccountMenuProps = {
  user: SignedIn;
  projectId: number;
  narrow: boolean;
  openShortcuts: () => void;
};

/** The signed-in user, theme, shortcuts and sign-out. */
export function AccountMenu({ user, projectId, narrow, openShortcuts }: AccountMenuProps) {
  const { theme, setTheme, signOut } = useFrame();
  const [leaving, startLeaving] = useTransition();
  return (
    <Menu
      side="top"
      align="start"
      className="w-60"
      trigger={
        <button
          type="button"
          aria-label={`Account of ${user.name}`}
          aria-busy={leaving || undefined}
          className={cn(
            "focus-inset flex h-8 min-w-0 items-center gap-2 rounded-md px-1.5 text-left hover:bg-pressed/70 data-[state=open]:bg-pressed",
            narrow ? "w-8 justify-center px-0" : "flex-1",
          )}
        >
          <Avatar name={user.name} />
          {narrow ? null : <span className="min-w-0 truncate text-muted text-sm">{user.name}</span>}
        </button>
      }
    >
      <div className="flex items-center gap-2.5 px-2 py-1.5">
        <Avatar name={user.name} size="md" />
        <span className="flex min-w-0 flex-col">
          <span className="truncate font-medium text-sm">{user.name}</span>
          <span className="truncate text-faint text-xs">{user.email}</span>
        </span>
      </div>
      <MenuSeparator />
      <MenuLabel>Theme</MenuLabel>
      <MenuRadios label="Theme" value={theme} onValueChange={setTheme} options={themeOptions} />
      <MenuSeparator />
      <MenuItem icon={Keyboard} keys="?" onSelect={openShortcuts}>
        Keyboard shortcuts
      </MenuItem>
      <MenuLink href={placeHref(projectId, "settings/sessions")} icon={MonitorSmartphone}>
        Sessions
      </MenuLink>
      <MenuItem icon={LogOut} onSelect={() => startLeaving(signOut)}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
