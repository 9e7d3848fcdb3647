import type {
  FlagFilters,
  FlagGroup,
  FlagProperty,
  FlagVariant,
} from "#lib/people/conditions/filters-schema.ts";

/** A row of a release condition while it is edited. `uid` stays the same through moves and changes. */
export type RowDraft = { uid: string; property: FlagProperty };
/** A condition set; its rows are separate. */
export type SetDraft = { uid: string; group: FlagGroup; rows: RowDraft[] };
/** A variant with the payload that it delivers (JSON text, or whatever was stored). */
export type VariantDraft = { uid: string; variant: FlagVariant; payload: unknown };

/**
 * Filters while they are edited. Unknown fields stay in `rest`, in each `group`, `property`
 * and `variant`, and are written back.
 */
export type FiltersDraft = {
  rest: FlagFilters;
  sets: SetDraft[];
  multivariate: boolean;
  /** Preserved while the flag is not multivariate, so that switching back restores them. */
  variants: VariantDraft[];
  /** Payload of a flag without variants. */
  payload: unknown;
  /** Payloads that belong to no variant. */
  other_payloads: Record<string, unknown>;
};

let last = 0;
/** A new identity for a row, set or variant of a draft. */
export const newUid = (): string => `d${++last}`;

export const rowDraft = (property: FlagProperty): RowDraft => ({ uid: newUid(), property });

export const setDraft = (group: FlagGroup): SetDraft => ({
  uid: newUid(),
  group,
  rows: (group.properties ?? []).map(rowDraft),
});

const ALONE = "true";

/** The draft of stored filters. */
export function draftOf(filters: FlagFilters): FiltersDraft {
  const variants = filters.multivariate?.variants ?? [];
  const payloads = filters.payloads ?? {};
  const multivariate = variants.length > 0;
  const own = new Set(multivariate ? variants.map((variant) => variant.key) : [ALONE]);
  return {
    rest: filters,
    sets: filters.groups.map(setDraft),
    multivariate,
    variants: variants.map((variant) => ({
      uid: newUid(),
      variant,
      payload: Object.hasOwn(payloads, variant.key) ? payloads[variant.key] : undefined,
    })),
    payload: !multivariate && Object.hasOwn(payloads, ALONE) ? payloads[ALONE] : undefined,
    other_payloads: Object.fromEntries(Object.entries(payloads).filter(([key]) => !own.has(key))),
  };
}

/** A condition set of a draft, as the API accepts it. */
export function groupOf({ group, rows }: SetDraft, multivariate: boolean): FlagGroup {
  const properties = rows.map((row) => row.property);
  const next = rows.length > 0 || group.properties ? { ...group, properties } : { ...group };
  if (!multivariate && next.variant) next.variant = null;
  return next;
}

/** What is empty was deleted in the form; an empty text is no JSON. */
const isThere = (payload: unknown) => payload !== undefined && payload !== "";

/** The filters of a draft, as the API accepts them. */
export function filtersOf(draft: FiltersDraft): FlagFilters {
  const { rest, multivariate } = draft;
  const filters: FlagFilters = { ...rest, groups: draft.sets.map((set) => groupOf(set, multivariate)) };
  if (multivariate)
    filters.multivariate = { ...rest.multivariate, variants: draft.variants.map(({ variant }) => variant) };
  else if (rest.multivariate?.variants.length) filters.multivariate = null;
  const own: [string, unknown][] = multivariate
    ? draft.variants.map(({ variant, payload }) => [variant.key, payload])
    : [[ALONE, draft.payload]];
  const payloads = Object.fromEntries([
    ...Object.entries(draft.other_payloads),
    ...own.filter(([, payload]) => isThere(payload)),
  ]);
  if (Object.keys(payloads).length > 0 || rest.payloads) filters.payloads = payloads;
  return filters;
}

/** The filters of a new flag: one set that matches everyone, at 0% until a percentage is chosen. */
export const newFilters = (): FlagFilters => ({
  groups: [{ properties: [], rollout_percentage: 100 }],
  multivariate: null,
  payloads: {},
});

/** A payload as text to edit: JSON text unchanged, anything else written as JSON. */
export const payloadText = (payload: unknown): string =>
  payload === undefined ? "" : typeof payload === "string" ? payload : JSON.stringify(payload, null, 2);
