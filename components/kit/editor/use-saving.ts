"use client";

import { useState } from "react";
import { createExclusive } from "./exclusive.ts";

/**
 * Saving what is edited: one save at a time, and the choice of a version after somebody else has saved another one.
 *
 * @param take goes on from the other's version
 */
export function useSaving<Conflict>(take: (conflict: Conflict) => void) {
  const [saving, setSaving] = useState(false);
  const [conflict, setConflict] = useState<Conflict>();
  const [exclusively] = useState(() => createExclusive(setSaving));
  return {
    saving,
    conflict,
    exclusively,
    askAbout: setConflict,
    keepEditing: () => setConflict(undefined),
    takeTheirs() {
      if (conflict) take(conflict);
      setConflict(undefined);
    },
    /** Saves over the other's version. */
    saveOver: <T>(save: (conflict: Conflict) => Promise<T>): Promise<T | null> =>
      exclusively(async () => {
        if (!conflict) return null;
        setConflict(undefined);
        return save(conflict);
      }),
  };
}
