import type { JsonComplete, JsonSuggestion } from "#components/ui/json-positions.ts";
import { flagFilters, flagGroup, flagProperty, flagVariant } from "#lib/feature_flags/filters_schema.ts";
import { OPERATOR_WORDS } from "#lib/feature_flags/words.ts";

type Shape = Record<string, { meta?: () => { description?: string } | undefined }>;

const keysOf = (shape: Shape): JsonSuggestion[] =>
  Object.entries(shape).map(([label, member]) => ({ label, info: member.meta?.()?.description }));

const at = (path: readonly (string | number)[]) =>
  path.map((part) => (typeof part === "number" ? "*" : part)).join("/");

const KEYS: Record<string, JsonSuggestion[]> = {
  "": keysOf(flagFilters.shape as Shape),
  "groups/*": keysOf(flagGroup.shape as Shape),
  "groups/*/properties/*": keysOf(flagProperty.shape as Shape),
  multivariate: [{ label: "variants", info: "All of them; their shares add up to 100." }],
  "multivariate/variants/*": keysOf(flagVariant.shape as Shape),
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

/** What may be written at a place in filters, from the schema that the API checks them by. */
export const completeFilters: JsonComplete = (path, kind) => (kind === "key" ? KEYS : VALUES)[at(path)] ?? [];
