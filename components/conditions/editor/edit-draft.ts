import type { FlagProperty, FlagVariant } from "#lib/people/conditions/filters-schema.ts";
import { type FiltersDraft, newUid, rowDraft, type SetDraft, setDraft, type VariantDraft } from "./draft.ts";

/** Functions that return a changed draft; unchanged parts keep their identity. */

const replaced = <T extends { uid: string }>(items: readonly T[], uid: string, change: (item: T) => T): T[] =>
  items.map((item) => (item.uid === uid ? change(item) : item));

/** The list with one item at another place; the same list where that place does not exist. */
function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const next = [...items];
  if (to < 0 || to >= items.length) return next;
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

export const addSet = (draft: FiltersDraft): FiltersDraft => ({
  ...draft,
  sets: [...draft.sets, setDraft({ properties: [], rollout_percentage: 100 })],
});

const changeSet = (draft: FiltersDraft, uid: string, change: (set: SetDraft) => SetDraft) => ({
  ...draft,
  sets: replaced(draft.sets, uid, change),
});

export const changeGroup = (draft: FiltersDraft, uid: string, change: Partial<SetDraft["group"]>) =>
  changeSet(draft, uid, (set) => ({ ...set, group: { ...set.group, ...change } }));

/** A copy of the set right after it. */
export function duplicateSet(draft: FiltersDraft, uid: string): FiltersDraft {
  const sets = draft.sets.flatMap((set) =>
    set.uid === uid
      ? [set, { ...set, uid: newUid(), rows: set.rows.map((row) => rowDraft({ ...row.property })) }]
      : [set],
  );
  return { ...draft, sets };
}

export const removeSet = (draft: FiltersDraft, uid: string): FiltersDraft => ({
  ...draft,
  sets: draft.sets.filter((set) => set.uid !== uid),
});

/** Puts a set (back) at a place. */
export const insertSet = (draft: FiltersDraft, set: SetDraft, place: number): FiltersDraft => ({
  ...draft,
  sets: [...draft.sets.slice(0, place), set, ...draft.sets.slice(place)],
});

export const moveSet = (draft: FiltersDraft, from: number, to: number): FiltersDraft => ({
  ...draft,
  sets: moved(draft.sets, from, to),
});

export const addRow = (draft: FiltersDraft, uid: string, property: FlagProperty) =>
  changeSet(draft, uid, (set) => ({ ...set, rows: [...set.rows, rowDraft(property)] }));

export const changeRow = (draft: FiltersDraft, uid: string, rowUid: string, property: FlagProperty) =>
  changeSet(draft, uid, (set) => ({
    ...set,
    rows: replaced(set.rows, rowUid, (row) => ({ ...row, property })),
  }));

export const removeRow = (draft: FiltersDraft, uid: string, rowUid: string) =>
  changeSet(draft, uid, (set) => ({ ...set, rows: set.rows.filter((row) => row.uid !== rowUid) }));

/**
 * The draft for another kind of subject: persons (null) or groups of a type. Rows on properties ask the same of
 * the new subject; rows on cohorts, which hold persons, go.
 */
export function forSubject(draft: FiltersDraft, index: number | null): FiltersDraft {
  const converted = ({ group_type_index: _, ...row }: FlagProperty): FlagProperty =>
    row.type === "flag"
      ? (row as FlagProperty)
      : ({
          ...row,
          type: index === null ? "person" : "group",
          ...(index !== null && { group_type_index: index }),
        } as FlagProperty);
  const sets = draft.sets.map((set) => ({
    ...set,
    rows: set.rows
      .filter(({ property }) => index === null || property.type !== "cohort")
      .map((row) => ({ ...row, property: converted(row.property) })),
  }));
  return { ...draft, sets, rest: { ...draft.rest, aggregation_group_type_index: index } };
}

const variantDraft = (key: string, share: number): VariantDraft => ({
  uid: newUid(),
  variant: { key, name: "", rollout_percentage: share },
  payload: undefined,
});

/** Whether the flag has variants; the first time it gets control and test, half each. */
export function withVariants(draft: FiltersDraft, multivariate: boolean): FiltersDraft {
  const variants =
    multivariate && draft.variants.length === 0
      ? [variantDraft("control", 50), variantDraft("test", 50)]
      : draft.variants;
  return { ...draft, multivariate, variants };
}

/** Adds a variant with an unused name and 0%. */
export function addVariant(draft: FiltersDraft): FiltersDraft {
  const taken = new Set(draft.variants.map(({ variant }) => variant.key));
  let number = draft.variants.length;
  while (taken.has(`test-${number}`)) number++;
  return { ...draft, variants: [...draft.variants, variantDraft(`test-${number}`, 0)] };
}

