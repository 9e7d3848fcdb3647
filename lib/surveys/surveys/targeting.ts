import { sameJson } from "#lib/activity/changes.ts";
import type { Author } from "#lib/activity/service.ts";
import type { Json } from "#lib/engines/json.ts";
import { readFilters } from "#lib/flags/feature_flags/filters/stored.ts";
import { deleteOwned, insertOwned, updateOwned } from "#lib/flags/feature_flags/owned.ts";
import { SURVEY_FLAG_PREFIX } from "#lib/flags/feature_flags/schema.ts";
import { type FlagRow, lockFlags } from "#lib/flags/feature_flags/store.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import type { SurveyUpdate } from "./schema.ts";
import { isOpen, samplingHasRoom } from "./state.ts";
import { isUsedElsewhere, type SurveyRow } from "./store.ts";

const CREATION_CONTEXT = "surveys";
const KEY_ATTEMPTS = 5;

/** Ten hex digits that make the keys of a survey's flags unique. */
const randomPart = () => crypto.randomUUID().replaceAll("-", "").slice(0, 10);

type NewFlag = { name: string; filters: Json; active: boolean };

/** Creates a flag that a survey owns; the flag's history names the author of the survey's change. */
async function createFlag(tx: Db, by: Author, suffix: string, flag: NewFlag): Promise<number> {
  for (let attempt = 0; attempt < KEY_ATTEMPTS; attempt++) {
    const key = `${SURVEY_FLAG_PREFIX}${randomPart()}${suffix}`;
    const row = await insertOwned(tx, by, { ...flag, key, creation_context: CREATION_CONTEXT });
    if (row) return row.id;
  }
  throw new Error("No free key was found for the flag of a survey.");
}

/** @returns whether there was anything to change */
async function changeFlag(
  tx: Db,
  by: Author,
  flag: FlagRow,
  filters: Json,
  active: boolean,
): Promise<boolean> {
  if (flag.active === active && sameJson(flag.filters, filters)) return false;
  await updateOwned(tx, by, flag, { filters, active }, filters);
  return true;
}

const DISMISSED = "$survey_dismissed";
const RESPONDED = "$survey_responded";

/** Whether a property of people only says which surveys they have seen: surveys read those of their own accord. */
export const isSurveyProperty = (name: string): boolean =>
  name.startsWith(`${DISMISSED}/`) || name.startsWith(`${RESPONDED}/`);

/**
 * Leaves out people who have dismissed or answered the survey (its current iteration, where it recurs).
 *
 * @param rollout percentage of the others who are asked
 */
function internalFilters(
  survey: Pick<SurveyRow, "id" | "iteration_count" | "current_iteration">,
  rollout = 100,
): Json {
  const iteration = survey.iteration_count ? `/${survey.current_iteration || 1}` : "";
  const property = (name: string) => ({
    key: `${name}/${survey.id}${iteration}`,
    type: "person",
    value: "is_not_set",
    operator: "is_not_set",
  });
  const properties = [property(DISMISSED), property(RESPONDED)];
  return { groups: [{ variant: "", rollout_percentage: rollout, properties }] };
}

const samplingFilters = (rollout: number): Json => ({
  groups: [{ variant: "", rollout_percentage: rollout, properties: [] }],
});

/** The result of writing a survey's flags: the ids to store, and all changed flags. */
export type FlagWrite = {
  ids: Pick<
    SurveyRow,
    "targeting_flag_id" | "internal_targeting_flag_id" | "internal_response_sampling_flag_id"
  >;
  touched: number[];
  /** Filters of the targeting flag before and after; null without one. */
  filters: { before: Json | null; after: Json | null };
};

type Write = {
  tx: Db;
  by: Author;
  survey: SurveyRow;
  body: SurveyUpdate;
  isNew: boolean;
  /** The percentage of people that the sampling plan invites now; null without a plan. */
  rollout: number | null;
};

const newFlag = ({ survey }: Write) => ({ name: `Targeting flag for survey ${survey.name}` });

/** A flag that this survey owns; other flags are only referred to, never written. */
async function isOwn({ tx, survey }: Write, flag: FlagRow | undefined): Promise<boolean> {
  return (
    flag?.creation_context === CREATION_CONTEXT && !(await isUsedElsewhere(tx, flag.id, survey.id, false))
  );
}

type TargetingResult = { id: number | null; touched: number[]; filters: FlagWrite["filters"] };

async function writeTargeting(write: Write, stored: FlagRow | undefined): Promise<TargetingResult> {
  const { tx, by, survey, body, isNew } = write;
  const before = stored?.filters ?? null;
  const own = await isOwn(write, stored);
  // Turned on at once: otherwise nobody would see a survey that is created as launched.
  const active = isOpen(survey, by.now);
  if (body.remove_targeting_flag && !isNew) {
    if (own && stored && !(await isUsedElsewhere(tx, stored.id, survey.id, true)))
      await deleteOwned(tx, by, [stored.id], CREATION_CONTEXT);
    return { id: null, touched: stored ? [stored.id] : [], filters: { before, after: null } };
  }
  const wanted = body.targeting_flag_filters;
  const given = wanted && Object.keys(wanted).length > 0 ? wanted : null;
  if (given && !(own && stored)) {
    const id = await createFlag(tx, by, "", { ...newFlag(write), filters: given, active });
    return { id, touched: [id, ...(stored ? [stored.id] : [])], filters: { before, after: given } };
  }
  if (!own || !stored)
    return { id: survey.targeting_flag_id, touched: [], filters: { before, after: before } };
  const after = given ? { ...readFilters(stored.filters).filters, ...given } : stored.filters;
  const changed = await changeFlag(tx, by, stored, after, active);
  return { id: stored.id, touched: changed ? [stored.id] : [], filters: { before, after } };
}

