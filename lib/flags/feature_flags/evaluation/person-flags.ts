import type { Evaluation } from "#lib/engines/evaluation/values/types.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { type ServedRow, selectServed } from "#lib/flags/feature_flags/usage/served-store.ts";
import type { personContract } from "#lib/people/persons/contract.ts";
import { readDistinctIds } from "#lib/people/persons/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { evaluateFor } from "./evaluation.ts";

type Of<Name extends keyof typeof personContract> = Input<(typeof personContract)[Name]>;

/** Group keys by group type, from a query. @throws ApiError 400 for what is no JSON object */
export function groupsOf(text: string | undefined): Record<string, string> {
  if (!text) return {};
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // Refused below.
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalid("groups must be a JSON object.", "groups");
  return Object.fromEntries(Object.entries(value).map(([type, key]) => [type, String(key)]));
}

/** In how many of a person's newest events served values are looked for. */
const SERVED_EVENTS = 10_000;
/** How many ids of a person are compared. */
const COMPARED_IDS = 10;

const textOr = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const servedOf = ({ value, at, distinct_id, lib, lib_version, flag_version }: ServedRow) => ({
  value: typeof value === "boolean" || typeof value === "string" ? value : null,
  timestamp: instant(new Date(at)),
  distinct_id,
  lib: textOr(lib),
  lib_version: textOr(lib_version),
  flag_version: Number.isSafeInteger(flag_version) ? Number(flag_version) : null,
});

type Evaluations = ReadonlyMap<string, Evaluation>;

const valueIn = (flag: Flag, evaluations: Evaluations): boolean | string =>
  (flag.active && evaluations.get(flag.key)?.value) || false;

/** What an id is pinned to. */
function pinOf({ pins }: Flag, distinctId: string, now: Date) {
  const found = pins.find(
    (pin) => pin.distinct_ids.includes(distinctId) && !(pin.until && Date.parse(pin.until) <= now.getTime()),
  );
  return found ? { id: found.id, value: found.value, until: found.until, reason: found.reason } : null;
}

/** What each flag is for a person, and why; beside it, what applications received last. */
export async function feature_flags(context: MemberContext, { params, query }: Of<"feature_flags">) {
  const { runtime, project, now, db } = context;
  const ids = await readDistinctIds(context, params.id);
  const distinct_id = query.distinct_id ?? ids[0] ?? "";
  if (query.distinct_id && !ids.includes(query.distinct_id))
    throw invalid("No person has this id.", "distinct_id", "does_not_exist");
  const groups = groupsOf(query.groups);
  const evaluate = (id: string): Promise<Evaluations> =>
    evaluateFor(runtime, project.id, { distinct_id: id, groups, now: now.getTime() });
  const otherIds = ids.slice(0, COMPARED_IDS).filter((id) => id !== distinct_id);
  const [evaluations, served, { live }] = await Promise.all([
    evaluate(distinct_id),
    selectServed(db, { project_id: project.id, distinct_ids: ids }, SERVED_EVENTS),
    runtime.flags.project(project.id),
  ]);
  const others: { id: string; evaluations: Evaluations }[] = [];
  for (const id of otherIds) others.push({ id, evaluations: await evaluate(id) });
  const servedByKey = new Map(served.rows.map((row) => [row.key, servedOf(row)]));
  // As in the list of flags, those that surveys keep for themselves are left out.
  const results = live
    .filter((flag) => !flag.targets_survey)
    .map((flag) => {
      const found = flag.active ? evaluations.get(flag.key) : undefined;
      const value = found?.value ?? false;
      const last = servedByKey.get(flag.key) ?? null;
      const isComparable = last !== null && found?.reason !== "no_group_type";
      // Ids of one person may get different values: what one was served is compared with what that one gets now.
      const servedId = others.find(({ id }) => id === last?.distinct_id);
      const comparedWith = servedId ? valueIn(flag, servedId.evaluations) : value;
      return {
        id: flag.id,
        key: flag.key,
        name: flag.name,
        active: flag.active,
        value,
        payload: found?.payload ?? null,
        evaluation: { reason: found?.reason ?? "disabled", condition_index: found?.condition_index ?? null },
        served: last,
        pin: pinOf(flag, distinct_id, now),
        differs: isComparable ? last.value !== comparedWith : null,
        other_ids: others
          .map(({ id, evaluations: theirs }) => ({ distinct_id: id, value: valueIn(flag, theirs) }))
          .filter((other) => other.value !== value),
      };
    });
  const { since } = served;
  return { distinct_id, served_since: since === null ? null : instant(new Date(since)), results };
}
