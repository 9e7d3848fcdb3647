import { expect, it } from "vitest";
import { contracts } from "#lib/app/contracts.ts";

const ENDPOINTS = Object.values(contracts).flatMap((contract) => Object.values(contract));

it.each([
  ["GET", "", "experiment:read", 200],
  ["POST", "", "experiment:write", 201],
  ["GET", "{id}/", "experiment:read", 200],
  ["PATCH", "{id}/", "experiment:write", 200],
  ["DELETE", "{id}/", "experiment:write", 405],
  ["POST", "{id}/create_exposure_cohort_for_experiment/", "experiment:write", 200],
  ["POST", "{id}/duplicate/", "experiment:write", 200],
  ["GET", "{id}/timeseries_results/", "experiment:read", 200],
  ["GET", "requires_flag_implementation/", "experiment:read", 200],
])("%s experiments/%s needs %s and answers %i", (method, rest, scope, status) => {
  const path = `/api/projects/{project_id}/experiments/${rest}`;
  expect(ENDPOINTS.find((e) => e.method === method && e.path === path)).toMatchObject({ scope, status });
});
