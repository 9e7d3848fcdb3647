"use client";

import { useSyncExternalStore } from "react";

/** `asking`: a dialog asks to sign in again over the page. */
type State = "open" | "ended" | "asking";

let state: State = "open";
let waiting: PromiseWithResolvers<boolean> | null = null;
let dialogs = 0;
const listeners = new Set<() => void>();

function become(next: State) {
  if (state === next) return;
  state = next;
  for (const tell of listeners) tell();
}

/** Tells whether the service accepted the session the last time something was read. */
export function noteSession(accepted: boolean): void {
  if (state !== "asking") become(accepted ? "open" : "ended");
}

/**
 * Asks to sign in again over the page, so that nothing on it is lost.
 *
 * @returns whether there is a session again; false at once where no dialog can ask
 */
export async function askToSignIn(): Promise<boolean> {
  if (dialogs === 0) return false;
  waiting ??= Promise.withResolvers<boolean>();
  become("asking");
  return waiting.promise;
}

/** Answers whoever waits for the session. */
export function endAsking(signedIn: boolean): void {
  waiting?.resolve(signedIn);
  waiting = null;
  become(signedIn ? "open" : "ended");
}

/** Called by the dialog that can ask; returns what takes it away. */
export function offerSignIn(): () => void {
  dialogs++;
  return () => {
    dialogs--;
    // Another project's page brings a dialog of its own: that nobody can ask for a moment does not end the session.
    if (dialogs === 0 && state === "asking") endAsking(false);
  };
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the session goes on, as far as this page knows. */
export const sessionState = (): State => state;

/** The same for components. */
export const useSessionState = (): State => useSyncExternalStore(subscribe, sessionState, () => "open");
