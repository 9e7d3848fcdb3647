import { sameJson } from "#lib/activity/changes.ts";
import type { Db } from "#lib/db/connect.ts";
import type { MemberContext } from "#lib/http/context.ts";
import {
  deleteOwnedFlags,
  type FlagRow,
  insertOwnedFlag,
  lockFlags,
  type OwnedFlag,
  updateOwnedFlag,
} from "./flag_store.ts";
import type { SurveyUpdate } from "./schema.ts";
import { isUsedElsewhere, type SurveyRow } from "./store.ts";

type Json = Record<string, unknown>;

const KEY_ATTEMPTS = 5;

/** Whether a survey is asking now, as far as its dates and its archive say. */
export const isRunning = (survey: Pick<SurveyRow, "start_date" | "end_date" | "archived">): boolean =>
  survey.start_date !== null && survey.end_date === null && !survey.archived;

/** Leaves out people who have dismissed or answered the survey (its current iteration, where it recurs). */
export function internalFilters(
  survey: Pick<SurveyRow, "id" | "iteration_count" | "current_iteration">,
): Json {
  const iteration = survey.iteration_count ? `/${survey.current_iteration || 1}` : "";
  const property = (name: string) => ({
    key: `${name}/${survey.id}${iteration}`,
    type: "person",
    value: "is_not_set",
    operator: "is_not_set",
  });
  const properties = [property("$survey_dismissed"), property("$survey_responded")];
  return { groups: [{ variant: "", rollout_percentage: 100, properties }] };
}

const SAMPLING_FILTERS = { groups: [{ variant: "", rollout_percentage: 100, properties: [] }] };

/** Ten hex digits that make the keys of a survey's flags unique. */
const randomPart = () => crypto.randomUUID().replaceAll("-", "").slice(0, 10);

async function createFlag(tx: Db, suffix: string, flag: Omit<OwnedFlag, "key">): Promise<number> {
  for (let attempt = 0; attempt < KEY_ATTEMPTS; attempt++) {
    const id = await insertOwnedFlag(tx, { ...flag, key: `survey-targeting-${randomPart()}${suffix}` });
    if (id !== null) return id;
  }
  throw new Error("No free key was found for the flag of a survey.");
}

/** What writing a survey's flags came to: the ids to store with it, and every flag that changed. */
export type FlagWrite = {
  ids: Pick<
    SurveyRow,
    "targeting_flag_id" | "internal_targeting_flag_id" | "internal_response_sampling_flag_id"
  >;
  touched: number[];
  /** Filters of the targeting flag before and after; null without one. */
  filters: { before: Json | null; after: Json | null };
};

type Write = { tx: Db; context: MemberContext; survey: SurveyRow; body: SurveyUpdate; isNew: boolean };

const newFlag = ({ context, survey }: Write) => ({
  project_id: context.project.id,
  name: `Targeting flag for survey ${survey.name}`,
  created_by_id: context.user.id,
});

async function change(write: Write, flag: FlagRow, filters: Json, active: boolean): Promise<boolean> {
  const { tx, context } = write;
  if (flag.active === active && sameJson(flag.filters, filters)) return false;
  await updateOwnedFlag(tx, flag.id, { filters, active }, { user_id: context.user.id, now: context.now });
  return true;
}

/** A flag that belongs to this survey alone; somebody's own flag is only referred to, never written. */
async function isOwn({ tx, survey }: Write, flag: FlagRow | undefined): Promise<boolean> {
  return flag?.creation_context === "surveys" && !(await isUsedElsewhere(tx, flag.id, survey.id, false));
}

type TargetingResult = { id: number | null; touched: number[]; filters: FlagWrite["filters"] };

async function writeTargeting(write: Write, stored: FlagRow | undefined): Promise<TargetingResult> {
  const { tx, survey, body, isNew } = write;
  const before = stored?.filters ?? null;
  const own = await isOwn(write, stored);
  const active = !isNew && isRunning(survey);
  if (body.remove_targeting_flag && !isNew) {
    if (own && stored && !(await isUsedElsewhere(tx, stored.id, survey.id, true)))
      await deleteOwnedFlags(tx, [stored.id]);
    return { id: null, touched: stored ? [stored.id] : [], filters: { before, after: null } };
  }
  const wanted = body.targeting_flag_filters;
  const given = wanted && Object.keys(wanted).length > 0 ? wanted : null;
  if (given && !(own && stored)) {
    const id = await createFlag(tx, "", { ...newFlag(write), filters: given, active });
    return { id, touched: [id, ...(stored ? [stored.id] : [])], filters: { before, after: given } };
  }
  if (!own || !stored)
    return { id: survey.targeting_flag_id, touched: [], filters: { before, after: before } };
  const after = given ? { ...stored.filters, ...given } : stored.filters;
  const changed = await change(write, stored, after, active);
  return { id: stored.id, touched: changed ? [stored.id] : [], filters: { before, after } };
}

/**
 * Creates, updates or removes the flags that aim a survey, as its new state asks.
 *
 * @param write.survey its new state, with the flag ids of the old one and the targeting flag that was named
 */
export async function writeFlags(write: Write): Promise<FlagWrite> {
  const { tx, context, survey } = write;
  const stored = await lockFlags(tx, context.project.id, [
    survey.targeting_flag_id,
    survey.internal_targeting_flag_id,
  ]);
  // One that somebody deleted is no use any more: a new one takes its place.
  const flagOf = (id: number | null) => {
    const flag = id === null ? undefined : stored.get(id);
    return flag?.deleted ? undefined : flag;
  };
  const targeting = await writeTargeting(write, flagOf(survey.targeting_flag_id));
  const touched = [...targeting.touched];

  const internal = flagOf(survey.internal_targeting_flag_id);
  let internalId = internal?.id ?? null;
  const filters = internalFilters(survey);
  if (!internal)
    internalId = await createFlag(tx, "-custom", { ...newFlag(write), filters, active: isRunning(survey) });
  if (!internal || (await change(write, internal, filters, isRunning(survey)))) touched.push(internalId ?? 0);

  let samplingId = survey.internal_response_sampling_flag_id;
  if (samplingId === null && survey.response_sampling_daily_limits !== null) {
    const flag = { ...newFlag(write), filters: SAMPLING_FILTERS, active: true };
    samplingId = await createFlag(tx, "-sampling", flag);
    touched.push(samplingId);
  }
  return {
    ids: {
      targeting_flag_id: targeting.id,
      internal_targeting_flag_id: internalId,
      internal_response_sampling_flag_id: samplingId,
    },
    touched,
    filters: targeting.filters,
  };
}

/** Deletes the flags that a survey made, when it goes itself. @returns the ids of all flags it referred to */
export async function deleteFlags(tx: Db, survey: SurveyRow): Promise<number[]> {
  const { targeting_flag_id: targeting } = survey;
  const shared = targeting !== null && (await isUsedElsewhere(tx, targeting, survey.id, true));
  const own = [
    shared ? null : targeting,
    survey.internal_targeting_flag_id,
    survey.internal_response_sampling_flag_id,
  ].filter((id) => id !== null);
  await deleteOwnedFlags(tx, own);
  return [...own, targeting, survey.linked_flag_id].filter((id) => id !== null);
}
