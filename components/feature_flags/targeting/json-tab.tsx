"use client";

import { draftOf, filtersOf } from "#components/conditions/editor/draft.ts";
import { useFilters } from "#components/conditions/editor/filters-context.tsx";
import {
  type PlacedProblem,
  parseJson,
  patternOf,
  placedIssue,
  suggestKeys,
} from "#components/kit/editor/json.ts";
import { JsonView } from "#components/kit/editor/json-view.tsx";
import type { JsonComplete, JsonSuggestion } from "#components/ui/form/json/json-positions.ts";
import { flagFilters, flagGroup, flagProperty, flagVariant } from "#lib/people/conditions/filters-schema.ts";
import { OPERATOR_WORDS } from "#lib/people/conditions/words.ts";

const KEYS: Record<string, JsonSuggestion[]> = {
  "": suggestKeys(flagFilters.shape),
  "groups/*": suggestKeys(flagGroup.shape),
  "groups/*/properties/*": suggestKeys(flagProperty.shape),
  multivariate: [{ label: "variants", info: "All of them; their shares add up to 100." }],
  "multivariate/variants/*": suggestKeys(flagVariant.shape),
};

const texts = (...values: string[]): JsonSuggestion[] => values.map((each) => ({ label: `"${each}"` }));

const VALUES: Record<string, JsonSuggestion[]> = {
  "groups/*/properties/*/type": texts("person", "group", "cohort", "flag"),
  "groups/*/properties/*/operator": Object.entries(OPERATOR_WORDS).map(([name, words]) => ({
    label: `"${name}"`,
    detail: words,
  })),
  "groups/*/rollout_percentage": [{ label: "100" }, { label: "50" }, { label: "null", detail: "everyone" }],
};

/** Completions at a place in the filters, from the API's schema. */
const completeFilters: JsonComplete = (path, kind) => (kind === "key" ? KEYS : VALUES)[patternOf(path)] ?? [];

type Props = {
  /** Reports whether the text is valid; while it is not, the form keeps the last valid value. */
  onReadable: (readable: boolean) => void;
};

/** The whole targeting as API JSON. The form preserves everything, including unknown fields. */
export function JsonTab({ onReadable }: Props) {
  const { draft, change, problem, warnings, readOnly } = useFilters();
  return (
    <JsonView
      label="Targeting as JSON"
      description="Variants, release conditions and payloads, as the API stores them. Fields that the form does not know are kept."
      initial={() => JSON.stringify(filtersOf(draft), null, 2)}
      onText={(text) => {
        const read = readFilters(text);
        if (read.filters) change(() => draftOf(read.filters));
        return read.problem;
      }}
      onReadable={onReadable}
      problem={problem}
      warnings={warnings.map(({ message, set, row }) => ({
        message,
        severity: "warning",
        path: set === null ? [] : ["groups", set, ...(row === null ? [] : ["properties", row])],
      }))}
      readOnly={readOnly}
      minLines={16}
      complete={completeFilters}
    />
  );
}

type Read =
  | { filters: ReturnType<typeof flagFilters.parse>; problem: null }
  | { filters: null; problem: PlacedProblem };

/** Parses filters from text, or says why it cannot. */
function readFilters(text: string): Read {
  const read = parseJson(text);
  if (read.problem) return { filters: null, problem: read.problem };
  const parsed = flagFilters.safeParse(read.json);
  // The value as it was written, not as the schema gives it back: nothing may be lost.
  if (parsed.success) return { filters: read.json as typeof parsed.data, problem: null };
  const issue = parsed.error.issues[0] ?? { path: [], message: "These are not valid filters." };
  return { filters: null, problem: placedIssue(issue) };
}
