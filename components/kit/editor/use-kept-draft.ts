"use client";

import { createContext, useCallback, useContext, useEffect, useRef, useState } from "react";
import {
  type Draft,
  type DraftPlace,
  type DraftStorage,
  draftsOf,
  dropDraft,
  dropOldDrafts,
  keepDraft,
} from "./drafts.ts";
import { useUnsavedGuard } from "./unsaved-guard.tsx";

const SETTLE_MS = 400;

/** Whose drafts this page keeps: unique for each person and API; null keeps none. */
export const DraftOwner = createContext<string | null>(null);

type Options<Value> = {
  /** The record that is edited, unique among all that can be edited: "project/2/feature_flags/7". */
  record: string;
  /** What is edited, as JSON can hold it, with whatever a later save needs: the version that it began with. */
  value: Value;
  /** Whether any of it is unsaved. */
  dirty: boolean;
  /** false: nothing may be stored in the browser, because it is secret. */
  keep?: boolean;
  /** The value in what was stored, possibly by an older release; null where that cannot be used. */
  read: (stored: unknown) => Value | null;
  /** Puts a draft into the editor. */
  onTake: (value: Value) => void;
};

/** A draft that somebody left, and what can be done with it. */
export type DraftOffer<Value> = {
  /** Milliseconds since the epoch. */
  saved_at: number;
  value: Value;
  take: () => void;
  drop: () => void;
};

/** The browser's storage; null where it is not allowed. */
function storageOfBrowser(): DraftStorage | null {
  try {
    return window.localStorage;
  } catch {
    return null;
  }
}

const newId = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/**
 * Guards what is typed into an editor: leaving asks first, and the browser keeps a draft, which survives a reload, a
 * crash and a session that ends, until it is saved or discarded.
 */
export function useKeptDraft<Value>({ record, value, dirty, keep = true, read, onTake }: Options<Value>) {
  const owner = useContext(DraftOwner);
  const [id] = useState(newId);
  const [left, setLeft] = useState<Draft[]>([]);
  const gone = useRef(false);
  const unsaved = useRef<Value | null>(null);
  unsaved.current = dirty && keep && !gone.current ? value : null;

  /** Runs with the storage, where there is one and it is known whose it is. */
  const withStorage = useCallback(
    <T>(run: (storage: DraftStorage, place: DraftPlace) => T): T | undefined => {
      const storage = owner === null ? null : storageOfBrowser();
      return storage && owner !== null ? run(storage, { owner, record }) : undefined;
    },
    [owner, record],
  );
  const look = useCallback(
    () =>
      withStorage((storage, place) =>
        setLeft(draftsOf(storage, place, Date.now()).filter((draft) => draft.id !== id)),
      ),
    [withStorage, id],
  );
  /** Stores what is unsaved now, and drops what no longer is. */
  const store = useCallback(
    () =>
      withStorage((storage, place) => {
        if (unsaved.current === null) dropDraft(storage, place, id);
        else keepDraft(storage, place, { id, saved_at: Date.now(), value: unsaved.current });
      }),
    [withStorage, id],
  );
  const forget = useCallback(() => {
    gone.current = true;
    unsaved.current = null;
    store();
  }, [store]);
  const release = useUnsavedGuard(dirty, forget);

  useEffect(() => {
    withStorage((storage) => dropOldDrafts(storage, Date.now()));
    look();
    const onHide = () => document.visibilityState === "hidden" && store();
    window.addEventListener("storage", look);
    window.addEventListener("pagehide", store);
    document.addEventListener("visibilitychange", onHide);
    return () => {
      window.removeEventListener("storage", look);
      window.removeEventListener("pagehide", store);
      document.removeEventListener("visibilitychange", onHide);
      store();
    };
  }, [withStorage, look, store]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: stored a moment after the value has changed
  useEffect(() => {
    if (unsaved.current === null) {
      store();
      return;
    }
    const timer = setTimeout(store, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value, dirty, keep, store]);

  const drop = (draft: Draft) => {
    withStorage((storage, place) => dropDraft(storage, place, draft.id));
    look();
  };
  const [first] = left;
  const readable = first && read(first.value);
  const offer: DraftOffer<Value> | null =
    first && readable
      ? {
          saved_at: first.saved_at,
          value: readable,
          take() {
            withStorage((storage, place) => {
              // What was typed since is not lost for it: it is offered in return.
              if (unsaved.current !== null)
                keepDraft(storage, place, { id: newId(), saved_at: Date.now(), value: unsaved.current });
              keepDraft(storage, place, { ...first, id });
              dropDraft(storage, place, first.id);
            });
            look();
            onTake(readable);
          },
          drop: () => drop(first),
        }
      : null;
  return {
    offer,
    /** Call just before a save leads to another page: nothing is unsaved any more. */
    leave() {
      release();
      forget();
    },
  };
}
