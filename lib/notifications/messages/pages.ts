import type { Payload } from "./payload-schema.ts";

const PAGES: Record<Payload["data"]["resource"]["type"], (id: string) => string> = {
  feature_flag: (id) => `feature_flags/${id}`,
  experiment: (id) => `experiments/${id}`,
  survey: (id) => `surveys/${id}`,
  cohort: (id) => `cohorts/${id}`,
  change_request: (id) => `change_requests/${id}`,
  approval_policy: () => "settings/approvals",
  project: () => "inbox",
};

/** The page of a resource in the dashboard. */
export const pagePathOf = (
  projectId: number,
  { type, id }: Pick<Payload["data"]["resource"], "type" | "id">,
): string => `/project/${projectId}/${PAGES[type](encodeURIComponent(id))}`;
