import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addPerson } from "#testing/accounts.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let organization: string;
let staging: number;
let production: number;
let next = 0;

beforeAll(async () => {
  service = await startService();
  organization = (await service.api("GET", "/api/organizations/@current/")).json.id;
  await addPerson(service.db, "ada@example.com", { [organization]: 1 });
  service.runtime.directory.drop();
  const made = async (name: string) => (await service.api("POST", "/api/projects/", { name })).json.id;
  [staging, production] = [await made("Staging"), await made("Production")];
});
afterAll(() => service.close());

async function call(method: string, path: string, body?: unknown) {
  const reply = await service.api(method, path, body);
  expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(300);
  return reply.json;
}

const rootOf = (project: number) => `/api/projects/${project}/feature_flags`;
const newKey = () => `flag-${++next}`;
const share = (rollout_percentage: number, properties: object[] = []) => ({
  groups: [{ properties, rollout_percentage }],
});
const flagIn = (project: number, body: object) => call("POST", `${rootOf(project)}/`, body);
const cohortIn = (project: number, name: string) =>
  call("POST", `/api/projects/${project}/cohorts/`, {
    name,
    filters: {
      properties: {
        type: "AND",
        values: [{ key: "plan", type: "person", operator: "exact", value: ["pro"] }],
      },
    },
  });

describe("copy_flags", () => {
  const path = () => `/api/organizations/${organization}/feature_flags/copy_flags`;
  const copy = (body: object) => service.api("POST", path(), body);

  it("creates or changes a flag in each project, and says where it could not", async () => {
    const key = newKey();
    const cohort = await cohortIn(staging, `Copied ${key}`);
    const filters = share(40, [{ key: "id", type: "cohort", operator: "in", value: cohort.id }]);
    await flagIn(staging, { key, name: "Copied", filters, tags: ["stays"] });
    const body = { feature_flag_key: key, from_project: staging };
    const first = await copy({ ...body, target_project_ids: [production, 999_999, "x", null] });
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({
      success: [{ key, name: "Copied", active: true, team_id: production, tags: [], version: 1 }],
      failed: [999_999, "x", null].map((project_id) => ({
        project_id,
        error_message: "Project not found.",
        errors: "Project not found.",
      })),
    });
    const [made] = first.json.success;
    expect(made.filters.groups[0].properties[0].value).not.toBe(cohort.id);
    await call("PATCH", `${rootOf(production)}/${made.id}/`, { name: "Changed", tags: ["own"] });
    const again = await copy({
      ...body,
      from_project: String(staging),
      target_project_ids: [production],
      disable_copied_flag: true,
    });
    expect(again.json.success).toMatchObject([{ id: made.id, name: "Copied", active: false, tags: ["own"] }]);
    const all = await call("GET", `/api/organizations/${organization}/feature_flags/${key}`);
    expect(all.map(({ team_id, active }: { team_id: number; active: boolean }) => [team_id, active])).toEqual(
      [
        [staging, true],
        [production, false],
      ],
    );
    expect(Object.keys(all[0]).sort()).toEqual([
      "active",
      "created_at",
      "created_by",
      "filters",
      "flag_id",
      "team_id",
    ]);
  });

  it("copies scheduled changes with what they refer to", async () => {
    const key = newKey();
    const [there, here] = [
      await cohortIn(staging, `Later ${key}`),
      await cohortIn(production, `Later ${key}`),
    ];
    const flag = await flagIn(staging, { key });
    const value = (id: number) => ({
      groups: [
        { properties: [{ key: "id", type: "cohort", operator: "in", value: id }], rollout_percentage: 5 },
      ],
    });
    await call("POST", `/api/projects/${staging}/scheduled_changes/`, {
      record_id: flag.id,
      model_name: "FeatureFlag",
      payload: { operation: "add_release_condition", value: value(there.id) },
      scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
    const { json } = await copy({
      feature_flag_key: key,
      from_project: staging,
      target_project_ids: [production],
      copy_schedule: true,
    });
    expect(json.success[0].schedule_copy_warning).toBeUndefined();
    const { results } = await call(
      "GET",
      `/api/projects/${production}/scheduled_changes/?record_id=${json.success[0].id}`,
    );
    expect(results).toMatchObject([
      { payload: { operation: "add_release_condition", value: value(here.id) } },
    ]);
  });

  it("makes a change request where a policy asks for approval", async () => {
    const key = newKey();
    await flagIn(staging, { key });
    const policy = await call("POST", `/api/projects/${production}/approval_policies/`, {
      action_key: "change",
      approver_config: { quorum: 1 },
    });
    const { json } = await copy({
      feature_flag_key: key,
      from_project: staging,
      target_project_ids: [production],
    });
    expect(json).toMatchObject({ success: [], failed: [{ project_id: production }] });
    const request = await call(
      "GET",
      `/api/projects/${production}/change_requests/${json.failed[0].change_request_id}/`,
    );
    expect(request).toMatchObject({ state: "pending" });
    const { results } = await call("GET", `${rootOf(production)}/?search=${key}`);
    expect(results).toEqual([]);
    await call("DELETE", `/api/projects/${production}/approval_policies/${policy.id}/`);
  });

  it.each<[string, object, string]>([
    ["nothing", {}, "Missing required fields"],
    [
      "no targets",
      { feature_flag_key: "x", from_project: 1, target_project_ids: [] },
      "Missing required fields",
    ],
    [
      "targets that are no list",
      { feature_flag_key: "x", from_project: 1, target_project_ids: 2 },
      "Missing required fields",
    ],
    [
      "an unknown flag",
      { feature_flag_key: "x", from_project: 1, target_project_ids: [1] },
      "Feature flag to copy does not exist.",
    ],
    [
      "an unknown project",
      { feature_flag_key: "x", from_project: {}, target_project_ids: [1] },
      "Feature flag to copy does not exist.",
    ],
    [
      "too many targets",
      { feature_flag_key: "x", from_project: 1, target_project_ids: Array(51).fill(1) },
      "A flag is copied to at most 50 projects at once.",
    ],
  ])("refuses %s", async (_, body, error) => {
    const { status, json } = await copy(body);
    expect([status, json]).toEqual([400, { error }]);
  });
});
