import { sameJson } from "#lib/activity/changes.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { pickColumns } from "#lib/experiments/experiments/create.ts";
import {
  compareParts,
  fieldOfPart,
  fieldsOf,
  partsOf,
  requestFields,
  withParts,
} from "#lib/experiments/experiments/lifecycle/parts.ts";
import { type LinkInput, parseLinks } from "#lib/experiments/experiments/rules.ts";
import { EXPERIMENT_FIELDS, type ExperimentUpdate } from "#lib/experiments/experiments/schema.ts";
import type { ExperimentRow } from "#lib/experiments/experiments/store.ts";
import { withoutFingerprints } from "#lib/experiments/experiments/writing.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import { showValues } from "#lib/platform/fields-schema.ts";
import { conflict } from "#lib/platform/http/errors.ts";

const metricsIn = (value: unknown) =>
  Array.isArray(value) ? withoutFingerprints(value.filter(isObject)) : value;

const linksOf = (links: readonly LinkInput[]) =>
  links.map(({ saved_metric_id, metadata }) => ({ id: saved_metric_id, metadata }));

/** Fields of a row as records show them. */
const shown = (row: Partial<ExperimentRow>): Json => ({
  ...showValues(EXPERIMENT_FIELDS, row),
  ...("metrics" in row && { metrics: metricsIn(row.metrics) }),
  ...("metrics_secondary" in row && { metrics_secondary: metricsIn(row.metrics_secondary) }),
});

/** The fields of what is stored that an original has in a form of its own; what it lacks is not judged. */
function readBefore(original: Json, current: Json): Json {
  const before = requestFields(original);
  const isReadable = (field: string) =>
    Array.isArray(current[field]) ? Array.isArray(before[field]) : before[field] !== undefined;
  return Object.fromEntries(
    Object.entries(current).map(([field, value]) => [field, isReadable(field) ? before[field] : value]),
  );
}

/** The fields that are taken apart to merge them. */
const MERGED = ["parameters", "metrics", "metrics_secondary", "saved_metrics_ids"] as const;

/**
 * An update as it applies to what is stored. With `version` and `original_experiment` it is based on what its
 * caller saw: parts changed by somebody else since are refused with 409 if this request changes them too, and are
 * kept otherwise.
 *
 * @throws ApiError 409 naming the fields
 */
export async function rebaseUpdate(
  context: MemberContext,
  stored: ExperimentRow,
  links: readonly LinkInput[],
  update: ExperimentUpdate,
): Promise<ExperimentUpdate> {
  const { version, original_experiment: original, ...body } = update;
  if (version === undefined || version === stored.version || !original) return body;
  const wanted: Json = {
    ...shown(pickColumns(body)),
    ...(body.saved_metrics_ids !== undefined && {
      saved_metrics_ids: linksOf(parseLinks(body.saved_metrics_ids)),
    }),
  };
  const current: Json = { ...shown(stored), saved_metrics_ids: linksOf(links) };
  const before = readBefore(original, current);
  const [now, mine] = [partsOf(current), partsOf({ ...before, ...wanted })];
  const compared = compareParts(partsOf(before), now, mine);
  if (compared.conflicts.length > 0) {
    const { users } = await context.runtime.directory.current();
    const editor = users.get(stored.last_modified_by_id ?? 0)?.email ?? "somebody else";
    const fields = [...new Set(compared.conflicts.map(fieldOfPart))];
    throw conflict(
      `The experiment was changed by ${editor} since you opened it (${fields.join(", ")}). Read it again and decide which version to keep.`,
      { fields, version: stored.version },
    );
  }
  const changed = new Set(compared.mine);
  const together = fieldsOf(withParts(now, mine, changed));
  const isMerged = (field: string) => MERGED.some((each) => each === field);
  const isMine = (field: string) => !(field in before) || changed.has(field);
  return {
    ...Object.fromEntries(Object.entries(body).filter(([field]) => !isMerged(field) && isMine(field))),
    ...Object.fromEntries(
      MERGED.filter((field) => !sameJson(together[field], current[field] ?? {})).map((field) => [
        field,
        together[field],
      ]),
    ),
  };
}

/** Throws the API's 409 if the flag that a request changes is not the version that its caller saw. */
export function checkUnseenFlag(flag: FlagRow, { version, original_experiment: original }: ExperimentUpdate) {
  const seen = original?.feature_flag;
  if (version === undefined || !isObject(seen) || seen.version === flag.version) return;
  const filters = flag.has_encrypted_payloads ? redactFilters(flag.filters) : flag.filters;
  if (!sameJson(seen.filters, filters))
    throw conflict(
      `The feature flag ${flag.key} was changed since you opened the experiment. Read it again before you ship.`,
      { fields: ["feature_flag"] },
    );
}
