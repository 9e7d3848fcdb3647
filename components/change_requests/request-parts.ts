import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { isObject, type Json } from "#lib/engines/json.ts";
import { FLAG_FIELDS } from "#lib/flags/feature_flags/schema.ts";
import { namesWith } from "#lib/platform/fields-schema.ts";

/** Kinds of records by the scope of their entries in the activity log. */
const RESOURCES: Readonly<Record<string, string>> = {
  FeatureFlag: "feature_flag",
  Cohort: "cohort",
  Experiment: "experiment",
  Survey: "survey",
};

/** For each call of a request, the places of the log entries that it would write; of entries of none, the first. */
export function entriesByPart({ parts, intent, intent_display }: ChangeRequest): number[][] {
  const found: number[][] = intent.changes.map(() => []);
  const partOf = (scope: string, id: string): number => {
    const written = parts.findIndex((part) => part.written.includes(`${RESOURCES[scope]}/${id}`));
    if (written >= 0) return written;
    const named = intent.changes.findIndex((call) => isObject(call) && String(call.path).includes(`/${id}/`));
    return Math.max(0, named);
  };
  for (const [place, { scope, item_id }] of intent_display.entries.entries())
    found[partOf(scope, item_id)]?.push(place);
  // The flag of an experiment comes after what it is for.
  const isFlag = (place: number) => Number(intent_display.entries[place]?.scope === "FeatureFlag");
  return found.map((places) => places.sort((a, b) => isFlag(a) - isFlag(b)));
}

/** Editors by the kind of record, and what they do not edit: other pages do. */
const EDITORS: Readonly<Record<string, { page: string; without: readonly string[] }>> = {
  feature_flags: { page: "/targeting", without: ["active", "deleted"] },
  cohorts: { page: "/edit", without: ["deleted"] },
  experiments: {
    page: "/edit",
    without: [
      ...["start_date", "end_date", "archived", "deleted", "saved_metrics_ids"],
      ...["conclusion", "conclusion_comment", "shipped_variant"],
    ],
  },
  surveys: { page: "/edit", without: ["start_date", "archived"] },
};

/** What is secret does not leave the service: a form would store the mask. */
const MASK = "(encrypted)";

/** Forms of new records, and all that they edit. */
const CREATORS: Readonly<Record<string, readonly string[]>> = {
  feature_flags: [...namesWith(FLAG_FIELDS, "editable"), "creation_context"],
  cohorts: ["name", "description", "filters", "is_static", "distinct_ids"],
  experiments: [
    ...["name", "description", "feature_flag_key", "holdout_id", "parameters"],
    ...["exposure_criteria", "metrics", "metrics_secondary", "stats_config"],
  ],
  surveys: [
    ...["name", "description", "type", "schedule", "end_date", "responses_limit", "questions"],
    ...["iteration_count", "iteration_frequency_days", "enable_partial_responses", "linked_flag_id"],
    ...["response_sampling_start_date", "response_sampling_interval_type", "response_sampling_interval"],
    ...["response_sampling_limit", "conditions", "appearance", "targeting_flag_filters"],
  ],
};

/** What the launch of a survey writes; its dialog edits the dates. */
const LAUNCH = ["start_date", "end_date", "conditions", "linked_flag_id"];

/** The page, below the project, in which a call can be revised; null where none can show all of it. */
function pageOf(method: unknown, path: string, body: Json): string | null {
  const fields = Object.keys(body);
  const [, resource = "", id] = /^\/api\/projects\/[^/]+\/(\w+)\/(?:([\w-]+)\/)?$/.exec(path) ?? [];
  const editor = EDITORS[resource];
  const isLaunch =
    resource === "surveys" &&
    typeof body.start_date === "string" &&
    fields.every((field) => LAUNCH.includes(field));
  if (method === "PATCH" && editor && id !== undefined)
    return !isLaunch && fields.some((field) => editor.without.includes(field))
      ? null
      : `${resource}/${id}${editor.page}`;
  if (method === "POST" && id === undefined)
    return fields.every((field) => CREATORS[resource]?.includes(field)) ? `${resource}/new` : null;
  return null;
}

/** Address of the editor in which a change can be revised; null where none can show it. */
export function editorOf(projectId: string, requestId: string, place: number, call: unknown): string | null {
  if (!isObject(call) || !isObject(call.body) || JSON.stringify(call.body).includes(MASK)) return null;
  const page = pageOf(call.method, String(call.path), call.body);
  return page && `/project/${projectId}/${page}?request=${requestId}&part=${place}`;
}
