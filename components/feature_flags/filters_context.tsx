"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { FilterWarning } from "#lib/evaluation/checks.ts";
import type { Names } from "#lib/feature_flags/words.ts";
import type { FiltersDraft } from "./draft.ts";
import type { Path } from "./form_values.ts";

/** A problem and the place in the filters where it stands. */
export type PlacedProblem = { path: Path; message: string };

type FiltersEditing = {
  projectId: string;
  flagId: number | null;
  draft: FiltersDraft;
  /** Changes the present draft; several changes in a row build on one another. */
  change: (next: (draft: FiltersDraft) => FiltersDraft) => void;
  problem: PlacedProblem | null;
  warnings: readonly FilterWarning[];
  names: Names;
  /** Remembers what a cohort or flag is called, once it was picked. */
  learn: (kind: "cohorts" | "flags", id: string, name: string) => void;
  /** Says to screen readers what has happened. */
  announce: (news: string) => void;
  readOnly: boolean;
};

const EditingContext = createContext<FiltersEditing | null>(null);

export function FiltersProvider({ value, children }: { value: FiltersEditing; children: ReactNode }) {
  return <EditingContext value={value}>{children}</EditingContext>;
}

/** The filters that are edited around here. */
export function useFilters(): FiltersEditing {
  const editing = useContext(EditingContext);
  if (!editing) throw new Error("useFilters needs a FiltersProvider");
  return editing;
}

const startsWith = (path: Path, start: Path) => start.every((part, place) => path[place] === part);

/** The problem at exactly this place, or (deep) anywhere below it. */
export function useProblemAt(path: Path, deep = false): string | undefined {
  const { problem } = useFilters();
  if (!problem || !startsWith(problem.path, path)) return undefined;
  return deep || problem.path.length === path.length ? problem.message : undefined;
}
