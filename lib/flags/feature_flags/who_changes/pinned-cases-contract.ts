import { z } from "zod";
import { sentFilters } from "#lib/people/conditions/filters-schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";

const tag = "Feature flags";
const root = "/api/projects/{project_id}/feature_flags/{id}/test_cases/" as const;
const flag = z.object({ ...projectParam, id: integerId("flag") });

/** Nobody reads more than this, and every save checks them all. */
export const TEST_CASES_MAX = 100;

const properties = z.record(z.string().max(400), z.unknown());
const value = z.union([z.boolean(), z.string().max(400)]);

const described = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(400)
    .meta({ description: "Name of the case, such as “somebody on the free plan”." }),
  distinct_id: z
    .string()
    .min(1)
    .max(400)
    .meta({ description: "Distinct id to evaluate; it decides rollouts and variants." }),
  person_properties: properties.default({}).meta({ description: "Properties of the person." }),
  groups: z.record(z.string(), z.string().max(400)).default({}).meta({
    description: "Group keys by group type.",
  }),
  group_properties: z.record(z.string(), properties).default({}).meta({
    description: "Properties of the groups, by group type.",
  }),
  expected: value.meta({ description: "What the person should get: false, true or a variant." }),
};

const testCaseCreate = z.object(described).meta({ id: "FeatureFlagTestCaseCreate" });

const testCase = z
  .object({ id: z.number().int(), ...described, created_at: z.string() })
  .meta({ id: "FeatureFlagTestCase", description: "The value a person should get from a flag." });

const checked = z.object({
  id: z.number().int().meta({ description: "Id of the test case." }),
  name: z.string(),
  expected: value,
  value: value.meta({ description: "What the person would get." }),
  passed: z.boolean(),
  reason: z.string().meta({ description: "Reason code." }),
});

/** What certain people should get from a flag, stored with it and checked before every save. */
export const testCasesContract = {
  test_cases: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "feature_flag:read",
    summary: "List the test cases of a feature flag",
    params: flag,
    query: z.object(pageQuery),
    status: 200,
    response: envelope(testCase),
  }),
  create_test_case: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "feature_flag:write",
    summary: "Add a test case to a feature flag",
    description: `Up to ${TEST_CASES_MAX} per flag.`,
    params: flag,
    body: testCaseCreate,
    status: 201,
    response: testCase,
  }),
  check_test_cases: endpoint({
    method: "POST",
    path: `${root}check/`,
    tag,
    scope: "feature_flag:read",
    summary: "Check the test cases against an unsaved flag",
    params: flag,
    body: z.object({
      active: z.boolean().optional().meta({ description: "As stored when absent." }),
      filters: sentFilters.optional().meta({ description: "As stored when absent." }),
    }),
    status: 200,
    response: z.object({ passed: z.number().int(), failed: z.number().int(), results: z.array(checked) }),
  }),
  destroy_test_case: endpoint({
    method: "DELETE",
    path: `${root}{test_case_id}/`,
    tag,
    scope: "feature_flag:write",
    summary: "Remove a test case",
    params: flag.extend({ test_case_id: integerId("test case") }),
    status: 204,
  }),
};

export type TestCaseCreate = z.input<typeof testCaseCreate>;
export type TestCaseResult = z.output<typeof checked>;
