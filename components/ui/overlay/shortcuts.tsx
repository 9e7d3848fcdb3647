"use client";

import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";

export type Shortcut = {
  /**
   * `"c"`, a sequence `"g f"`, or a chord `"mod+k"` or `"mod+shift+z"`, where `mod` is ⌘ on Apple machines and Ctrl
   * elsewhere.
   */
  keys: string;
  /** What it does, in the list that `?` opens. */
  label: string;
  group: string;
  run: () => void;
  /** Whether it acts where the key was pressed; left out if it does everywhere. */
  accepts?: ((target: EventTarget | null) => boolean) | undefined;
};

type Registry = {
  add: (id: string, shortcut: Shortcut) => void;
  remove: (id: string) => void;
  /** What works now, in the order in which it was added. */
  list: () => Shortcut[];
  /** Whether single keys work. Chords always do. */
  enabled: boolean;
  setEnabled: (enabled: boolean) => void;
};

const RegistryContext = createContext<Registry | null>(null);
const STORED = "switchyard.single_keys";
const SEQUENCE_MS = 1200;

/** Listens for keys, and knows every shortcut that the mounted parts of the page have. */
export function ShortcutsProvider({ children }: { children: ReactNode }) {
  const entries = useRef(new Map<string, Shortcut>());
  const [enabled, setEnabledState] = useState(true);

  useEffect(() => {
    setEnabledState(localStorage.getItem(STORED) !== "off");
    if (/Mac|iPhone|iPad/.test(navigator.platform)) document.documentElement.dataset.platform = "apple";
  }, []);

  useEffect(() => {
    let before = { key: "", at: 0 };
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing || event.altKey) return;
      const chord = event.metaKey || event.ctrlKey;
      if (!chord && (!enabled || isBusy(event.composedPath()[0] ?? null))) return;
      const key = keyOf(event, chord);
      const sequence = event.timeStamp - before.at < SEQUENCE_MS ? `${before.key} ${key}` : key;
      before = { key, at: event.timeStamp };
      const found = [...entries.current.values()].reverse();
      const hit = found.find((each) => each.keys === sequence) ?? found.find((each) => each.keys === key);
      if (!hit || hit.accepts?.(event.composedPath()[0] ?? null) === false) return;
      event.preventDefault();
      before = { key: "", at: 0 };
      hit.run();
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [enabled]);

  const registry = useMemo<Registry>(
    () => ({
      add: (id, shortcut) => entries.current.set(id, shortcut),
      remove: (id) => entries.current.delete(id),
      list: () => [...entries.current.values()],
      enabled,
      setEnabled(next) {
        setEnabledState(next);
        localStorage.setItem(STORED, next ? "on" : "off");
      },
    }),
    [enabled],
  );
  return <RegistryContext value={registry}>{children}</RegistryContext>;
}

function keyOf({ key, shiftKey }: KeyboardEvent, chord: boolean): string {
  if (!chord) return key;
  return `mod+${shiftKey ? "shift+" : ""}${key.toLowerCase()}`;
}

const OPEN_LAYER = ["dialog", "alertdialog", "menu", "listbox"]
  .map((role) => `[role="${role}"][data-state="open"]`)
  .join();

/** Someone is typing, or something lies over the page: single keys belong to that. */
function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector(OPEN_LAYER)) return true;
  if (!(target instanceof HTMLElement)) return false;
  const typing = 'input:not([type="checkbox"], [type="radio"]), textarea, select, [role="combobox"]';
  return target.isContentEditable || target.matches(typing);
}

/** All shortcuts, and the switch for single keys. */
export function useShortcuts(): Registry {
  const registry = useContext(RegistryContext);
  if (!registry) throw new Error("useShortcuts needs a ShortcutsProvider");
  return registry;
}

/** Runs `run` on these keys while the component is mounted. The innermost of two with the same keys wins. */
export function useShortcut(
  keys: string,
  label: string,
  run: () => void,
  {
    group = "This page",
    enabled = true,
    accepts,
  }: { group?: string; enabled?: boolean; accepts?: Shortcut["accepts"] } = {},
): void {
  const id = useId();
  const { add, remove } = useShortcuts();
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    if (!enabled) return;
    add(id, { keys, label, group, accepts, run: () => latest.current() });
    return () => remove(id);
  }, [id, keys, label, group, enabled, accepts, add, remove]);
}
