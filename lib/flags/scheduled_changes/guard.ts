import { createHash } from "node:crypto";
import type { SavingContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { normalizePayloads } from "#lib/flags/feature_flags/filters/payloads.ts";
import { FLAG_FIELDS, type FlagUpdate } from "#lib/flags/feature_flags/schema.ts";
import { replacesFilters } from "#lib/flags/feature_flags/service.ts";
import { measureImpact } from "#lib/flags/feature_flags/who_changes/who-changes.ts";
import { canonical } from "#lib/platform/canonical.ts";
import type { Field } from "#lib/platform/fields-schema.ts";
import { formatCount } from "#lib/platform/format.ts";
import { proposedBy } from "./operations.ts";
import type { ScheduledImpact, ScheduledRow } from "./store.ts";

/** A run may concern so many times as many people as expected ... */
const FACTOR_MAX = 2;
/** ... or this share of all people more. */
const SHARE_MAX = 0.01;

const digestOf = (value: unknown): string =>
  createHash("sha256").update(canonical(value)).digest("base64url");

const valueIn = (flag: Flag, field: string): unknown => flag[field as keyof Flag];

/** What an update sets, by field. */
function touchedBy(body: FlagUpdate, flag: Flag): Record<string, unknown> {
  const { filters, ...others } = body;
  const isReplaced = filters !== undefined && replacesFilters(body);
  return { ...others, ...(isReplaced && { filters: normalizePayloads(filters, flag.filters) }) };
}

/** What a guarded schedule knows of the flag and of its own effect when it is made. */
export async function expect(context: SavingContext, flag: Flag, body: FlagUpdate) {
  const { impact } = await measureImpact(context, proposedBy(flag.id, body));
  const fields = Object.keys(touchedBy(body, flag));
  return {
    expected_impact: impact,
    seen: Object.fromEntries(fields.map((field) => [field, digestOf(valueIn(flag, field))])),
  };
}

/** Fields that were changed since the schedule was made, to something else than it sets. */
const changedSince = (seen: Record<string, string>, body: FlagUpdate, flag: Flag): string[] =>
  Object.entries(touchedBy(body, flag))
    .filter(([field, next]) => {
      const current = valueIn(flag, field);
      return seen[field] !== digestOf(current) && canonical(current) !== canonical(next);
    })
    .map(([field]) => field);

const labelOf = (field: string): string => {
  const { label }: Field = FLAG_FIELDS[field as keyof typeof FLAG_FIELDS] ?? {};
  return (label ?? (field === "filters" ? "Targeting" : field)).toLowerCase();
};

/** Why the effect of a change is too large; null where it is about what was expected. */
export function findDrift(expected: ScheduledImpact, now: ScheduledImpact): string | null {
  const more = now.changed - expected.changed;
  if (now.changed <= expected.changed * FACTOR_MAX || more <= now.total * SHARE_MAX) return null;
  const unit = now.group_type_index === null ? "people" : "groups";
  return `It would change the value of ${formatCount(now.changed)} of ${formatCount(now.total)} ${unit}; when it was scheduled, it would have been ${formatCount(expected.changed)} of ${formatCount(expected.total)}. Nothing was changed.`;
}

/**
 * Asks whether a guarded change is still the one that was scheduled.
 *
 * @returns why it must not run; null where it may, for the version of the flag that was looked at
 */
export async function findObstacle(
  context: SavingContext,
  { seen, expected_impact }: Pick<ScheduledRow, "seen" | "expected_impact">,
  { flag, body }: { flag: Flag; body: FlagUpdate },
  signal: AbortSignal,
): Promise<{ obstacle: string | null; version: number }> {
  const fields = changedSince(seen ?? {}, body, flag);
  if (fields.length > 0) {
    const named = fields.map(labelOf).join(", ");
    const obstacle = `Somebody has changed the flag since this was scheduled (${named}). Nothing was changed.`;
    return { obstacle, version: flag.version };
  }
  const { impact, version } = await measureImpact(context, proposedBy(flag.id, body), signal);
  const obstacle = expected_impact && findDrift(expected_impact, impact);
  return { obstacle, version: version ?? flag.version };
}
