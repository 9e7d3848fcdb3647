"use client";

import type { Route } from "next";
import { useRouter } from "next/navigation";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";

type Guard = {
  /** Whether something is unsaved; `discard` runs when the person chooses to lose it. */
  mark: (id: string, dirty: boolean, discard?: () => void) => void;
  /** Continues immediately, or asks first while something is unsaved. */
  leave: (go: () => void) => void;
};

const GuardContext = createContext<Guard | null>(null);

function useGuard(): Guard {
  const guard = useContext(GuardContext);
  if (!guard) throw new Error("The unsaved-changes guard needs an UnsavedGuardProvider");
  return guard;
}

/** Asks before unsaved work is left behind: by a link, by Back, by closing the tab. */
export function UnsavedGuardProvider({ children }: { children: ReactNode }) {
  const dirty = useRef(new Map<string, (() => void) | undefined>());
  const [waiting, setWaiting] = useState<{ go: () => void }>();
  const router = useRouter();

  const [guard] = useState<Guard>(() => ({
    mark(id, isDirty, discard) {
      if (isDirty) dirty.current.set(id, discard);
      else dirty.current.delete(id);
    },
    leave(go) {
      if (dirty.current.size === 0) go();
      else setWaiting({ go });
    },
  }));

  const isDirty = useCallback(() => dirty.current.size > 0, []);
  useLinkGuard(isDirty, (href) => setWaiting({ go: () => router.push(href as Route) }));
  useHistoryGuard(isDirty, (go) => setWaiting({ go }));

  return (
    <GuardContext value={guard}>
      {children}
      <ConfirmDialog
        open={waiting !== undefined}
        onOpenChange={(open) => !open && setWaiting(undefined)}
        title="Leave without saving?"
        description="Your changes on this page are not saved and will be lost."
        confirmLabel="Discard changes"
        cancelLabel="Keep editing"
        danger
        onConfirm={() => {
          for (const discard of dirty.current.values()) discard?.();
          dirty.current.clear();
          waiting?.go();
          return undefined;
        }}
      />
    </GuardContext>
  );
}

/** Stops presses on links within the app before Next's own handler sees them. */
function useLinkGuard(isDirty: () => boolean, ask: (href: string) => void) {
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    function onClick(event: MouseEvent) {
      if (!isDirty() || event.button !== 0) return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      const link =
        event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
      if (!link || (link.target && link.target !== "_self") || link.hasAttribute("download")) return;
      const to = new URL(link.href);
      const here = new URL(window.location.href);
      if (to.origin !== here.origin || to.pathname + to.search === here.pathname + here.search) return;
      event.preventDefault();
      event.stopPropagation();
      latest.current(to.pathname + to.search + to.hash);
    }
    document.addEventListener("click", onClick, { capture: true });
    return () => document.removeEventListener("click", onClick, { capture: true });
  }, [isDirty]);
}

type NavigateEvent = Event & {
  navigationType: string;
  destination: { key: string };
};
type Navigation = EventTarget & { traverseTo: (key: string) => unknown };

/** Closing the tab asks in the browser's own words; Back and Forward ask in ours where the browser lets us. */
function useHistoryGuard(isDirty: () => boolean, ask: (go: () => void) => void) {
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (isDirty()) event.preventDefault();
    };
    const navigation = (window as typeof window & { navigation?: Navigation }).navigation;
    const onNavigate = (event: Event) => {
      const { navigationType, destination, cancelable } = event as NavigateEvent;
      if (navigationType !== "traverse" || !cancelable || !isDirty()) return;
      event.preventDefault();
      latest.current(() => navigation?.traverseTo(destination.key));
    };
    window.addEventListener("beforeunload", onUnload);
    navigation?.addEventListener("navigate", onNavigate);
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      navigation?.removeEventListener("navigate", onNavigate);
    };
  }, [isDirty]);
}

/**
 * Guards the page while `dirty`. Call the returned function just before a save leads elsewhere.
 *
 * @param discard runs when the person chooses to leave without saving
 */
export function useUnsavedGuard(dirty: boolean, discard?: () => void): () => void {
  const id = useId();
  const { mark } = useGuard();
  useEffect(() => {
    mark(id, dirty, discard);
    return () => mark(id, false);
  }, [id, dirty, mark, discard]);
  return useCallback(() => mark(id, false), [id, mark]);
}

/** Closes what is being edited: asks first while something is unsaved. */
export function useGuardedClose(close: () => void): () => void {
  const { leave } = useGuard();
  return () => leave(close);
}

/** `router.push` for code: asks first while something is unsaved. Links need nothing. */
export function useGuardedPush(): (href: string) => void {
  const { leave } = useGuard();
  const router = useRouter();
  return useCallback((href: string) => leave(() => router.push(href as Route)), [leave, router]);
}
