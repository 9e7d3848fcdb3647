import { evaluateFor } from "#lib/flags/feature_flags/evaluation/evaluation.ts";
import type { Runtime } from "#lib/surveys/context.ts";
import { isFull } from "#lib/surveys/surveys/schedule/limits.ts";
import { stateOf } from "#lib/surveys/surveys/state.ts";
import type { SurveyRow } from "#lib/surveys/surveys/store.ts";
import { asksAlways, wasAnsweredHere } from "./cookies.ts";

/** Whether people can answer a survey at its URL; "missing" does not say why not. */
export type Availability = "open" | "closed" | "missing";

export async function checkAvailability(
  runtime: Runtime,
  row: SurveyRow | null,
  now: Date,
): Promise<Availability> {
  if (row?.type !== "external_survey") return "missing";
  const state = stateOf(row, now);
  if (state === "complete") return "closed";
  if (state !== "running") return "missing";
  if (!row.questions || row.questions.length === 0) return "closed";
  return (await isFull(runtime.db, row)) ? "closed" : "open";
}

/** Whether one of the flags of a survey, if it has it, lets a person through. */
async function passes(
  runtime: Runtime,
  { project_id }: SurveyRow,
  id: number | null,
  distinct_id: string,
): Promise<boolean> {
  const flag = id === null ? undefined : (await runtime.flags.project(project_id)).byId.get(id);
  if (!flag || flag.deleted || !flag.active) return true;
  const call = {
    distinct_id,
    groups: {},
    person_properties: {},
    group_properties: {},
    anon_distinct_id: null,
  };
  const values = await evaluateFor(runtime, project_id, { ...call, now: Date.now(), flag_keys: [flag.key] });
  return values.get(flag.key)?.value !== false;
}

/** Whether today's share of the sampling plan, if any, includes a person. */
export const isInvited = (runtime: Runtime, row: SurveyRow, distinct_id: string): Promise<boolean> =>
  passes(runtime, row, row.internal_response_sampling_flag_id, distinct_id);

/** Whether a person has answered a survey, or its current iteration, before: under this name or in this browser. */
export async function hasAnswered(
  runtime: Runtime,
  row: SurveyRow,
  distinct_id: string,
  request: Request,
): Promise<boolean> {
  if (asksAlways(row)) return false;
  if (wasAnsweredHere(row, request)) return true;
  return !(await passes(runtime, row, row.internal_targeting_flag_id, distinct_id));
}
