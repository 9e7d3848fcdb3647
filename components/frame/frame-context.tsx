"use client";

import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import type { Scope } from "#lib/http/contract.ts";
import { allows } from "#lib/http/scopes.ts";
import { applyTheme, type Theme } from "./theme.ts";

type FrameState = {
  theme: Theme;
  setTheme: (theme: Theme) => void;
  signOut: () => Promise<void>;
  /** What the signed-in key may do; null where its API does not tell. */
  scopes: readonly string[] | null;
  /** Where people reach the service, without a slash at the end. */
  publicAddress: string;
};

const FrameContext = createContext<FrameState | null>(null);

type FrameProviderProps = Omit<FrameState, "setTheme"> & { children: ReactNode };

export function FrameProvider({
  theme: first,
  signOut,
  scopes,
  publicAddress,
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
    }),
    [theme, signOut, scopes, publicAddress],
  );
  return <FrameContext value={state}>{children}</FrameContext>;
}

/** The theme, and the way out: what the account menu and the command palette share. */
export function useFrame(): FrameState {
  const state = useContext(FrameContext);
  if (!state) throw new Error("useFrame needs a FrameProvider");
  return state;
}

/** Whether the signed-in key may do what needs `scope`: controls that it may not use say so before the click. */
export function useMay(scope: Scope): boolean {
  return allows(useFrame().scopes, scope);
}
