import { sharesTo100, sharesWithOneMore } from "#components/conditions/split/shares.ts";
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

/** Adds a variant with an unused name and an equal share, to which the others give in proportion. */
export function addVariant(draft: FiltersDraft): FiltersDraft {
  const taken = new Set(draft.variants.map(({ variant }) => variant.key));
  let number = draft.variants.length;
  while (taken.has(`test-${number}`)) number++;
  const variants = [...draft.variants, variantDraft(`test-${number}`, 0)];
  return withShares({ ...draft, variants }, sharesWithOneMore(sharesOf(draft)));
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
  const left = { ...draft, variants: draft.variants.filter((each) => each.uid !== uid), sets };
  return withShares(left, sharesTo100(sharesOf(left)));
}

/** The percentages of the variants. */
export const sharesOf = (draft: FiltersDraft): number[] =>
  draft.variants.map(({ variant }) => variant.rollout_percentage);

export const withShares = (draft: FiltersDraft, shares: readonly number[]): FiltersDraft => ({
  ...draft,
  variants: draft.variants.map((each, place) => ({
    ...each,
    variant: { ...each.variant, rollout_percentage: shares[place] ?? 0 },
  })),
});

/** The variants and shares of a former draft; what was typed into those that are still there stays. */
export function withVariantsOf(draft: FiltersDraft, former: FiltersDraft): FiltersDraft {
  const now = new Map(draft.variants.map((each) => [each.uid, each]));
  const variants = former.variants.map((each) => now.get(each.uid) ?? each);
  const gone = new Set(
    draft.variants.filter((each) => !variants.includes(each)).map((each) => each.variant.key),
  );
  const back = new Set(variants.filter((each) => !now.has(each.uid)).map((each) => each.variant.key));
  const forced = new Map(former.sets.map(({ uid, group }) => [uid, group.variant ?? ""]));
  const sets = draft.sets.map((set) => {
    const before = forced.get(set.uid) ?? "";
    if (set.group.variant && gone.has(set.group.variant))
      return { ...set, group: { ...set.group, variant: null } };
    return back.has(before) && !set.group.variant
      ? { ...set, group: { ...set.group, variant: before } }
      : set;
  });
  return withShares({ ...draft, variants, sets }, sharesOf(former));
}
