import type { MemberContext } from "#lib/flags/context.ts";
import type { personContract } from "#lib/people/persons/contract.ts";
import { readDistinctIds } from "#lib/people/persons/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { invalid } from "#lib/platform/http/errors.ts";
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

/** What each flag is for a person, and why. */
export async function feature_flags(context: MemberContext, { params, query }: Of<"feature_flags">) {
  const ids = await readDistinctIds(context, params.id);
  const distinct_id = query.distinct_id ?? ids[0] ?? "";
  if (query.distinct_id && !ids.includes(query.distinct_id))
    throw invalid("No person has this id.", "distinct_id", "does_not_exist");
  const evaluations = await evaluateFor(context.runtime, context.project.id, {
    distinct_id,
    groups: groupsOf(query.groups),
    now: context.now.getTime(),
  });
  const { live } = await context.runtime.flags.project(context.project.id);
  // As in the list of flags, those that surveys keep for themselves are left out.
  const results = live
    .filter((flag) => !flag.targets_survey)
    .map((flag) => {
      const found = flag.active ? evaluations.get(flag.key) : undefined;
      return {
        id: flag.id,
        key: flag.key,
        name: flag.name,
        active: flag.active,
        value: found?.value ?? false,
        payload: found?.payload ?? null,
        evaluation: { reason: found?.reason ?? "disabled", condition_index: found?.condition_index ?? null },
      };
    });
  return { distinct_id, results };
}
