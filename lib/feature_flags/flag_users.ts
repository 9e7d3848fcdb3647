import type { MemberContext } from "#lib/http/context.ts";
import { isOpen } from "#lib/surveys/state.ts";
import type { Flag } from "./cache.ts";
import type { FlagUser } from "./consequences.ts";
import { type SurveyRow, selectOpenExperiments } from "./store.ts";

/** A survey that is shown for any value but off says so by this name, or by none. */
const ANY_VARIANT = "any";

type DirectUser = Omit<FlagUser, "via"> & { flag_id: number };

function surveyUsers(survey: SurveyRow): DirectUser[] {
  // A survey with a page of its own is open to everyone who has the address.
  if (survey.type === "external_survey") return [];
  const variant = survey.conditions?.linkedFlagVariant;
  const forOne = typeof variant === "string" && variant !== "" && variant !== ANY_VARIANT ? variant : null;
  const ids = new Set([
    survey.targeting_flag_id,
    survey.internal_targeting_flag_id,
    survey.internal_response_sampling_flag_id,
  ]);
  const user = { type: "survey" as const, id: survey.id, name: survey.name };
  const own = [...ids].flatMap((id) => (id === null ? [] : [{ ...user, flag_id: id, variant: null }]));
  const { linked_flag_id: linked } = survey;
  return linked === null || ids.has(linked) ? own : [...own, { ...user, flag_id: linked, variant: forOne }];
}

type Changed = { stored: Flag | null; dependents: readonly Flag[] };

/** The experiments and surveys that run on each of some flags, or on a flag that depends on it. */
export async function usersOf(context: MemberContext, changes: readonly Changed[]): Promise<FlagUser[][]> {
  const { db, project, runtime, now } = context;
  const ids = changes.flatMap(({ stored, dependents }) =>
    [stored, ...dependents].flatMap((f) => f?.id ?? []),
  );
  const experiments = await selectOpenExperiments(db, project.id, [...new Set(ids)]);
  const surveys = (await runtime.surveys.project(project.id)).filter((survey) => isOpen(survey, now));
  const users: DirectUser[] = [
    ...experiments.map(({ id, name, flag_id }) => ({
      type: "experiment" as const,
      id: String(id),
      name,
      flag_id,
      variant: null,
    })),
    ...surveys.flatMap(surveyUsers),
  ];
  const on = (flag: Flag, via: FlagUser["via"]) =>
    users.flatMap(({ flag_id, ...user }) => (flag_id === flag.id ? [{ ...user, via }] : []));
  return changes.map(({ stored, dependents }) => [
    ...(stored ? on(stored, null) : []),
    ...dependents.flatMap((flag) => on(flag, { id: flag.id, key: flag.key })),
  ]);
}
