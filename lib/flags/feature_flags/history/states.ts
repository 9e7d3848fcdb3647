import { readActivityPage } from "#lib/activity/service.ts";
import type { FlagDefinition } from "#lib/engines/evaluation/values/types.ts";
import type { Json } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { redactFilters } from "#lib/flags/feature_flags/filters/payloads.ts";
import { withGroups } from "#lib/people/conditions/filters-schema.ts";
import { canonical } from "#lib/platform/canonical.ts";
import { KEPT_BESIDE } from "./changes.ts";

/** What evaluation needs of a flag. */
export type StoredDefinition = FlagDefinition & { id: number; active: boolean; filters: Json };

/** What evaluation needed of a flag from one moment on. */
export type FlagState = {
  /** Milliseconds; the oldest state that was asked for has minus infinity. */
  from: number;
  /** The version that introduced it. */
  version: number | null;
  /** null: there was no flag, or it was deleted. Encrypted payloads are redacted. */
  definition: StoredDefinition | null;
};

const DECIDING = [
  "key",
  "active",
  "filters",
  "deleted",
  "version",
  "ensure_experience_continuity",
  "evaluation_runtime",
] as const;
type Deciding = Record<(typeof DECIDING)[number], unknown>;
type Saved = {
  activity: string;
  created_at: string;
  detail: { changes: readonly { field: string; before: unknown }[] };
};

/** What evaluation needs of a flag with these fields; null where it is deleted. */
export function definitionOf(id: number, fields: Partial<Deciding>): StoredDefinition | null {
  if (fields.deleted === true) return null;
  return {
    id,
    version: typeof fields.version === "number" ? fields.version : null,
    key: String(fields.key),
    active: fields.active === true,
    filters: withGroups((fields.filters ?? {}) as Json),
    ensure_experience_continuity: fields.ensure_experience_continuity === true,
    evaluation_runtime: typeof fields.evaluation_runtime === "string" ? fields.evaluation_runtime : null,
  };
}

/** What decides, without the number that every save raises. */
const decidingText = (state: FlagState) =>
  canonical(state.definition && { ...state.definition, version: null });

/**
 * The states of a flag, oldest first, found by taking back what the log says. Saves that change nothing that decides
 * make none.
 *
 * @param entries the log of the flag from its newest entry on, without a gap, newest first
 */
function statesOf(id: number, current: Deciding, entries: readonly Saved[]): FlagState[] {
  const found: FlagState[] = [];
  let fields: Deciding | null = { ...current };
  for (const { activity, created_at, detail } of entries) {
    if (!fields) break;
    const { version } = fields;
    found.unshift({
      from: Date.parse(created_at),
      version: typeof version === "number" ? version : null,
      definition: definitionOf(id, fields),
    });
    if (activity === "created") fields = null;
    else
      for (const { field, before } of detail.changes)
        if (DECIDING.includes(field as keyof Deciding))
          fields[field as keyof Deciding] = before ?? (field === "evaluation_runtime" ? "all" : null);
  }
  const version = typeof fields?.version === "number" ? fields.version : null;
  found.unshift({
    from: Number.NEGATIVE_INFINITY,
    version,
    definition: fields && definitionOf(id, fields),
  });
  return found.filter((state, place) => {
    const earlier = found[place - 1];
    return !earlier || decidingText(earlier) !== decidingText(state);
  });
}

/** More saves than these are not taken back. */
const SAVES_MAX = 10_000;

/** The states that a flag has had since a moment, the one at that moment first. */
export async function readStates(context: MemberContext, flag: Flag, since: Date): Promise<FlagState[]> {
  const { results } = await readActivityPage(
    context,
    { scopes: ["FeatureFlag"], item_id: String(flag.id), without_fields: KEPT_BESIDE, from: since },
    { limit: SAVES_MAX, page: 1 },
  );
  const filters = flag.has_encrypted_payloads ? redactFilters(flag.filters) : flag.filters;
  return statesOf(flag.id, { ...flag, filters }, results);
}
