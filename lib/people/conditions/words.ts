import { formatShortPercent } from "#lib/platform/format.ts";
import type { FlagFilters, FlagGroup, FlagProperty, FlagVariant } from "./filters-schema.ts";

/** A piece of a sentence: plain words, or something that a person typed (shown apart from the words). */
export type Token = { text: string; kind: "word" | "value" };

/** Names of what filters refer to by id. What is missing is called by its id. */
export type Names = {
  cohorts?: ReadonlyMap<string, string>;
  flags?: ReadonlyMap<string, string>;
  /** What groups of a type are called in the plural, by the type's index. */
  groups?: ReadonlyMap<number, string>;
};

const word = (text: string): Token => ({ text, kind: "word" });
const value = (text: string): Token => ({ text, kind: "value" });

/** The sentence of some tokens as plain text. */
export const plain = (tokens: readonly Token[]): string => tokens.map((token) => token.text).join(" ");

/** How each operator reads between a property and its value. */
export const OPERATOR_WORDS: Record<string, string> = {
  exact: "is",
  is_not: "is not",
  is_set: "is known",
  is_not_set: "is not known",
  icontains: "contains",
  not_icontains: "does not contain",
  icontains_multi: "contains any of",
  not_icontains_multi: "contains none of",
  starts_with: "starts with",
  not_starts_with: "does not start with",
  ends_with: "ends with",
  not_ends_with: "does not end with",
  regex: "matches the pattern",
  not_regex: "does not match the pattern",
  gt: "is greater than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  min: "is at least",
  max: "is at most",
  is_date_exact: "is on",
  is_date_before: "is before",
  is_date_after: "is after",
  semver_eq: "is version",
  semver_neq: "is not version",
  semver_gt: "is newer than version",
  semver_gte: "is at least version",
  semver_lt: "is older than version",
  semver_lte: "is at most version",
  semver_tilde: "is a patch release of version",
  semver_caret: "is compatible with version",
  semver_wildcard: "matches version",
  in: "in",
  not_in: "not in",
  flag_evaluates_to: "is",
};

const UNITS: Record<string, string> = { h: "hour", d: "day", w: "week", m: "month", y: "year" };

