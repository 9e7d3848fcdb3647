import { findConflictingFields, sameJson } from "#lib/activity/changes.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { pickColumns } from "#lib/experiments/experiments/create.ts";
import { type LinkInput, parseLinks } from "#lib/experiments/experiments/rules.ts";
import { EXPERIMENT_FIELDS, type ExperimentUpdate } from "#lib/experiments/experiments/schema.ts";
import type { ExperimentRow } from "#lib/experiments/experiments/store.ts";
import { withoutFingerprints } from "#lib/experiments/experiments/writing.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import { showValues } from "#lib/platform/fields-schema.ts";
import { conflict } from "#lib/platform/http/errors.ts";

/** Parameters are independent, though written as a whole: each is a field here. */
function withParameters(fields: Json, names: Iterable<string>): Json {
  if (!("parameters" in fields)) return fields;
  const { parameters, ...rest } = fields;
  const given = isObject(parameters) ? parameters : {};
  return {
    ...rest,
    ...Object.fromEntries([...names].map((name) => [`parameters.${name}`, given[name] ?? null])),
  };
}

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

/** A record that a caller sends back, with the fields of an update. */
function readBefore(original: Json): Json {
  const links = Array.isArray(original.saved_metrics) ? original.saved_metrics.filter(isObject) : [];
  return {
    ...original,
    metrics: metricsIn(original.metrics),
    metrics_secondary: metricsIn(original.metrics_secondary),
    saved_metrics_ids: links.map(({ saved_metric, metadata }) => ({ id: saved_metric, metadata })),
  };
}

const parametersIn = (value: unknown): Json => (isObject(value) ? value : {});

/** Parameters with a caller's changes, keeping what others changed meanwhile. */
function merged(original: Json, wanted: Json, stored: Json): Json {
  const names = new Set([...Object.keys(original), ...Object.keys(wanted), ...Object.keys(stored)]);
  const members = [...names].map((name) => {
    const isMine = !sameJson(original[name] ?? null, wanted[name] ?? null);
    return [name, (isMine ? wanted : stored)[name]] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/**
 * An update as it applies to what is stored. With `version` and `original_experiment` it is based on what its
 * caller saw: fields changed by somebody else since are refused with 409 if this request changes them too, and are
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
  const before = readBefore(original);
  const current: Json = { ...shown(stored), saved_metrics_ids: linksOf(links) };
  const names = new Set(
    [before, wanted, current].flatMap((each) => Object.keys(parametersIn(each.parameters))),
  );
  const fields = findConflictingFields(
    withParameters(current, names),
    withParameters(before, names),
    withParameters(wanted, names),
  );
  if (fields.length > 0) {
    const { users } = await context.runtime.directory.current();
    const editor = users.get(stored.last_modified_by_id ?? 0)?.email ?? "somebody else";
    throw conflict(
      `The experiment was changed by ${editor} since you opened it (${fields.join(", ")}). Read it again and decide which version to keep.`,
      { fields, version: stored.version },
    );
  }
  const isTheirs = (field: string) =>
    field in wanted && field in before && sameJson(wanted[field], before[field]);
  const mine: ExperimentUpdate = Object.fromEntries(
    Object.entries(body).filter(([field]) => !isTheirs(field)),
  );
  if (!mine.parameters) return mine;
  const given = [original.parameters, mine.parameters, stored.parameters].map(parametersIn);
  return { ...mine, parameters: merged(given[0] ?? {}, given[1] ?? {}, given[2] ?? {}) };
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
