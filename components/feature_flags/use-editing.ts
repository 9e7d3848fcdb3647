"use client";

import { useCallback, useMemo, useState } from "react";
import { type UseFormReturn, useController } from "react-hook-form";
import type { FiltersDraft } from "#components/conditions/editor/draft.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import { checkFilters } from "#lib/engines/evaluation/values/checks.ts";
import type { FlagFilters as EngineFilters } from "#lib/engines/evaluation/values/types.ts";
import type { FlagFilters } from "#lib/people/conditions/filters-schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { type FlagForm, HeldFilters, pathOfError } from "./form-values.ts";

/** Warnings for the current filters; incomplete ones may have none. */
function warningsFor(filters: FlagFilters, now: number) {
  try {
    return checkFilters(filters as unknown as EngineFilters, { now });
  } catch {
    return [];
  }
}

/** The part of the form that edits filters: the draft, its changes, problems, warnings and names. */
export function useEditing(form: UseFormReturn<FlagForm>, filters: FlagFilters, known: Names) {
  const { field, fieldState } = useController({ name: "filters", control: form.control });
  const [announcement, setAnnouncement] = useState("");
  const [learned, setLearned] = useState<{ cohorts: [string, string][]; flags: [string, string][] }>({
    cohorts: [],
    flags: [],
  });
  const [now] = useState(() => Date.now());
  const { getValues, setValue } = form;
  // Once something was found wrong, every change is checked again.
  const checks = form.formState.isSubmitted || fieldState.invalid;
  const change = useCallback(
    (next: (draft: FiltersDraft) => FiltersDraft) =>
      setValue("filters", new HeldFilters(next(getValues("filters").draft)), { shouldValidate: checks }),
    [getValues, setValue, checks],
  );
  const names = useMemo<Names>(
    () => ({
      ...known,
      cohorts: new Map([...(known.cohorts ?? []), ...learned.cohorts]),
      flags: new Map([...(known.flags ?? []), ...learned.flags]),
    }),
    [known, learned],
  );
  // Not while somebody types: every set is compared with those before it.
  const { value: settled } = useSettled(filters, filters);
  const warnings = useMemo(() => warningsFor(settled, now), [settled, now]);
  const { error } = fieldState;
  const problem = useMemo(
    () => (error?.message ? { path: pathOfError(error), message: error.message } : null),
    [error],
  );
  const learn = useCallback(
    (kind: "cohorts" | "flags", id: string, name: string) =>
      setLearned((before) => ({ ...before, [kind]: [...before[kind], [id, name]] })),
    [],
  );
  return {
    draft: field.value.draft,
    change,
    problem,
    warnings,
    names,
    learn,
    announce: setAnnouncement,
    announcement,
  };
}
