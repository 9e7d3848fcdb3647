import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { FLAG_FIELDS } from "#lib/flags/feature_flags/schema.ts";
import { describeReferences } from "#lib/flags/feature_flags/transfer/export.ts";
import { type Candidate, carryOver } from "#lib/flags/feature_flags/transfer/import.ts";
import type { ImportedFlag } from "#lib/flags/feature_flags/transfer/transfer-contract.ts";
import { withGroups } from "#lib/people/conditions/filters-schema.ts";
import { pickFields } from "#lib/platform/fields-schema.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { keyAdmits, type ProjectRow } from "#lib/platform/http/directory.ts";
import { invalid } from "#lib/platform/http/errors.ts";
import type { flagEnvironmentContract, PromotedFlag, Promotion } from "./contract.ts";
import { createComparison, fieldsOf, settingsOf, withSettings } from "./drift.ts";
import { readSide, type Side } from "./linked.ts";
import { ALL_PARTS, type Part, type PartDrift } from "./parts-schema.ts";

type Body = Input<(typeof flagEnvironmentContract)["promote"]>["body"];
type Asked = Body["flags"][number];

/** @throws ApiError 400 for a project that flags cannot be promoted from */
export async function sourceOf(
  { runtime, project, key }: MemberContext,
  id: number,
  attr = "from_project",
): Promise<ProjectRow> {
  const found = (await runtime.directory.current()).projects.get(id);
  if (found?.organization_id !== project.organization_id || !keyAdmits(key, found))
    throw invalid(
      `Project ${id} does not exist in this organization, or your API key has no access to it.`,
      attr,
      "does_not_exist",
    );
  if (found.id === project.id) throw invalid("Flags cannot be promoted to their own project.", attr);
  return found;
}

/** One flag of a promotion, before it is carried over. */
type Planned = {
  asked: Asked;
  source: Flag | undefined;
  target: Flag | undefined;
  drift: PartDrift[];
  parts: Part[];
  candidate: Candidate;
};

/** Why a flag cannot be promoted, whatever is here; null if it can. */
function refusalOf({ version }: Asked, source: Flag | undefined, from: ProjectRow): string | null {
  if (!source) return `There is no flag with this key in ${from.name}.`;
  if (source.unreadable_fields.length > 0)
    return `Stored fields of it cannot be read in ${from.name}, so it is not promoted.`;
  if (version !== undefined && version !== source.version)
    return `It was changed in ${from.name} since it was shown: version ${source.version} is current.`;
  return null;
}

/** The fields of a flag that are carried over, and its filters as far as they are. */
function carriedFrom(source: Flag, parts: readonly Part[], active: boolean | undefined) {
  const fields = pickFields(FLAG_FIELDS, "restorable", source);
  const settings = settingsOf(withGroups(source.filters), parts);
  return {
    ...fieldsOf(fields, parts),
    ...(active !== undefined && { active }),
    key: source.key,
    ...(Object.keys(settings).length > 0 && { filters: settings }),
  } as NonNullable<Candidate["flag"]>;
}

/** What a flag that is new here gets in any case: without the rest it would be another flag. */
const NEEDED: Part[] = ["conditions", "variants", "payloads", "settings"];

export function planOne(asked: Asked, from: ProjectRow, sides: Record<"there" | "here", Side>): Planned {
  const [source, target] = [sides.there.byKey.get(asked.key), sides.here.byKey.get(asked.key)];
  const reason = refusalOf(asked, source, from);
  const planned = { asked, source, target, drift: [], parts: [] };
  if (!source || reason !== null) return { ...planned, candidate: { key: asked.key, flag: null, reason } };
  const comparison = createComparison();
  const drift = target
    ? comparison.drift(
        comparison.portable(target, sides.here.references),
        comparison.portable(source, sides.there.references),
      )
    : [];
  const chosen = asked.parts ?? ALL_PARTS;
  const parts = target
    ? drift.flatMap(({ part }) => (chosen.includes(part) ? [part] : []))
    : ALL_PARTS.filter((part) => NEEDED.includes(part) || chosen.includes(part));
  const active = target || chosen.includes("state") ? asked.active : (asked.active ?? false);
  return {
    ...planned,
    drift,
    parts,
    candidate: {
      key: asked.key,
      flag: carriedFrom(source, parts, active),
      reason: null,
      complete: (settings, stored) => withSettings(withGroups(stored ?? {}), settings, parts),
    },
  };
}

/** Whether there is anything to write. */
export const isSame = ({ target, parts, asked, candidate }: Planned): boolean =>
  candidate.flag !== null &&
  target !== undefined &&
  parts.length === 0 &&
  (asked.active ?? target.active) === target.active;

const sameFlag = ({ asked, target }: Planned): ImportedFlag => ({
  key: asked.key,
  state: "same",
  reason: null,
  id: target?.id ?? null,
  version: target?.version ?? null,
  differences: [],
  proposed: null,
});

export async function promote(
  context: MemberContext,
  { body }: Input<(typeof flagEnvironmentContract)["promote"]>,
): Promise<Promotion> {
  const { runtime, project } = context;
  const from = await sourceOf(context, body.from_project);
  const unpinned = body.flags.findIndex(({ version }) => version === undefined);
  if (!body.dry_run && unpinned >= 0)
    throw invalid("Give the version that is promoted.", `flags__${unpinned}__version`, "required");
  const [there, here] = await Promise.all([readSide(context, from.id), readSide(context, project.id)]);
  const planned = body.flags.map((asked) => planOne(asked, from, { there, here }));
  const carried = planned.filter((each) => !isSame(each));
  const references = await describeReferences(
    { runtime, project: from },
    carried.map(({ candidate }) => candidate.flag?.filters ?? {}),
  );
  const versions = Object.fromEntries(
    planned.map(({ asked: { key, target_version }, target }) => [
      key,
      target_version === undefined ? (target?.version ?? null) : target_version,
    ]),
  );
  const { dry_run, cohorts, flags } = await carryOver(
    context,
    {
      ...references,
      versions,
      isForeign: true,
      create_cohorts: body.create_cohorts,
      dry_run: body.dry_run,
    },
    carried.map(({ candidate }) => candidate),
  );
  const outcomes = new Map(carried.map((each, i) => [each, flags[i]]));
  return {
    dry_run,
    cohorts,
    flags: planned.map(
      (each): PromotedFlag => ({
        ...(outcomes.get(each) ?? sameFlag(each)),
        source_version: each.source?.version ?? null,
        drift: each.drift,
        parts: each.parts,
      }),
    ),
  };
}
