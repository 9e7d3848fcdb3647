import { readActivityPage } from "#lib/activity/service.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { flagOf } from "#lib/flags/feature_flags/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import { KEPT_BESIDE } from "./changes.ts";
import { versionsOf } from "./versions.ts";
import type { versionsContract } from "./versions-contract.ts";

type Of<Name extends keyof typeof versionsContract> = Input<(typeof versionsContract)[Name]>;

/** Entries of the log that make no version of their own, at most. */
const UNNUMBERED_MAX = 1000;

export async function versions(context: MemberContext, { params, query }: Of<"versions">) {
  const flag = await flagOf(context, params.id);
  const shown = {
    ...flag,
    filters: flag.has_encrypted_payloads ? redactFilters(flag.filters) : flag.filters,
  };
  const wanted = query.versions?.split(",").map(Number);
  // A state is found by taking back every later save, so those of earlier pages are read too.
  const { results, total_count } = await readActivityPage(
    context,
    { scopes: ["FeatureFlag"], item_id: String(flag.id), without_fields: KEPT_BESIDE },
    { limit: wanted ? flag.version + UNNUMBERED_MAX : query.offset + query.limit, page: 1 },
  );
  const all = versionsOf(shown, results);
  if (!wanted)
    return {
      count: total_count,
      ...neighbours(context.url, query, total_count),
      results: all.slice(query.offset),
    };
  const found = [...new Set(wanted)]
    .sort((a, b) => b - a)
    .flatMap((number) => all.find(({ version }) => version === number) ?? []);
  return {
    count: found.length,
    ...neighbours(context.url, query, found.length),
    results: found.slice(query.offset, query.offset + query.limit),
  };
}
