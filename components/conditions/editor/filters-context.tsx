"use client";

import { createContext, type ReactNode, useContext } from "react";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import type { JsonPath } from "#components/ui/form/json/json-positions.ts";
import type { FilterWarning } from "#lib/engines/evaluation/values/checks.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { FiltersDraft } from "./draft.ts";

export type FiltersEditing = {
  projectId: string;
  flagId: number | null;
  draft: FiltersDraft;
  /** Changes the present draft; several changes in a row build on one another. */
  change: (next: (draft: FiltersDraft) => FiltersDraft) => void;
  problem: PlacedProblem | null;
  warnings: readonly FilterWarning[];
  names: Names;
  /** Remembers the name of a picked cohort or flag. */
  learn: (kind: "cohorts" | "flags", id: string, name: string) => void;
  /** Announces to screen readers. */
  announce: (text: string) => void;
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

const startsWith = (path: JsonPath, start: JsonPath) => start.every((part, place) => path[place] === part);

/** The problem at exactly this place, or (deep) anywhere below it. */
export function useProblemAt(path: JsonPath, deep = false): string | undefined {
  const { problem } = useFilters();
  if (!problem || !startsWith(problem.path, path)) return undefined;
  return deep || problem.path.length === path.length ? problem.message : undefined;
}
