import { afterAll, beforeAll, expect, it } from "vitest";
import { createExperiment, done } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const patchProject = (body: unknown) => service.api("PATCH", "/api/projects/1/", body);
const REAL = [{ key: "$host", type: "event", operator: "not_icontains", value: "localhost" }];

async function exposed(criteria: Record<string, unknown>): Promise<Record<string, number>> {
  const experiment = await createExperiment(service, {
    feature_flag_key: "seen-by-all",
    exposure_criteria: criteria,
    start_date: "2026-01-05T00:00:00Z",
  });
  const answer = await done(
    service.api("POST", "/api/environments/1/query/", {
      query: { kind: "ExperimentExposureQuery", experiment_id: experiment.id },
    }),
  );
  return answer.total_exposures;
}

it("exposures of test accounts count unless they are excluded", async () => {
  const batch = Array.from({ length: 10 }, (_, i) => ({
    event: "$feature_flag_called",
    distinct_id: `t${i}`,
    timestamp: "2026-01-06T00:00:00Z",
    properties: {
      $feature_flag: "seen-by-all",
      $feature_flag_response: i < 6 ? "control" : "test",
      $host: i % 2 === 0 ? "localhost:3000" : "shop.example",
    },
  }));
  const sent = await service.api("POST", "/batch/", { api_key: service.token, batch }, { key: null });
  expect(sent.status, sent.text).toBe(200);
  expect(await exposed({ filterTestAccounts: true })).toMatchObject({ control: 6, test: 4 });
  const project = await done(patchProject({ test_account_filters: REAL }));
  expect(project.test_account_filters).toEqual(REAL);
  expect(await exposed({ filterTestAccounts: true })).toMatchObject({ control: 3, test: 2 });
  expect(await exposed({ filterTestAccounts: false })).toMatchObject({ control: 6, test: 4 });
});

it("figures follow a change of the project's test account filters", async () => {
  await done(patchProject({ test_account_filters: [] }));
  const experiment = await createExperiment(service, {
    feature_flag_key: "seen-by-all",
    exposure_criteria: { filterTestAccounts: true },
    start_date: "2026-01-05T00:00:00Z",
  });
  const total = async () => {
    const body = { query: { kind: "ExperimentExposureQuery", experiment_id: experiment.id } };
    return (await done(service.api("POST", "/api/environments/1/query/", body))).total_exposures;
  };
  expect(await total()).toMatchObject({ control: 6, test: 4 });
  await done(patchProject({ test_account_filters: REAL }));
  expect(await total()).toMatchObject({ control: 3, test: 2 });
});

it.each([
  ["a text", "x"],
  ["a condition without a property", [{ operator: "exact", value: 1 }]],
  ["a condition on a person", [{ key: "email", type: "person", value: "x" }]],
  ["an unknown comparison", [{ key: "a", operator: "smells_like", value: "x" }]],
])("are not accepted with %s", async (_, test_account_filters) => {
  const { status, json } = await patchProject({ test_account_filters });
  expect([status, json.type]).toEqual([400, "validation_error"]);
  expect(json.attr).toMatch(/^test_account_filters/);
});
