import { FLAG_FIELDS } from "#lib/flags/feature_flags/schema.ts";
import type { FlagFilters, FlagGroup, FlagVariant } from "#lib/people/conditions/filters-schema.ts";
import { type Names, percentText, plain, serveTokens, variantsOf } from "#lib/people/conditions/words.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { loggedNames } from "#lib/platform/fields-schema.ts";
import { findUnchanged } from "#lib/platform/lines.ts";

/** One thing that differs between two versions of a flag, in words. null: there is nothing on that side. */
export type Difference = { what: string; before: string | null; after: string | null };

/** The comparable fields of a flag; absent ones are not compared. */
export type Comparable = Record<string, unknown> & { filters?: FlagFilters | undefined };

const WORDED = loggedNames(FLAG_FIELDS, "words");

const same = (a: unknown, b: unknown) => canonical(a) === canonical(b);

/**
 * What differs between two versions of a flag. Only members that both sides have are compared, so a partial
 * update can be held against the whole record.
 */
export function listFlagDifferences(before: Comparable, after: Comparable, names: Names = {}): Difference[] {
  const found: Difference[] = WORDED.flatMap((field) => {
    if (!(field in before) || !(field in after)) return [];
    const { label, words } = FLAG_FIELDS[field];
    const [old, next] = [words(before[field]), words(after[field])];
    return old === next ? [] : [{ what: label, before: old, after: next }];
  });
  if (before.filters && after.filters)
    found.push(...listFiltersDifferences(before.filters, after.filters, names));
  return found;
}

type Change = { field: string; before?: unknown; after?: unknown };

/** One side of what an entry of the log changed; filters may lack their sets there, as they were stored. */
export function sideOf(changes: readonly Change[], which: "before" | "after"): Comparable {
  const side: Record<string, unknown> = Object.fromEntries(
    changes.map((change) => [change.field, change[which] ?? undefined]),
  );
  const filters = side.filters as FlagFilters | undefined;
  if (!filters) return { ...side, filters: undefined };
  return { ...side, filters: { ...filters, groups: Array.isArray(filters.groups) ? filters.groups : [] } };
}

/** What an entry of the activity log changed of a flag, in words. */
export const listLoggedDifferences = (changes: readonly Change[], names: Names = {}): Difference[] => [
  ...listFlagDifferences(sideOf(changes, "before"), sideOf(changes, "after"), names),
  ...changes
    .filter(({ field }) => field === "ramp")
    .map(({ before, after }) => ({ what: "Ramp", before: rampWord(before), after: rampWord(after) })),
];

/** A status of a ramp: "rolled back". */
const rampWord = (status: unknown): string => String(status).replaceAll("_", " ");

type Caused = { detail: { trigger?: unknown } };

const jobTypeOf = ({ detail: { trigger } }: Caused): unknown =>
  typeof trigger === "object" && trigger !== null && "job_type" in trigger ? trigger.job_type : null;

/** Whether a scheduled change made an entry of the log. */
export const isScheduled = (entry: Caused): boolean => jobTypeOf(entry) === "scheduled_change";

const CAUSES: Record<string, string> = {
  scheduled_change: "with a schedule",
  ramp: "with a ramp",
  rollback_conditions: "through its rollback conditions",
  pin_expiry: "because a pin expired",
};

/** What made an entry of the log, where that was not somebody at the form: "with a schedule". */
export const causeOf = (entry: Caused): string | null => CAUSES[String(jobTypeOf(entry))] ?? null;

/** What differs between two targetings: variants, sets, payloads, the rest. */
export function listFiltersDifferences(
  before: FlagFilters,
  after: FlagFilters,
  names: Names = {},
): Difference[] {
  return [
    ...variantDifferences(variantsOf(before), variantsOf(after)),
    ...setDifferences(before, after, names),
    ...payloadDifferences(before.payloads ?? {}, after.payloads ?? {}),
    ...otherDifferences(before, after),
  ];
}

function variantDifferences(before: FlagVariant[], after: FlagVariant[]): Difference[] {
  const show = (variant: FlagVariant) =>
    `${percentText(variant.rollout_percentage)}${variant.name ? `, “${variant.name}”` : ""}`;
  const [old, next] = [new Map(before.map((v) => [v.key, v])), new Map(after.map((v) => [v.key, v]))];
  return [...new Set([...old.keys(), ...next.keys()])].flatMap((key) => {
    const [a, b] = [old.get(key), next.get(key)];
    const [was, is] = [a ? show(a) : null, b ? show(b) : null];
    return was === is ? [] : [{ what: `Variant ${key}`, before: was, after: is }];
  });
}

const setText = (group: FlagGroup, filters: FlagFilters, names: Names) => {
  const sentence = plain(serveTokens(group, filters, names));
  return group.description ? `${sentence} (“${group.description}”)` : sentence;
};

function setDifferences(before: FlagFilters, after: FlagFilters, names: Names): Difference[] {
  const unchanged = findUnchanged(before.groups.map(canonical), after.groups.map(canonical));
  const found: Difference[] = [];
  const close = (oldFrom: number, oldTo: number, newFrom: number, newTo: number) => {
    for (let k = 0; k < Math.max(oldTo - oldFrom, newTo - newFrom); k++) {
      const [old, next] = [before.groups[oldFrom + k], after.groups[newFrom + k]];
      const was = old && oldFrom + k < oldTo ? setText(old, before, names) : null;
      const is = next && newFrom + k < newTo ? setText(next, after, names) : null;
      const place = is === null ? oldFrom + k : newFrom + k;
      if (was !== is) found.push({ what: `Set ${place + 1}`, before: was, after: is });
      else
        found.push({ what: `Set ${place + 1}`, before: "other settings", after: "other settings changed" });
    }
  };
  let [i, j] = [0, 0];
  for (const [oldPlace, newPlace] of unchanged) {
    close(i, oldPlace, j, newPlace);
    [i, j] = [oldPlace + 1, newPlace + 1];
  }
  close(i, before.groups.length, j, after.groups.length);
  return found;
}

const PAYLOAD_SHOWN = 160;

function payloadDifferences(before: Record<string, unknown>, after: Record<string, unknown>): Difference[] {
  const show = (payload: unknown) => {
    if (payload === undefined || payload === null) return null;
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    return text.length > PAYLOAD_SHOWN ? `${text.slice(0, PAYLOAD_SHOWN)}…` : text;
  };
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    same(before[key], after[key])
      ? []
      : [
          {
            what: key === "true" ? "Payload" : `Payload of ${key}`,
            before: show(before[key]),
            after: show(after[key]),
          },
        ],
  );
}

const TOLD = ["groups", "multivariate", "payloads"];

function otherDifferences(before: FlagFilters, after: FlagFilters): Difference[] {
  const names = new Set(
    [...Object.keys(before), ...Object.keys(after)].filter((name) => !TOLD.includes(name)),
  );
  const show = (each: unknown) =>
    each === undefined || each === null ? null : JSON.stringify(each).slice(0, PAYLOAD_SHOWN);
  return [...names].flatMap((name) =>
    same(before[name], after[name])
      ? []
      : [{ what: `Setting ${name}`, before: show(before[name]), after: show(after[name]) }],
  );
}
