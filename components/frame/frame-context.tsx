"use client";

import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { Scope } from "#lib/platform/http/contract.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { applyTheme, type Theme } from "./theme.ts";

type FrameState = {
  theme: Theme;
  setTheme: (theme: Theme) => void;
  signOut: () => Promise<void>;
  /** Scopes of the signed-in key; null if its API does not say. */
  scopes: readonly string[] | null;
  /** The public URL of the service, without a trailing slash. */
  publicAddress: string;
  /** Whether the project has an approval policy or a change request. */
  hasApprovals: boolean;
  /** How much is in the inbox of a project, once it was read. */
  inbox: InboxSummary | null;
  setInbox: (inbox: InboxSummary) => void;
};

type InboxSummary = { projectId: number; shown: string; label: string };

const FrameContext = createContext<FrameState | null>(null);

type FrameProviderProps = Omit<FrameState, "setTheme" | "inbox" | "setInbox"> & { children: ReactNode };

export function FrameProvider({
  theme: first,
  signOut,
  scopes,
  publicAddress,
  hasApprovals,
  children,
}: FrameProviderProps) {
  const [theme, setTheme] = useState(first);
  const [inbox, setInbox] = useState<InboxSummary | null>(null);
  const state = useMemo(
    () => ({
      theme,
      setTheme(next: Theme) {
        setTheme(next);
        applyTheme(next);
      },
      signOut,
      scopes,
      publicAddress,
      hasApprovals,
      inbox,
      setInbox,
    }),
    [theme, signOut, scopes, publicAddress, hasApprovals, inbox],
  );
  return <FrameContext value={state}>{children}</FrameContext>;
}

/** What the sidebar, the account menu, the command palette and pages share. */
export function useFrame(): FrameState {
  const state = useContext(FrameContext);
  if (!state) throw new Error("useFrame needs a FrameProvider");
  return state;
}

/** Whether the signed-in key has `scope`: controls that it cannot use say so before the click. */
export function useMay(scope: Scope): boolean {
  return allows(useFrame().scopes, scope);
}
