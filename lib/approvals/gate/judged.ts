import type { Consequence, Requirement } from "#lib/approvals/approval_policies/requirements.ts";
import { isSurveyFlag } from "#lib/flags/feature_flags/schema.ts";
import { formatCount } from "#lib/platform/format.ts";
import type { Impact } from "./impact.ts";
import type { Trace } from "./store.ts";

/** Who asks for a change. */
export type Asking = Pick<Consequence, "actor" | "level">;

/** A record that a change writes. */
type Written = Pick<Trace, "resource" | "id" | "name">;

/** A change as it was judged: what it writes, does and needs. */
export type Judged = {
  written: Written[];
  /** Of every record that it writes, its fingerprint before; "" for a new one. */
  seen: Record<string, string>;
  impact: Impact;
  action_keys: string[];
  /** null: no policy is in force. */
  requirement: Requirement | null;
  /** What the flags that it changes were served with, and would be: they, and all that decides them. */
  states: { before: Record<string, Record<string, unknown>>; after: Record<string, Record<string, unknown>> };
  /** Log entries that it would write. */
  entries: { scope: string; item_id: string; activity: string; detail: unknown }[];
};

/** An approval covers what was shown, and this share of people more. */
const DRIFT_MAX = 0.01;

/** It also covers half as many people more, as a project grows, and this many in any case. */
const GROWTH_MAX = 1.5;
const GROWTH_FREE = 100;

const shareOf = ({ changed, total }: { changed: number; total: number }): number =>
  total > 0 ? changed / total : 0;

const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;

/**
 * The flags that a change changes, by key. A flag that a survey creates for itself gets a random key each time, so its
 * position stands for it.
 */
function flagsByName({ impact, seen }: Judged): Map<string, Impact["flags"][number]> {
  const isCreatedHere = (flag: { id: number; key: string }) =>
    isSurveyFlag(flag) && seen[`feature_flag/${flag.id}`] === "";
  const created = impact.flags.filter(isCreatedHere).map((flag, at) => [`new ${at}`, flag] as const);
  const others = impact.flags.filter((flag) => !isCreatedHere(flag));
  return new Map([...others.map((flag) => [flag.key, flag] as const), ...created]);
}

/** Why what would be done now is not what was shown; null where it is. */
export function findDrift(shown: Judged, now: Judged, mayBeEdited = false): string | null {
  const edited = mayBeEdited
    ? undefined
    : now.written.find(({ resource, id }) => {
        const name = `${resource}/${id}`;
        return shown.seen[name] !== undefined && shown.seen[name] !== now.seen[name];
      });
  if (edited) return `${edited.name} has been edited since the request was made.`;
  const further = now.written.find(({ resource, id }) => {
    // A new record gets another id each time.
    return now.seen[`${resource}/${id}`] !== "" && shown.seen[`${resource}/${id}`] === undefined;
  });
  if (further) return `It would now write ${further.name} too.`;
  const shownFlags = flagsByName(shown);
  for (const [name, flag] of flagsByName(now)) {
    const before = shownFlags.get(name);
    if (!before) return `The flag ${flag.key} depends on it now.`;
    const [was, is] = [shareOf(before), shareOf(flag)];
    const unit = flag.group_type_index === null ? "people" : "groups";
    if (is - was > DRIFT_MAX)
      return `It would change the value of ${flag.key} for ${percent(is)} of ${unit}; ${percent(was)} were shown.`;
    if (flag.changed > before.changed * GROWTH_MAX && flag.changed - before.changed > GROWTH_FREE)
      return `It would change the value of ${flag.key} for ${formatCount(flag.changed)} ${unit}; ${formatCount(before.changed)} were shown.`;
  }
  const added = (["running_experiments", "running_surveys"] as const).flatMap((kind) =>
    now.impact[kind].filter((name) => !shown.impact[kind].includes(name)),
  );
  return added.length > 0 ? `${added.join(", ")} has started meanwhile.` : null;
}

/** Whether a policy asks for approvals now that nobody was asked for when the change was shown. */
export const asksForMore = (now: Judged, shown: Judged): boolean =>
  (now.requirement?.policies ?? []).some(
    ({ id, quorum }) =>
      !shown.requirement?.policies.some((known) => known.id === id && known.quorum >= quorum),
  );

const strictest = (all: readonly (Requirement | null)[]): Requirement | null => {
  const asked = all.filter((each) => each !== null);
  const [first] = asked;
  if (!first) return null;
  return {
    quorum: Math.max(...asked.map(({ quorum }) => quorum)),
    forbidden: asked.find(({ forbidden }) => forbidden)?.forbidden ?? null,
    policies: [...new Map(asked.flatMap(({ policies }) => policies).map((each) => [each.id, each])).values()],
    expires_after_seconds: Math.min(...asked.map((each) => each.expires_after_seconds)),
  };
};

/** What a rehearsal has tried and would do, as one change; null for nothing. */
export function mergeJudged(parts: readonly Judged[]): Judged | null {
  const [first, ...others] = parts;
  if (!first || others.length === 0) return first ?? null;
  const smallestFirst = parts.toSorted((a, b) => shareOf(a.impact) - shareOf(b.impact));
  const impacts = parts.map(({ impact }) => impact);
  const largest = smallestFirst.at(-1)?.impact ?? first.impact;
  const unique = (names: string[]) => [...new Set(names)].sort();
  const by = <T>(all: readonly T[], nameOf: (each: T) => string) => [
    ...new Map(all.map((each) => [nameOf(each), each])).values(),
  ];
  return {
    written: by(
      parts.flatMap(({ written }) => written),
      ({ resource, id }) => `${resource}/${id}`,
    ),
    seen: Object.assign({}, ...parts.map(({ seen }) => seen)),
    impact: {
      ...largest,
      // Of a flag that several parts write, what it comes to at most.
      flags: by(
        impacts.flatMap(({ flags }) => flags).sort((a, b) => shareOf(a) - shareOf(b)),
        ({ id }) => String(id),
      ),
      running_experiments: unique(impacts.flatMap((each) => each.running_experiments)),
      running_surveys: unique(impacts.flatMap((each) => each.running_surveys)),
      new_properties: unique(impacts.flatMap((each) => each.new_properties)),
    },
    action_keys: unique(parts.flatMap(({ action_keys }) => action_keys)),
    states: {
      before: Object.assign({}, ...smallestFirst.map(({ states }) => states.before)),
      after: Object.assign({}, ...smallestFirst.map(({ states }) => states.after)),
    },
    requirement: strictest(parts.map(({ requirement }) => requirement)),
    entries: parts.at(-1)?.entries ?? [],
  };
}
