"use client";

import { createContext, type ReactNode, use } from "react";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import type { JsonPath } from "#components/ui/form/json/json-positions.ts";
import type { FilterWarning } from "#lib/engines/evaluation/values/checks.ts";
import type { ProveAnswer } from "#lib/flags/feature_flags/evaluation/prove-contract.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import type { FiltersDraft } from "./draft.ts";

/** A made-up person who shows what is said of a set. */
export type Example = NonNullable<ProveAnswer["sets"][number]["witness"]>;

/** What somebody probably did not mean, with an example where there is one. */
export type Warning = Omit<FilterWarning, "code"> & { example?: Example | null };

export type FiltersEditing = {
  projectId: string;
  flagId: number | null;
  draft: FiltersDraft;
  /** Changes the present draft; several changes in a row build on one another. */
  change: (next: (draft: FiltersDraft) => FiltersDraft) => void;
  problem: PlacedProblem | null;
  warnings: readonly Warning[];
  /** Who gets in through each set; empty while that is not known. */
  examples?: readonly (Example | null)[];
  /** Tests an example; absent where nothing can be tested. */
  showExample?: ((example: Example) => void) | undefined;
  names: Names;
  /** Remembers the name of a picked cohort or flag. */
  learn: (kind: "cohorts" | "flags", id: string, name: string) => void;
  /** Announces to screen readers. */
  announce: (text: string) => void;
  readOnly: boolean;
};

const EditingContext = createContext<FiltersEditing | null>(null);

/**
 * A context of its own: React renders every reader of a context again when an outer provider of it changes, even where
 * a nearer one has stayed the same.
 */
const SetContext = createContext<FiltersEditing | null>(null);

type ProviderProps = { value: FiltersEditing; children: ReactNode };

export function FiltersProvider({ value, children }: ProviderProps) {
  return <EditingContext value={value}>{children}</EditingContext>;
}

/** The filters as one of many sets sees them: what is in it follows no other changes. */
export function SetProvider({ value, children }: ProviderProps) {
  return <SetContext value={value}>{children}</SetContext>;
}

/** The filters that are edited around here. */
export function useFilters(): FiltersEditing {
  const editing = use(SetContext) ?? use(EditingContext);
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