/** Changes a variant; sets that force it follow a new key. */
export function changeVariant(draft: FiltersDraft, uid: string, change: Partial<FlagVariant>): FiltersDraft {
  const old = draft.variants.find((each) => each.uid === uid)?.variant.key;
  const variants = replaced(draft.variants, uid, (each) => ({
    ...each,
    variant: { ...each.variant, ...change } as FlagVariant,
  }));
  if (change.key === undefined || change.key === old || !old) return { ...draft, variants };
  const sets = draft.sets.map((set) =>
    set.group.variant === old ? { ...set, group: { ...set.group, variant: change.key } } : set,
  );
  return { ...draft, variants, sets };
}

export const changePayload = (draft: FiltersDraft, uid: string | null, payload: unknown): FiltersDraft =>
  uid === null
    ? { ...draft, payload }
    : { ...draft, variants: replaced(draft.variants, uid, (each) => ({ ...each, payload })) };

/** Removes the variant, whose share goes to those left; sets that forced it serve by percentage again. */
export function removeVariant(draft: FiltersDraft, uid: string): FiltersDraft {
  const key = draft.variants.find((each) => each.uid === uid)?.variant.key;
  const sets = draft.sets.map((set) =>
    set.group.variant === key ? { ...set, group: { ...set.group, variant: null } } : set,
  );
  const left = draft.variants.filter((each) => each.uid !== uid);
  const shares = spread(
    left.map(({ variant }) => hundredths(variant.rollout_percentage)),
    10_000,
  );
  return withShares(
    { ...draft, variants: left, sets },
    shares.map((share) => share / 100),
  );
}

const hundredths = (share: number) => Math.round((share || 0) * 100);

/**
 * Shares that add up to 100 after one of them was set: those after it share what is left in proportion; if they cannot,
 * those before it change, the nearest first. Shares from top to bottom can so be typed one after another.
 *
 * @param set the place of the share that stays as it is
 */
export function balancedShares(shares: readonly number[], set: number): number[] {
  const fixed = hundredths(shares[set] ?? 0);
  if (shares.length < 2 || fixed < 0 || fixed > 10_000) return [...shares];
  const before = shares.slice(0, set).map(hundredths);
  const after = shares.slice(set + 1).map(hundredths);
  let left = 10_000 - fixed - before.reduce((sum, share) => sum + share, 0);
  const rest = spread(after, Math.max(0, left));
  left -= rest.reduce((sum, share) => sum + share, 0);
  for (let place = before.length - 1; place >= 0 && left !== 0; place--) {
    const next = Math.max(0, (before[place] ?? 0) + left);
    left -= next - (before[place] ?? 0);
    before[place] = next;
  }
  return [...before, fixed, ...rest].map((share) => share / 100);
}

/** So many hundredths in the proportions of some shares, equally where all of them are 0. */
function spread(shares: readonly number[], total: number): number[] {
  const sum = shares.reduce((all, share) => all + share, 0);
  let [seen, given] = [0, 0];
  return shares.map((share) => {
    seen += sum > 0 ? share / sum : 1 / shares.length;
    const next = Math.round(total * Math.min(1, seen)) - given;
    given += next;
    return next;
  });
}

/** Sets a variant's percentage; the others follow, so that the sum stays 100. */
export function changeShare(draft: FiltersDraft, uid: string, share: number): FiltersDraft {
  const place = draft.variants.findIndex((each) => each.uid === uid);
  const next = draft.variants.map(({ variant }, at) => (at === place ? share : variant.rollout_percentage));
  const shares = Number.isFinite(share) ? balancedShares(next, place) : next;
  return withShares(draft, shares);
}

const withShares = (draft: FiltersDraft, shares: readonly number[]): FiltersDraft => ({
  ...draft,
  variants: draft.variants.map((each, place) => ({
    ...each,
    variant: { ...each.variant, rollout_percentage: shares[place] ?? 0 },
  })),
});

/** Equal percentages in hundredths that add up to exactly 100; the remainder goes to the first ones. */
export function evenShares(count: number): number[] {
  if (count === 0) return [];
  // Whole percents where they come out even, hundredths otherwise.
  const unit = 100 % count === 0 ? 1 : 100;
  const base = Math.floor((100 * unit) / count);
  const left = 100 * unit - base * count;
  return Array.from({ length: count }, (_, i) => (base + (i < left ? 1 : 0)) / unit);
}

export const distributeEvenly = (draft: FiltersDraft): FiltersDraft =>
  withShares(draft, evenShares(draft.variants.length));

/** The sum of the variant percentages, without floating-point noise. */
export const shareSum = (draft: FiltersDraft): number =>
  Number(draft.variants.reduce((sum, { variant }) => sum + (variant.rollout_percentage || 0), 0).toFixed(6));