/** The flags of a survey, locked; deleted ones are replaced by new ones. */
async function flagsOf({ tx, by, survey }: Write) {
  const stored = await lockFlags(tx, by.project_id, [
    survey.targeting_flag_id,
    survey.internal_targeting_flag_id,
    survey.internal_response_sampling_flag_id,
  ]);
  const flagOf = (id: number | null) => {
    const flag = id === null ? undefined : stored.get(id);
    return flag?.deleted ? undefined : flag;
  };
  return {
    targeting: flagOf(survey.targeting_flag_id),
    internal: flagOf(survey.internal_targeting_flag_id),
    sampling: flagOf(survey.internal_response_sampling_flag_id),
  };
}

type Written = { id: number | null; touched: number[] };

async function writeInternal(write: Write, stored: FlagRow | undefined, targets: boolean): Promise<Written> {
  const { tx, by, survey, rollout } = write;
  // SDKs check it instead of the sampling flag if that one has no free place.
  const replacesSampling = !samplingHasRoom({
    linked: survey.linked_flag_id,
    targeting: targets ? true : null,
  });
  const filters = internalFilters(survey, replacesSampling ? (rollout ?? 100) : 100);
  const active = isOpen(survey, by.now);
  if (!stored) {
    const id = await createFlag(tx, by, "-custom", { ...newFlag(write), filters, active });
    return { id, touched: [id] };
  }
  const changed = await changeFlag(tx, by, stored, filters, active);
  return { id: stored.id, touched: changed ? [stored.id] : [] };
}

async function writeSampling(write: Write, stored: FlagRow | undefined): Promise<Written> {
  const { tx, by, survey, rollout } = write;
  // No sampling: everybody who passes the other flags.
  const filters = samplingFilters(rollout ?? 100);
  if (!stored) {
    if (survey.response_sampling_daily_limits === null) return { id: null, touched: [] };
    const id = await createFlag(tx, by, "-sampling", { ...newFlag(write), filters, active: true });
    return { id, touched: [id] };
  }
  const changed = await changeFlag(tx, by, stored, filters, stored.active);
  return { id: stored.id, touched: changed ? [stored.id] : [] };
}

/**
 * Creates, updates or deletes the targeting flags of a survey for its new state.
 *
 * @param write.survey its new state, with the flag ids of the old one and the targeting flag that was named
 */
export async function writeFlags(write: Write): Promise<FlagWrite> {
  const stored = await flagsOf(write);
  const targeting = await writeTargeting(write, stored.targeting);
  const internal = await writeInternal(write, stored.internal, targeting.id !== null);
  const sampling = await writeSampling(write, stored.sampling);
  return {
    ids: {
      targeting_flag_id: targeting.id,
      internal_targeting_flag_id: internal.id,
      internal_response_sampling_flag_id: sampling.id,
    },
    touched: [...targeting.touched, ...internal.touched, ...sampling.touched],
    filters: targeting.filters,
  };
}

/** Writes today's share of people to the sampling flag, and nothing else. */
export async function writeRollout(write: Write): Promise<FlagWrite> {
  const { survey, rollout } = write;
  const { targeting_flag_id, internal_targeting_flag_id, internal_response_sampling_flag_id } = survey;
  const unchanged: FlagWrite = {
    ids: { targeting_flag_id, internal_targeting_flag_id, internal_response_sampling_flag_id },
    touched: [],
    filters: { before: null, after: null },
  };
  if (rollout === null) return unchanged;
  const stored = await flagsOf(write);
  const sampling = await writeSampling(write, stored.sampling);
  const replacesSampling = !samplingHasRoom({ linked: survey.linked_flag_id, targeting: targeting_flag_id });
  const internal = replacesSampling ? await writeInternal(write, stored.internal, true) : { touched: [] };
  return {
    ...unchanged,
    ids: { ...unchanged.ids, internal_response_sampling_flag_id: sampling.id },
    touched: [...sampling.touched, ...internal.touched],
  };
}

/** Deletes the flags that a deleted survey owned. @returns the ids of all flags it referred to */
export async function deleteFlags(tx: Db, survey: SurveyRow, by: Author): Promise<number[]> {
  const { targeting_flag_id: targeting } = survey;
  const shared = targeting !== null && (await isUsedElsewhere(tx, targeting, survey.id, true));
  const own = [
    shared ? null : targeting,
    survey.internal_targeting_flag_id,
    survey.internal_response_sampling_flag_id,
  ].filter((id) => id !== null);
  await deleteOwned(tx, by, own, CREATION_CONTEXT);
  return [...own, targeting, survey.linked_flag_id].filter((id) => id !== null);
}
