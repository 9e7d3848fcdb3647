import { isObject, type Json } from "#lib/engines/json.ts";
import { withSettings } from "#lib/flags/environments/drift.ts";
import { ALL_PARTS } from "#lib/flags/environments/parts-schema.ts";
import type { ProposedFields } from "#lib/flags/feature_flags/evaluation/proposal.ts";
import { normalizePayloads, REDACTED } from "#lib/flags/feature_flags/filters/payloads.ts";
import { type FlagUpdate, flagUpdate } from "#lib/flags/feature_flags/schema.ts";
import { replacesFilters } from "#lib/flags/feature_flags/service.ts";
import { withGroups } from "#lib/people/conditions/filters-schema.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import { parse } from "#lib/platform/http/validation.ts";
import { type ScheduledPayload, scheduledPayload } from "./schema.ts";

type Target = { filters: Json; has_encrypted_payloads: boolean | null };

const objectIn = (value: unknown): Json => (isObject(value) ? value : {});
const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function changeOf(payload: ScheduledPayload, { filters }: Target): object {
  switch (payload.operation) {
    case "update_status":
      return { active: payload.value };
    case "add_release_condition": {
      const { groups, payloads, multivariate } = payload.value;
      return {
        filters: {
          ...filters,
          groups: [...listIn(filters.groups), ...groups],
          ...(payloads && { payloads: { ...objectIn(filters.payloads), ...payloads } }),
          ...(multivariate !== undefined && { multivariate }),
        },
      };
    }
    case "update_variants": {
      const { variants, payloads } = payload.value;
      const keys = new Set(variants.map(({ key }) => key));
      const kept = Object.entries(objectIn(filters.payloads)).filter(([key]) => keys.has(key));
      return {
        filters: {
          ...filters,
          groups: listIn(filters.groups),
          multivariate: { ...objectIn(filters.multivariate), variants },
          payloads: payloads ?? Object.fromEntries(kept),
        },
      };
    }
    case "update":
      return payload.value;
    case "promote": {
      const { parts = ALL_PARTS, change = {} } = payload.value;
      const { filters: settings, ...fields } = change;
      if (!isObject(settings)) return fields;
      return { ...fields, filters: withSettings(withGroups(filters), settings, parts) };
    }
  }
}

/**
 * The update that a scheduled change makes of a flag as it is now.
 *
 * @param payload as it is stored: an earlier release may have written it
 * @throws ApiError 400 for a payload that this release cannot read
 */
export const updateOf = (payload: unknown, flag: Target): FlagUpdate =>
  parse(flagUpdate, changeOf(parse(scheduledPayload, payload), flag));

/** What of an update decides who gets what. */
export function proposedBy(flagId: number, body: FlagUpdate): ProposedFields {
  const { key, active, deleted, ensure_experience_continuity, has_encrypted_payloads } = body;
  const filters = replacesFilters(body) ? body.filters : undefined;
  return { id: flagId, key, active, filters, deleted, ensure_experience_continuity, has_encrypted_payloads };
}

/**
 * A payload without what the flag encrypts: schedules are stored as they are, so that payloads that stay the same are
 * masked, which a save understands, and others are refused.
 */
export function withoutSecrets(payload: ScheduledPayload, flag: Target): ScheduledPayload {
  const { operation, value } = payload;
  if (operation === "promote") {
    const { change = {} } = value;
    const { value: masked } = withoutSecrets({ operation: "update", value: change }, flag);
    return { operation, value: { ...value, change: masked as Json } };
  }
  if (typeof value === "boolean") return payload;
  if (!flag.has_encrypted_payloads && !("has_encrypted_payloads" in value && value.has_encrypted_payloads))
    return payload;
  const stored = objectIn(flag.filters.payloads);
  const mask = (holder: Json): Json => {
    const { payloads } = normalizePayloads(holder, null);
    if (!isObject(payloads)) return holder;
    const masked = Object.entries(payloads).map(([name, text]) => {
      if (text === REDACTED || text === stored[name]) return [name, REDACTED];
      throw invalid(
        "This flag encrypts its payloads, and schedules are not encrypted: leave the payloads as they are.",
        "payload",
      );
    });
    return { ...holder, payloads: Object.fromEntries(masked) };
  };
  const masked =
    "filters" in value && value.filters ? { ...value, filters: mask(value.filters) } : mask(value);
  return { ...payload, value: masked } as ScheduledPayload;
}
