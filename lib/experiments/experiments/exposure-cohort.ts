import { record } from "#lib/activity/service.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import { calculated, cohortRecordOf, createBehavioralCohort } from "#lib/people/cohorts/service.ts";

import type { Input } from "#lib/platform/http/contract.ts";
import { invalid, notFound } from "#lib/platform/http/errors.ts";
import type { experimentContract } from "./contract.ts";
import { type ExperimentRow, lockExperiment, updateExperiment } from "./store.ts";
import { activityEntry, changeExperiments, listChanges } from "./writing.ts";

/** Types of properties that belong to events, not to persons or cohorts. */
const OF_EVENTS = new Set(["event", "feature", "element", "hogql"]);

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The event that counts as exposure; one in legacy parameters takes precedence. */
function exposureOf(row: ExperimentRow, flagKey: string): Json {
  const custom = row.parameters?.custom_exposure_filter;
  const [action] = isObject(custom) ? listOf(custom.actions) : [];
  const [event] = isObject(custom) ? listOf(custom.events) : [];
  const entity = event ?? action;
  if (!entity)
    return {
      key: "$feature_flag_called",
      event_type: "events",
      event_filters: [{ key: "$feature_flag", value: [flagKey], operator: "exact", type: "event" }],
    };
  const filters = listOf(entity.properties).filter(({ type }) => OF_EVENTS.has(String(type ?? "event")));
  if (event)
    return { key: event.id === null ? null : String(event.id), event_type: "events", event_filters: filters };
  const id = Number(entity.id);
  if (!Number.isSafeInteger(id) || String(entity.id).trim() === "")
    throw invalid("The action of the custom exposure filter must have a numeric id.");
  return { key: id, event_type: "actions", event_filters: filters };
}

const withOffset = (date: Date) => date.toISOString().replace(/(\.000)?Z$/, "+00:00");

/** Filters of people who were exposed since the launch, whichever variant they got. */
function filtersFor(row: ExperimentRow, start: Date, flagKey: string): Json {
  const leaf = {
    type: "behavioral",
    value: "performed_event",
    negation: false,
    explicit_datetime: withOffset(start),
    ...exposureOf(row, flagKey),
  };
  return { properties: { type: "OR", values: [{ type: "OR", values: [leaf] }] } };
}

const NAME_MAX = 400;

/** Creates the cohort of everybody exposed to an experiment, and waits briefly for its count. */
export async function create_exposure_cohort_for_experiment(
  context: MemberContext,
  { params }: Input<typeof experimentContract.create_exposure_cohort_for_experiment>,
) {
  const { db, runtime, project } = context;
  const flags = (await runtime.flags.project(project.id)).byId;
  const cohort = await changeExperiments(context, async (tx) => {
    const row = await lockExperiment(tx, project.id, params.id);
    if (!row || row.deleted) throw notFound();
    if (!row.start_date)
      throw invalid("The experiment has not been launched, so nobody has been exposed to it.");
    if (row.exposure_cohort_id !== null)
      throw invalid("The experiment already has a cohort of exposed people.");
    const flagKey = flags.get(row.feature_flag_id)?.key ?? "";
    const made = await createBehavioralCohort(tx, context, {
      name: `Users exposed to experiment "${row.name}"`.slice(0, NAME_MAX),
      filters: filtersFor(row, row.start_date, flagKey),
    });
    const after = await updateExperiment(tx, context, row.id, { exposure_cohort_id: made.id });
    const changes = listChanges({ row, links: [] }, { row: after, links: [] });
    await record(tx, { ...activityEntry(context, row, "updated"), changes });
    return { result: made, flags: [] };
  });
  runtime.cohorts.changed(project.id);
  const counting = await calculated(db, cohort, context.now);
  // As created: clients that wait for the count poll the cohort itself.
  const answer = { ...counting, is_calculating: true };
  return { cohort: cohortRecordOf(answer, await runtime.directory.current(), [params.id]) };
}
