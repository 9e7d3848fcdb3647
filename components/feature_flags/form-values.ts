import type { FieldErrors, Resolver } from "react-hook-form";
import type { z } from "zod";
import { draftOf, type FiltersDraft, filtersOf, newFilters } from "#components/conditions/editor/draft.ts";
import type { JsonPath } from "#components/ui/form/json/json-positions.ts";
import { findFiltersProblem } from "#lib/flags/feature_flags/filters/filters.ts";
import {
  FLAG_FIELDS,
  type FlagCreation,
  type FlagRecord,
  flagCreate,
} from "#lib/flags/feature_flags/schema.ts";
import { type FlagFilters, flagFilters } from "#lib/people/conditions/filters-schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { initialValues, namesWith } from "#lib/platform/fields-schema.ts";
import type { ErrorExtra } from "#lib/platform/http/errors.ts";
import { errorOf } from "#lib/platform/http/validation.ts";

/** The fields that a form edits and sends. */
export const FORM_FIELDS = namesWith(FLAG_FIELDS, "editable");

export type FormField = (typeof FORM_FIELDS)[number];

/**
 * The targeting as the form holds it. The form library copies plain objects whenever anything changes; an instance of a
 * class stays the same object, and with it every set that was not changed.
 */
export class HeldFilters {
  readonly draft: FiltersDraft;
  #filters: FlagFilters | undefined;
  constructor(draft: FiltersDraft) {
    this.draft = draft;
  }

  /** What the form sends of it. */
  get filters(): FlagFilters {
    this.#filters ??= filtersOf(this.draft);
    return this.#filters;
  }
}

/** What the form holds: no setting is null, and the targeting is a draft. */
export type FlagForm = { [Field in Exclude<FormField, "filters">]: NonNullable<FlagRecord[Field]> } & {
  filters: HeldFilters;
};

/** What a form sends: always every field. */
export type FlagBody = Pick<FlagCreation, FormField> & { key: string; filters: FlagFilters };

const INITIAL: Record<string, unknown> = initialValues(FLAG_FIELDS);

/** The form of some values, with those of a new flag for what they lack. */
const formWith = (values: Partial<FlagRecord>, filters: FlagFilters) =>
  ({
    ...Object.fromEntries(FORM_FIELDS.map((field) => [field, values[field] ?? INITIAL[field]])),
    filters: new HeldFilters(draftOf(filters)),
  }) as FlagForm;

/** The form of a new flag: off, for everyone once it is turned on. */
export const newForm = (): FlagForm => formWith({ key: "", active: false }, newFilters());

/** The form of a stored flag. */
export const formOf = (flag: FlagRecord): FlagForm => formWith(flag, flag.filters);

/** What the form sends. */
export const bodyOf = (form: FlagForm): FlagBody => ({
  ...form,
  key: form.key.trim(),
  filters: form.filters.filters,
});

/** The form of something that was to be sent, with the targeting where it can be edited. */
export const formOfBody = (body: FlagBody): FlagForm => formWith(body as Partial<FlagRecord>, body.filters);

/** A body that was stored as JSON; null where it is none that a form can show. */
export function readBody(stored: unknown): FlagBody | null {
  if (typeof stored !== "object" || stored === null) return null;
  const { key, filters } = stored as Partial<FlagBody>;
  return typeof key === "string" && flagFilters.safeParse(filters).success ? (stored as FlagBody) : null;
}

/** The fields of a body that differ from the stored flag; an absent setting is the same as one that is off. */
export const changedFields = (body: FlagBody, flag: FlagRecord): Partial<FlagBody> =>
  fieldsChangedFrom(bodyOf(formOf(flag)), body);

/** The fields of a body that differ from another. */
export function fieldsChangedFrom(stored: FlagBody, body: FlagBody): Partial<FlagBody> {
  return Object.fromEntries(
    FORM_FIELDS.filter(
      (field) => body[field] !== stored[field] && canonical(body[field]) !== canonical(stored[field]),
    ).map((field) => [field, body[field]]),
  );
}

/** What filters refer to is checked by the service; here all of it is taken to exist. */
function referenced(filters: FlagFilters) {
  const rows = filters.groups.flatMap((group) => group.properties ?? []);
  const flags = rows.filter((row) => row.type === "flag").map((row) => Number(row.key));
  const cohorts = rows.filter((row) => row.type === "cohort").map((row) => Number(row.value));
  return {
    flags: new Map(flags.filter((id) => id > 0).map((id) => [id, { key: "", active: true, filters: {} }])),
    cohort_ids: new Set(cohorts.filter((id) => id > 0)),
  };
}

const withPath = (path: JsonPath, message: string) => ({ type: JSON.stringify(path), message });

/** The place inside the filters that an error belongs to. */
export function pathOfError(error: { type?: unknown } | undefined): JsonPath {
  try {
    const path: unknown = JSON.parse(String(error?.type ?? "[]"));
    return Array.isArray(path) ? path : [];
  } catch {
    return [];
  }
}

/** Errors as the API would report them, by field; for filters, the first problem with its place. */
export function problemsOf(body: FlagBody, flagId: number | null): FieldErrors<FlagForm> {
  const errors: Record<string, { type: string; message: string }> = {};
  const parsed = flagCreate.safeParse(body, { reportInput: true });
  for (const issue of parsed.error?.issues ?? []) {
    const field = String(issue.path[0] ?? "root");
    errors[field] ??= { type: "api", message: errorOf({ issues: [issue] } as unknown as z.ZodError).message };
  }
  const facts = { flag_id: flagId, flag_key: body.key, ...referenced(body.filters) };
  const problem = findFiltersProblem(body.filters, facts);
  if (problem) errors.filters = withPath(problem.path, problem.detail);
  return errors as FieldErrors<FlagForm>;
}

/** Validates the form with the API's schema and rules. */
export const resolverFor =
  (flagId: number | null): Resolver<FlagForm> =>
  (values) => {
    const errors = problemsOf(bodyOf(values), flagId);
    return Object.keys(errors).length > 0 ? { values: {}, errors } : { values, errors: {} };
  };

/** Where an error of the API belongs in the form; "root" if it concerns the whole flag. */
export function placeOfError(error: { detail: string; attr: string | null; extra?: ErrorExtra }): {
  field: FormField | "root";
  error: { type: string; message: string };
} {
  const attr = error.attr?.split("__")[0];
  const field = FORM_FIELDS.find((each) => each === attr);
  if (!field) return { field: "root", error: { type: "api", message: error.detail } };
  if (field === "filters") return { field, error: withPath(error.extra?.path ?? [], error.detail) };
  return { field, error: { type: "api", message: error.detail } };
}

/** A key derived from a description: lowercase, hyphens, at most 60 characters. */
export const suggestKey = (description: string): string =>
  description
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");

/** The fields of the form that decide a value; a new flag need not have a key that could be saved. */
export const sentDraftOf = (body: FlagBody, active: boolean, flag: FlagRecord | null) => ({
  ...((body.key || flag) && { key: body.key || flag?.key }),
  active,
  filters: body.filters,
  ensure_experience_continuity: body.ensure_experience_continuity ?? false,
  has_encrypted_payloads: body.has_encrypted_payloads ?? false,
});
