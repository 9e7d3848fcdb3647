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
};

const FrameContext = createContext<FrameState | null>(null);

type FrameProviderProps = Omit<FrameState, "setTheme"> & { children: ReactNode };

export function FrameProvider({
  theme: first,
  signOut,
  scopes,
  publicAddress,
  hasApprovals,
  children,
}: FrameProviderProps) {
  const [theme, setTheme] = useState(first);
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
    }),
    [theme, signOut, scopes, publicAddress, hasApprovals],
  );
  return <FrameContext value={state}>{children}</FrameContext>;
}

/** Theme and sign-out, shared by the account menu and the command palette. */
export function useFrame(): FrameState {
  const state = useContext(FrameContext);
  if (!state) throw new Error("useFrame needs a FrameProvider");
  return state;
}

/** Whether the signed-in key has `scope`: controls that it cannot use say so before the click. */
export function useMay(scope: Scope): boolean {
  return allows(useFrame().scopes, scope);
}