/** A date value in words: "30 days ago" for -30d; any other text unchanged. */
export function dateInWords(text: string): string {
  const parts = /^-?(\d+)([hdwmy])$/.exec(text.trim());
  if (!parts) return text;
  const [count, unit] = [Number(parts[1]), UNITS[parts[2] ?? ""] ?? ""];
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

const LONGEST_LIST = 3;

function valueTokens(raw: unknown, operator: string): Token[] {
  if (raw === undefined || raw === null || raw === "") return [value("…")];
  if (!Array.isArray(raw)) {
    const text = typeof raw === "object" ? JSON.stringify(raw) : String(raw);
    return [value(operator.startsWith("is_date") ? dateInWords(text) : text)];
  }
  if (raw.length === 0) return [value("…")];
  const shown = raw.slice(0, raw.length > LONGEST_LIST + 1 ? LONGEST_LIST : raw.length).map(String);
  const rest = raw.length - shown.length;
  const tokens: Token[] = [];
  shown.forEach((text, i) => {
    if (i > 0) tokens.push(word(operator === "is_not" ? "nor" : "or"));
    tokens.push(value(text));
  });
  if (rest > 0) tokens.push(word(`${operator === "is_not" ? "nor" : "or"} ${rest} others`));
  return tokens;
}

function cohortTokens(row: FlagProperty, names: Names): Token[] {
  const id = String(row.value ?? "");
  const stored = typeof row.cohort_name === "string" ? row.cohort_name : null;
  const name = names.cohorts?.get(id) ?? stored ?? (id ? `#${id}` : "…");
  return [word(row.operator === "not_in" ? "not in cohort" : "in cohort"), value(name)];
}

function dependencyTokens(row: FlagProperty, names: Names): Token[] {
  const name = names.flags?.get(row.key) ?? (row.key ? `#${row.key}` : "…");
  const answer =
    typeof row.value === "boolean" ? word(row.value ? "on" : "off") : value(String(row.value ?? "…"));
  return [word("flag"), value(name), word("is"), answer];
}

/** One row of a release condition: "plan is pro or team", "in cohort Beta testers", "flag new-nav is on". */
export function rowTokens(row: FlagProperty, names: Names = {}): Token[] {
  if (row.type === "cohort") return cohortTokens(row, names);
  if (row.type === "flag") return dependencyTokens(row, names);
  const operator = row.operator ?? "exact";
  const compared = operator === "is_set" || operator === "is_not_set" ? [] : valueTokens(row.value, operator);
  return [value(row.key || "…"), word(OPERATOR_WORDS[operator] ?? operator), ...compared];
}

/** A percentage as people write it: at most four decimals, the sign on the same line. */
export const percentText = (percent: number): string => formatShortPercent(percent / 100, 4);

/** The share of a set: 100 where none is written. */
export const shareOf = (group: Pick<FlagGroup, "rollout_percentage">): number =>
  group.rollout_percentage ?? 100;

/** Whether a set takes everyone, whoever they are. */
const takesEveryone = (group: FlagGroup): boolean =>
  shareOf(group) === 100 && (group.properties ?? []).length === 0;

const unitOf = (index: number | null | undefined, names: Names): string =>
  index === null || index === undefined ? "people" : (names.groups?.get(index) ?? `groups of type ${index}`);

/** Who a set matches: "everyone", "40% of people where plan is pro and country is DE". */
export function setTokens(group: FlagGroup, filters: FlagFilters, names: Names = {}): Token[] {
  const share = shareOf(group);
  const own = group.aggregation_group_type_index as number | null | undefined;
  const unit = unitOf(own === undefined ? filters.aggregation_group_type_index : own, names);
  const rows = group.properties ?? [];
  const tokens: Token[] = [];
  if (share === 0)
    tokens.push(word(rows.length > 0 ? `${percentText(0)} of ${unit}` : `nobody (${percentText(0)})`));
  else if (rows.length === 0 && share === 100)
    tokens.push(word(unit === "people" ? "everyone" : `all ${unit}`));
  else tokens.push(word(share === 100 ? unit : `${percentText(share)} of ${unit}`));
  let where = false;
  rows.forEach((row, i) => {
    const isCohort = row.type === "cohort";
    // "people in cohort Beta where plan is pro and country is DE"
    if (where || (isCohort && i > 0)) tokens.push(word("and"));
    else if (!isCohort) tokens.push(word("where"));
    where ||= !isCohort;
    tokens.push(...rowTokens(row, names));
  });
  return tokens;
}

/** The variants of a flag; none for a boolean flag. */
export const variantsOf = (filters: FlagFilters): FlagVariant[] => filters.multivariate?.variants ?? [];

const forced = (group: FlagGroup): string | null =>
  typeof group.variant === "string" && group.variant !== "" ? group.variant : null;

/** What a set serves and to whom: "Serve test to 40% of people where …", "On for everyone". */
export function serveTokens(group: FlagGroup, filters: FlagFilters, names: Names = {}): Token[] {
  const variant = forced(group);
  const whom = setTokens(group, filters, names);
  if (variant) return [word("Serve"), value(variant), word("to"), ...whom];
  if (variantsOf(filters).length > 0) return [word("Serve variants by percentage to"), ...whom];
  return [word("On for"), ...whom];
}

const SHOWN_SETS = 2;

/**
 * The rollout of a flag in one line: "40% of people where plan is pro; else off".
 *
 * @param shown sets that are spelled out; the others are counted
 */
export function rolloutTokens(filters: FlagFilters, names: Names = {}, shown = SHOWN_SETS): Token[] {
  const { groups } = filters;
  if (groups.length === 0) return [word("Nobody: there is no condition set")];
  const end = groups.findIndex(takesEveryone);
  const live = end === -1 ? groups : groups.slice(0, end + 1);
  if (live.every((group) => shareOf(group) === 0)) return [word("Nobody")];
  const spelled = live.length > shown + 1 ? live.slice(0, shown) : live;
  const tokens: Token[] = [];
  spelled.forEach((group, i) => {
    if (i > 0) tokens.push(word("· or"));
    tokens.push(...setTokens(group, filters, names));
    const variant = forced(group);
    if (variant) tokens.push(word("get"), value(variant));
  });
  if (live.length > spelled.length) tokens.push(word(`· and ${live.length - spelled.length} more sets`));
  if (end === -1) tokens.push(word("· else off"));
  return capitalized(tokens);
}

/** The same tokens with a capital first letter, where the sentence starts with words. */
export function capitalized(tokens: readonly Token[]): Token[] {
  const [first, ...rest] = tokens;
  if (!first) return [];
  if (first.kind === "value") return [...tokens];
  return [{ ...first, text: first.text.charAt(0).toUpperCase() + first.text.slice(1) }, ...rest];
}

/** Whether an active flag with these filters answers something other than off for every person. */
export const reachesEveryone = (filters: FlagFilters): boolean => filters.groups.some(takesEveryone);

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;

const ON = "on";

/** What people in the rollout get: "on", "the payload", "control (50%) or test (50%)". */
function outcomeText(filters: FlagFilters, remote: boolean): string {
  const variants = variantsOf(filters);
  if (variants.length > 0)
    return listed(variants.map((variant) => `${variant.key} (${percentText(variant.rollout_percentage)})`));
  return remote ? "the payload" : ON;
}

/** What turning a flag on does, for the confirmation before it. */
export function turningOn(filters: FlagFilters, remote: boolean, names: Names = {}): string {
  const outcome = outcomeText(filters, remote);
  const everyone = filters.groups.find(takesEveryone);
  if (everyone && outcome === ON) return "It is on for everyone.";
  if (everyone) return `Everyone gets ${forced(everyone) ?? outcome}.`;
  const reached = filters.groups.filter((group) => shareOf(group) > 0);
  if (reached.length === 0) return "Nobody gets it yet: every set is at 0%.";
  const whom = reached.map((group) => plain(setTokens(group, filters, names)));
  return `It is on for ${whom.length > 3 ? `${whom.slice(0, 3).join("; ")}; and ${whom.length - 3} more sets` : whom.join("; or ")}.`;
}
