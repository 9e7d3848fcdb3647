import type { ChangeRequest } from "#lib/approvals/change_requests/schema.ts";
import { isObject } from "#lib/engines/json.ts";

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
  return found;
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

/** Address of the editor in which a change can be revised; null where none can show it. */
export function editorOf(projectId: string, requestId: string, place: number, call: unknown): string | null {
  if (!isObject(call) || call.method !== "PATCH" || !isObject(call.body)) return null;
  const [, resource = "", id = ""] =
    /^\/api\/projects\/[^/]+\/(\w+)\/([\w-]+)\/$/.exec(String(call.path)) ?? [];
  const editor = EDITORS[resource];
  if (!editor || JSON.stringify(call.body).includes(MASK)) return null;
  if (editor.without.some((field) => field in (call.body as object))) return null;
  return `/project/${projectId}/${resource}/${id}${editor.page}?request=${requestId}&part=${place}`;
}
