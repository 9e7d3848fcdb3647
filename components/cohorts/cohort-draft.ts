import { isComplete } from "#components/conditions/editor/property-kinds.ts";
import { changedFields } from "#components/kit/editor/changes.ts";
import type { PlacedProblem } from "#components/kit/editor/json.ts";
import type { Revision } from "#components/kit/propose/revision.ts";
import type { Difference } from "#lib/flags/feature_flags/history/differences.ts";
import type { CohortRecord } from "#lib/people/cohorts/schema.ts";
import { definitionWords, filtersOfSets, setsOf } from "#lib/people/cohorts/words.ts";
import type { FlagProperty } from "#lib/people/conditions/filters-schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { plural } from "#lib/platform/format.ts";
import type { ErrorBody } from "#lib/platform/http/errors.ts";

/** What the form of a cohort holds. */
export type CohortDraft = {
  name: string;
  description: string;
  kind: "properties" | "static";
  /** null: only the JSON shows this definition in full. */
  sets: FlagProperty[][] | null;
  json: string;
  ids: string;
};

export type Problems = { name?: string; filters?: PlacedProblem; ids?: string; all?: string };

const NEW_SET: FlagProperty[] = [{ key: "", type: "person", operator: "exact", value: [] }];

export const draftOf = (cohort: CohortRecord | null): CohortDraft => ({
  name: cohort?.name ?? "",
  description: cohort?.description ?? "",
  kind: cohort?.is_static ? "static" : "properties",
  sets: cohort ? setsOf(cohort.filters) : [NEW_SET],
  json: JSON.stringify(cohort?.filters ?? {}, null, 2),
  ids: "",
});

/** The draft of a proposed change, or of a proposed cohort. */
export function proposedDraft(cohort: CohortRecord | null, { body }: Revision): CohortDraft {
  const { filters, is_static, distinct_ids } = body;
  if (cohort) return draftOf({ ...cohort, ...(body as Partial<CohortRecord>) });
  return {
    name: String(body.name ?? ""),
    description: String(body.description ?? ""),
    kind: is_static === true ? "static" : "properties",
    sets: filters ? setsOf(filters as CohortRecord["filters"]) : [NEW_SET],
    json: JSON.stringify(filters ?? {}, null, 2),
    ids: Array.isArray(distinct_ids) ? distinct_ids.join("\n") : "",
  };
}

/** An edit that was not saved, and what it began with. */
export type KeptCohort = { draft: CohortDraft; base: CohortDraft };

const isDraft = (value: unknown): value is CohortDraft =>
  typeof value === "object" && value !== null && Object.keys(draftOf(null)).every((field) => field in value);

export function readKept(stored: unknown): KeptCohort | null {
  const { draft, base } = (stored ?? {}) as Partial<KeptCohort>;
  return isDraft(draft) && isDraft(base) ? { draft, base } : null;
}

const PARTS: Partial<Record<keyof CohortDraft, string>> = {
  name: "name",
  description: "description",
  sets: "definition",
  json: "definition",
};

/** The parts of a cohort that a kept edit and somebody else have both changed. */
export function changedByBoth(kept: KeptCohort, current: CohortDraft): string[] {
  const theirs = new Set(changedFields(kept.base, current));
  const both = changedFields(kept.base, kept.draft).filter((field) => theirs.has(field));
  return [...new Set(both.flatMap((field) => PARTS[field] ?? []))];
}

const filtersOf = (draft: CohortDraft): Record<string, unknown> =>
  draft.sets ? filtersOfSets(draft.sets) : JSON.parse(draft.json);

/** What a save sends. A list of people is given once, when it is created. */
export const bodyOf = (draft: CohortDraft, { ids, isNew }: { ids: readonly string[]; isNew: boolean }) => ({
  name: draft.name,
  description: draft.description,
  ...(draft.kind === "properties" ? { filters: filtersOf(draft) } : {}),
  ...(draft.kind === "static" && isNew ? { is_static: true, distinct_ids: [...ids] } : {}),
});

/** What differs from what is stored, in words. */
export function differencesOf(
  base: CohortDraft,
  draft: CohortDraft,
  ids: readonly string[],
  names: Names,
): Difference[] {
  const words = (of: CohortDraft) =>
    of.kind === "static"
      ? null
      : (definitionWords(of.sets || of.json !== "" ? filtersOf(of) : {}, names) ?? null);
  const both = [
    { what: "Name", before: base.name || null, after: draft.name || null },
    { what: "Description", before: base.description || null, after: draft.description || null },
    { what: "Definition", before: base.name === "" ? null : words(base), after: words(draft) },
    { what: "People", before: null, after: ids.length > 0 ? plural(ids.length, "id") : null },
  ];
  return both.filter(({ before, after }) => before !== after);
}

export function problemsIn(draft: CohortDraft): Problems {
  const problems: Problems = {};
  if (!draft.name.trim()) problems.name = "Give the cohort a name.";
  if (draft.kind === "static") return problems;
  if (draft.sets) {
    draft.sets.forEach((rows, set) => {
      const row = rows.findIndex((each) => !isComplete(each));
      if (problems.filters) return;
      if (rows.length === 0) problems.filters = { path: [set], message: "A set needs at least one row." };
      else if (row >= 0) problems.filters = { path: [set, row], message: "Complete this row." };
    });
    return problems;
  }
  try {
    JSON.parse(draft.json);
  } catch (error) {
    problems.filters = {
      path: [],
      message: `Not valid JSON: ${error instanceof Error ? error.message : ""}`,
    };
  }
  return problems;
}

/** The API's error at the field that caused it; its path within filters is properties, values, set, values, row. */
export function problemsOf(error: ErrorBody, draft: CohortDraft): Problems {
  const field = error.attr?.split("__")[0];
  if (field === "name") return { name: error.detail };
  if (field === "distinct_ids") return { ids: error.detail };
  if (field !== "filters") return { all: error.detail };
  const path = error.extra?.path ?? [];
  if (!draft.sets) return { filters: { path, message: error.detail } };
  const [, , set, , row] = path[0] === "filters" ? path.slice(1) : path;
  return {
    filters: {
      path: [set, row].filter((part): part is number => typeof part === "number"),
      message: error.detail,
    },
  };
}
