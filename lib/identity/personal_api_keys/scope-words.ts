import { SCOPE_OBJECTS, type Scope, type ScopeObject } from "#lib/platform/http/contract.ts";
import { allows } from "#lib/platform/http/scopes.ts";

export type Level = "none" | "read" | "write";
export type Levels = Readonly<Record<ScopeObject, Level>>;

/** What each object of a scope is called, and what it opens. */
export const OBJECT_WORDS: Record<ScopeObject, { label: string; hint: string }> = {
  feature_flag: { label: "Feature flags", hint: "Also local evaluation in server SDKs" },
  relay: { label: "Relays", hint: "What a relay serves; for administrators’ keys" },
  experiment: { label: "Experiments", hint: "Definitions, results and conclusions" },
  survey: { label: "Surveys", hint: "Questions, targeting and responses" },
  cohort: { label: "Cohorts", hint: "Sets of people and their members" },
  person: { label: "People", hint: "Their properties, groups and events" },
  property_definition: { label: "Property definitions", hint: "Names and values seen" },
  dashboard: { label: "Dashboards", hint: "Tiles and their counts" },
  activity_log: { label: "Activity", hint: "Who changed what, and when" },
  project: { label: "Projects", hint: "Write also shows the secret token" },
  organization: { label: "Organizations", hint: "Name, and which projects it has" },
  organization_member: { label: "Members", hint: "Members and their levels" },
  user: { label: "Own account", hint: "Name and address of the key's owner" },
  personal_api_key: { label: "API keys", hint: "Write creates and revokes keys" },
  query: { label: "Queries", hint: "Queries on stored events" },
};

const RANK: Record<Level, number> = { none: 0, read: 1, write: 2 };

export const levelsBy = (level: (object: ScopeObject) => Level): Levels =>
  Object.fromEntries(SCOPE_OBJECTS.map((object) => [object, level(object)])) as Record<ScopeObject, Level>;

/**
 * How far scopes reach, object by object.
 *
 * @param scopes null if an API does not say: everything, so that the API decides
 */
export const levelsOf = (scopes: readonly string[] | null): Levels =>
  levelsBy((object) => {
    if (allows(scopes, `${object}:write`)) return "write";
    return allows(scopes, `${object}:read`) ? "read" : "none";
  });

/** The fewest scopes that reach so far. */
export const scopesOf = (levels: Levels): Scope[] =>
  SCOPE_OBJECTS.flatMap((object) => {
    const level = levels[object];
    return level === "none" ? [] : [`${object}:${level}` as const];
  });

/** Whether `wanted` goes no further than `held`. */
export const isWithin = (wanted: Level, held: Level): boolean => RANK[wanted] <= RANK[held];

/** What a relay gets, digests of keys and readable payloads, is more than people who look around need. */
const FOR_PEOPLE = SCOPE_OBJECTS.filter((object) => object !== "relay");

/** The scopes of each preset; Everything includes objects added later. */
export const PRESETS = [
  {
    value: "read",
    label: "Read only",
    scopes: FOR_PEOPLE.map((object) => `${object}:read` as const),
  },
  { value: "sdk", label: "SDK server", scopes: ["feature_flag:read"] },
  { value: "relay", label: "Relay", scopes: ["relay:read"] },
  { value: "everything", label: "Everything", scopes: ["*"] },
] as const satisfies readonly { value: string; label: string; scopes: readonly (Scope | "*")[] }[];

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((scope) => b.includes(scope));

/** Which preset some scopes are; undefined for a choice of one's own. */
export const presetOf = (scopes: readonly string[]) =>
  PRESETS.find((preset) => same(preset.scopes, scopes))?.value;

/** Whether a key with `held` can grant all of `wanted`. */
export const mayGrant = (held: readonly string[] | null, wanted: readonly string[]): boolean =>
  held === null ||
  wanted.every((scope) => held.includes("*") || (scope !== "*" && allows(held, scope as Scope)));

export type ScopeSummary = { action: "Access to" | "Change" | "Read"; objects: string[] };

/** Scopes in words: what the key may change, and what it may only read. */
export function scopeSummary(scopes: readonly string[]): ScopeSummary[] {
  if (scopes.includes("*")) return [{ action: "Access to", objects: ["everything"] }];
  const levels = levelsOf(scopes);
  const at = (level: Level) => SCOPE_OBJECTS.filter((object) => levels[object] === level);
  const [write, read] = [at("write"), at("read")];
  const isWhole = FOR_PEOPLE.every((object) => levels[object] !== "none");
  const labels = (objects: readonly ScopeObject[], others: readonly ScopeObject[], whole: string) =>
    isWhole && objects.length > 1 && (objects === read || others.length === 0)
      ? [others.length === 0 ? "everything" : whole]
      : objects.map((object) => OBJECT_WORDS[object].label);
  return [
    ...(write.length > 0 ? [{ action: "Change" as const, objects: labels(write, read, "everything") }] : []),
    ...(read.length > 0
      ? [{ action: "Read" as const, objects: labels(read, write, "everything else") }]
      : []),
  ];
}
