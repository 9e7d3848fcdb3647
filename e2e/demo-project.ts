import { expect } from "@playwright/test";
import type { Api } from "./service.ts";

const DEMO = "/api/organizations/@current/demo_project/";
export const DEMO_LOADED_WITHIN_MS = 300_000;

/** Begins to load the demo project, unless somebody has. */
export const beginDemo = (api: Api): Promise<{ project_id: number; state: string; percent: number }> =>
  api("POST", DEMO);

/** Loads the demo project, or waits until it is loaded. */
export async function loadDemo(api: Api): Promise<number> {
  await beginDemo(api);
  await expect
    .poll(async () => (await api("GET", DEMO)).state, { timeout: DEMO_LOADED_WITHIN_MS, intervals: [1_000] })
    .toBe("done");
  return (await api("GET", DEMO)).project_id;
}

/** One page of every kind in a project, by what it is. */
export async function pagesOf(api: Api, project: number) {
  const first = async (path: string) => (await api("GET", `/api/projects/${project}/${path}`)).results;
  const [flag] = await first("feature_flags/?limit=1");
  const experiments = await first("experiments/?limit=100");
  const surveys = await first("surveys/?limit=100");
  const [cohort] = await first("cohorts/?limit=1");
  const [person] = await first("persons/?limit=1");
  const [request] = await first("change_requests/?limit=1");
  const [ramp] = await first("ramps/?limit=1");
  const running = experiments.find((one: { status: string }) => one.status === "running") ?? experiments[0];
  const launched = surveys.find((one: { start_date: string | null }) => one.start_date) ?? surveys[0];
  const at = (path: string) => `/project/${project}/${path}`;
  return {
    lists: [
      ...[
        "feature_flags",
        "experiments",
        "experiments/saved_metrics",
        "surveys",
        "cohorts",
        "persons",
        "activity",
        "change_requests",
        "inbox",
        "inbox/subscriptions",
        "feature_flags/past",
        "feature_flags/import",
        "feature_flags/environments",
      ],
      ...[
        "settings/api_keys",
        "settings/approvals",
        "settings/notifications",
        "settings/project",
        "settings/status",
      ],
    ].map(at),
    results: [
      `persons/${person.uuid}`,
      `experiments/${running.id}`,
      `experiments/${running.id}/people`,
      `experiments/${running.id}/setup`,
      `experiments/${running.id}/history`,
      `surveys/${launched.id}`,
      `surveys/${launched.id}?view=responses`,
      `surveys/${launched.id}?view=flow`,
      `surveys/${launched.id}?view=history`,
      `cohorts/${cohort.id}`,
      `change_requests/${request.id}`,
      `feature_flags/${ramp.feature_flag}`,
      `feature_flags/${flag.id}/history`,
      `feature_flags/${flag.id}/usage`,
      `feature_flags/${flag.id}/environments`,
    ].map(at),
    editors: [
      "feature_flags/new",
      `feature_flags/${flag.id}`,
      `feature_flags/${flag.id}/targeting`,
      "experiments/new",
      `experiments/${running.id}/edit`,
      "surveys/new",
      `surveys/${launched.id}/edit`,
      "cohorts/new",
      `cohorts/${cohort.id}/edit`,
      "settings/new_project",
      "api_reference",
    ].map(at),
  };
}
