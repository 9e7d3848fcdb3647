import { selectActivity } from "#lib/activity/store.ts";
import type { SavingContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { normalizePayloads } from "#lib/flags/feature_flags/filters/payloads.ts";
import { KEPT_BESIDE } from "#lib/flags/feature_flags/history/changes.ts";
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
/** Edits that are looked at, at most. */
const EDITS_MAX = 1_000;
/** So many more than there should be: where clocks were set, the log is not in the order of versions. */
const EDITS_MORE = 50;

const valueIn = (flag: Flag, field: string): unknown => flag[field as keyof Flag];

/** The fields that an update sets to something else than they are. */
function changedBy(body: FlagUpdate, flag: Flag): string[] {
  const { filters, ...others } = body;
  const isReplaced = filters !== undefined && replacesFilters(body);
  const after = { ...others, ...(isReplaced && { filters: normalizePayloads(filters, flag.filters) }) };
  return Object.entries(after)
    .filter(([field, value]) => canonical(valueIn(flag, field)) !== canonical(value))
    .map(([field]) => field);
}

const isStatus = (body: FlagUpdate) => Object.keys(body).length === 1 && body.active !== undefined;

/**
 * What a guarded schedule knows of the flag and of its own effect when it is made. Turning a flag off concerns those
 * whom turning it on concerns, also where it is off until another schedule turns it on. Of any other change that would
 * change nothing yet, nothing can be expected.
 */
export async function expect(context: SavingContext, flag: Flag, body: FlagUpdate) {
  const seen_version = flag.version;
  const counted = isStatus(body) ? { active: !flag.active } : body;
  if (changedBy(counted, flag).length === 0) return { seen_version, expected_impact: null };
  const { impact } = await measureImpact(context, proposedBy(flag.id, counted));
  return { seen_version, expected_impact: impact };
}

type Edit = { changes: { field: string; after: unknown }[]; trigger: unknown };

/** Whether people made an edit, after a version of the flag; what schedules have changed is no surprise. */
const isEditSince = ({ changes, trigger }: Edit, version: number): boolean =>
  trigger === null && changes.some(({ field, after }) => field === "version" && Number(after) > version);

/** The fields that people have edited since a version of the flag. */
async function editedSince(context: SavingContext, flag: Flag, version: number): Promise<Set<string>> {
  const { rows } = await selectActivity(
    context.db,
    {
      project_id: flag.project_id,
      scopes: ["FeatureFlag"],
      item_id: String(flag.id),
      without_fields: KEPT_BESIDE,
    },
    { limit: Math.min(flag.version - version + EDITS_MORE, EDITS_MAX), offset: 0 },
  );
  const edits = rows.map(({ entry }) => entry.detail as Edit).filter((edit) => isEditSince(edit, version));
  return new Set(edits.flatMap(({ changes }) => changes.map(({ field }) => field)));
}

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
  { seen_version, expected_impact }: Pick<ScheduledRow, "seen_version" | "expected_impact">,
  { flag, body }: { flag: Flag; body: FlagUpdate },
  signal: AbortSignal,
): Promise<{ obstacle: string | null; version: number }> {
  const { version } = flag;
  if (seen_version !== null && seen_version < version) {
    const edited = await editedSince(context, flag, seen_version);
    const fields = changedBy(body, flag).filter((field) => edited.has(field));
    const named = fields.map(labelOf).join(", ");
    if (named)
      return {
        obstacle: `Somebody has edited the flag since this was scheduled (${named}). Nothing was changed.`,
        version,
      };
  }
  if (expected_impact === null) return { obstacle: null, version };
  const measured = await measureImpact(context, proposedBy(flag.id, body), signal);
  return {
    obstacle: findDrift(expected_impact, measured.impact),
    version: measured.version ?? version,
  };
}
