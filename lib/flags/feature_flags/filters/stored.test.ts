import { eq, sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json } from "#lib/engines/json.ts";
import { experimentContract } from "#lib/experiments/experiments/contract.ts";
import { holdoutContract } from "#lib/experiments/experiments/holdouts/contract.ts";
import { savedMetricContract } from "#lib/experiments/experiments/metrics/saved-metric-contract.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { whoChangesContract } from "#lib/flags/feature_flags/who_changes/who-changes-contract.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import {
  experiment_holdouts,
  experiment_saved_metrics,
  experiments,
} from "#lib/platform/db/tables/experiments.ts";
import { cohorts, feature_flags } from "#lib/platform/db/tables/feature_flags.ts";
import { surveys } from "#lib/platform/db/tables/surveys.ts";
import { surveyContract } from "#lib/surveys/surveys/contract.ts";
import { type Service, startService } from "#testing/service.ts";
import { readFilters } from "./stored.ts";

let service: Service;
const project = "/api/projects/1";

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Filters with a bit of everything that they can hold. */
const RICH = {
  groups: [
    {
      properties: [
        { key: "plan", type: "person", operator: "exact", value: ["pro"] },
        { key: "age", type: "person", operator: "gt", value: "3", group_type_index: null },
      ],
      rollout_percentage: 40,
      variant: "blue",
      description: "EU pilot",
      sort_key: "a1",
      aggregation_group_type_index: null,
    },
    { properties: [], rollout_percentage: null, variant: null },
  ],
  multivariate: {
    variants: [
      { key: "blue", name: "Blue", rollout_percentage: 70 },
      { key: "red", rollout_percentage: 30 },
    ],
  },
  payloads: { blue: '{"shade":3}' },
  aggregation_group_type_index: null,
  super_groups: [
    { properties: [{ key: "$feature_enrollment/x", type: "person", operator: "exact", value: ["true"] }] },
  ],
  holdout_groups: [{ properties: [], rollout_percentage: 10, variant: "holdout-7" }],
  holdout: { id: 7, exclusion_percentage: 10 },
  early_exit: true,
  feature_enrollment: null,
};

/** Values of every kind, those that mistakes are made of more often. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    0,
    5,
    -1,
    0.5,
    1e9,
    "",
    "5",
    "blue",
    true,
    false,
    [],
    {},
    [null],
    [[]],
    [{}],
  ),
  fc.constantFrom<unknown>(
    { variants: null },
    { variants: [null] },
    { variants: {} },
    { id: "x" },
    { key: 1 },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** For columns that have to hold something: the driver writes a null as SQL's null. */
const notNull = junk.filter((value) => value !== null);

/** Every place in a value, as the steps that lead there. */
function placesIn(value: unknown): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [[]];
  const steps = Array.isArray(value) ? value.map((_, i) => i) : Object.keys(value);
  const inner = steps.flatMap((step) => placesIn((value as Json)[step]).map((place) => [step, ...place]));
  return [[], ...inner];
}

function replaced(value: unknown, [step, ...rest]: (string | number)[], by: unknown): unknown {
  if (step === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Json;
  copy[step] = replaced(copy[step], rest, by);
  return copy;
}

/** A value with one or two of its places replaced by something else. */
const mutated = (value: unknown) =>
  fc
    .array(fc.tuple(fc.constantFrom(...placesIn(value)), junk), { minLength: 1, maxLength: 2 })
    .map((changes) =>
      changes.reduce<unknown>((now, [place, by]) => {
        try {
          return replaced(now, place, by);
        } catch {
          // An earlier change took the place away.
          return now;
        }
      }, value),
    );

const expectToFit = (schema: z.ZodType | undefined, value: unknown) => {
  if (!schema) throw new Error("The endpoint has no answer.");
  const problem = schema.safeParse(value).error;
  expect(problem && z.prettifyError(problem)).toBeUndefined();
};

describe("filters as they are written", () => {
  it.each<[string, Json, Json]>([
    ["no variants as an empty object", { multivariate: {} }, { multivariate: null }],
    ["null variants", { multivariate: { variants: null } }, { multivariate: null }],
    [
      "null variants beside something else",
      { multivariate: { variants: null, x: 1 } },
      { multivariate: { x: 1, variants: [] } },
    ],
    ["null properties", { groups: [{ properties: null }] }, { groups: [{ properties: [] }] }],
    [
      "a number as the name of a variant",
      { multivariate: { variants: [{ key: "a", name: 5, rollout_percentage: 100 }] } },
      { multivariate: { variants: [{ key: "a", name: "5", rollout_percentage: 100 }] } },
    ],
    [
      "null properties of early access and holdouts",
      { super_groups: [{ properties: null }], holdout_groups: [{ properties: null, variant: "holdout-1" }] },
      { super_groups: [{ properties: [] }], holdout_groups: [{ properties: [], variant: "holdout-1" }] },
    ],
  ])("are normalised: %s", async (name, sent, stored) => {
    const groups = [{ properties: [], rollout_percentage: 50, later: { kept: true } }];
    const key = name.replace(/\W/g, "-");
    const made = await service.api("POST", `${project}/feature_flags/`, {
      key,
      filters: { groups, ...sent },
    });
    expect(made.status, made.text).toBe(201);
    expect(made.json.filters).toEqual({ groups, ...stored });
    const again = await service.api("PATCH", `${project}/feature_flags/${made.json.id}/`, {
      filters: { groups, ...sent },
    });
    expect(again.json.filters).toEqual({ groups, ...stored });
    expectToFit(flagContract.retrieve.response, again.json);
  });

  it("are accepted without a value where the operator needs none", async () => {
    const groups = [{ properties: [{ key: "plan", type: "person", operator: "is_set" }] }];
    const made = await service.api("POST", `${project}/feature_flags/`, {
      key: "is-set",
      filters: { groups },
    });
    expect(made.json.filters, made.text).toEqual({ groups });
    expectToFit(flagContract.retrieve.response, made.json);
  });

  it.each<[string, Json, string[]]>([
    ["a null set", { groups: [null] }, ["groups", "0"]],
    ["a null row", { groups: [{ properties: [null] }] }, ["groups", "0", "properties", "0"]],
    ["a null variant", { multivariate: { variants: [null] } }, ["multivariate", "variants", "0"]],
    [
      "an object as a name",
      { multivariate: { variants: [{ key: "a", name: {}, rollout_percentage: 100 }] } },
      ["multivariate", "variants", "0", "name"],
    ],
    ["early access that is no list", { super_groups: {} }, ["super_groups"]],
    ["a null holdout group", { holdout_groups: [null] }, ["holdout_groups", "0"]],
    ["a holdout that is no object", { holdout: [] }, ["holdout"]],
    ["payloads that are a list", { payloads: [] }, ["payloads"]],
  ])("are refused with the place: %s", async (_, sent, path) => {
    const filters = { groups: [{ properties: [] }], ...sent };
    const refused = await service.api("POST", `${project}/feature_flags/`, { key: "refused", filters });
    expect(refused.status, refused.text).toBe(400);
    expect(refused.json).toMatchObject({ attr: "filters", code: "invalid_input" });
    expect(refused.json.extra.path.map(String)).toEqual(path);
  });

  it("whatever is accepted fits the schema of answers", async () => {
    const first = await service.api("POST", `${project}/feature_flags/`, { key: "fuzzed", filters: RICH });
    expect(first.status, first.text).toBe(201);
    let [made, accepted] = [0, 0];
    await fc.assert(
      fc.asyncProperty(mutated(RICH), fc.boolean(), async (filters, creates) => {
        made += 1;
        const reply = creates
          ? await service.api("POST", `${project}/feature_flags/`, { key: `fuzz-${made}`, filters })
          : await service.api("PATCH", `${project}/feature_flags/${first.json.id}/`, { filters });
        expect(reply.status, reply.text).toBeLessThan(500);
        if (reply.status >= 300) return;
        accepted += 1;
        expectToFit(flagContract.retrieve.response, reply.json);
        expect(reply.json).not.toHaveProperty("unreadable_fields");
      }),
      { numRuns: 400 },
    );
    expect(accepted).toBeGreaterThan(20);
    const list = await service.api("GET", `${project}/feature_flags/?limit=1000`);
    expectToFit(flagContract.list.response, list.json);
  });

  it("whatever is accepted through surveys and holdouts fits too", async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(mutated(RICH), async (filters) => {
        made += 1;
        const survey = await service.api("POST", `${project}/surveys/`, {
          name: `fuzz ${made}`,
          type: "popover",
          questions: [{ type: "open", question: "Why?" }],
          targeting_flag_filters: filters,
        });
        expect(survey.status, survey.text).toBeLessThan(500);
        const groups = (filters as Json | null)?.groups;
        const holdout = await service.api("POST", `${project}/experiment_holdouts/`, {
          name: `fuzz ${made}`,
          filters: groups,
        });
        expect(holdout.status, holdout.text).toBeLessThan(500);
        if (holdout.status === 200 || holdout.status === 201)
          expectToFit(holdoutContract.retrieve.response, holdout.json);
        if (survey.status !== 201) return;
        expectToFit(surveyContract.create.response, survey.json);
        const id = survey.json.targeting_flag?.id;
        if (!id) return;
        const flag = await service.api("GET", `${project}/feature_flags/${id}/`);
        expectToFit(flagContract.retrieve.response, flag.json);
        expect(flag.json).not.toHaveProperty("unreadable_fields");
      }),
      { numRuns: 150 },
    );
  });
});

describe("stored filters that break the schema", () => {
  it("match nobody where targeting is lost, and keep payloads", () => {
    const everyone = { groups: [{ properties: [], rollout_percentage: 100 }] };
    expect(readFilters({ ...everyone, multivariate: 3, payloads: { true: "1" } })).toEqual({
      filters: { groups: [], payloads: { true: "1" } },
      unreadable_fields: ["filters.multivariate"],
    });
    expect(readFilters({ ...everyone, super_groups: [{}], holdout: 4 })).toEqual({
      filters: { groups: [] },
      unreadable_fields: ["filters.holdout"],
    });
    expect(readFilters({ ...everyone, payloads: 4 })).toEqual({
      filters: everyone,
      unreadable_fields: ["filters.payloads"],
    });
    for (const stored of [null, [], 5, "x"])
      expect(readFilters(stored)).toEqual({ filters: { groups: [] }, unreadable_fields: ["filters"] });
  });

  it("neither take down a list nor a page, and stay stored until they are replaced", async () => {
    const made = await service.api("POST", `${project}/feature_flags/`, { key: "broken", filters: RICH });
    const { id } = made.json;
    const store = async (filters: unknown) => {
      await service.db
        .update(feature_flags)
        .set({ filters: sql`${JSON.stringify(filters)}::json` })
        .where(eq(feature_flags.id, id));
      service.runtime.flags.changed(1, [id]);
    };
    const reads = [
      ["GET", `${project}/feature_flags/?search=broken`, flagContract.list.response],
      ["GET", `${project}/feature_flags/${id}/`, flagContract.retrieve.response],
      ["GET", `${project}/feature_flags/evaluation_reasons/?distinct_id=ada`, z.looseObject({})],
      [
        "GET",
        `${project}/feature_flags/local_evaluation/?send_cohorts`,
        flagContract.local_evaluation.response,
      ],
      ["GET", `${project}/feature_flags/${id}/status/`, z.looseObject({})],
      ["POST", `${project}/feature_flags/who_changes/`, whoChangesContract.who_changes.response],
    ] as const;
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutated(RICH), junk), async (filters) => {
        await store(filters);
        for (const [method, path, schema] of reads) {
          const reply = await service.api(
            method,
            path,
            method === "POST" ? { id, active: false } : undefined,
          );
          expect(reply.status, `${path} ${reply.text}`).toBe(200);
          expectToFit(schema, reply.json);
        }
      }),
      { numRuns: 200 },
    );

    await store({ ...RICH, multivariate: { variants: 3 } });
    const renamed = await service.api("PATCH", `${project}/feature_flags/${id}/`, { name: "Renamed" });
    expect(renamed.json).toMatchObject({ name: "Renamed", unreadable_fields: ["filters.multivariate"] });
    const [row] = await service.db.select().from(feature_flags).where(eq(feature_flags.id, id));
    expect(row?.filters).toMatchObject({ multivariate: { variants: 3 } });
    const fixed = await service.api("PATCH", `${project}/feature_flags/${id}/`, { filters: RICH });
    expect(fixed.status, fixed.text).toBe(200);
    expect(fixed.json).not.toHaveProperty("unreadable_fields");
  });
});

describe("other stored JSON that cannot be read", () => {
  const post = async (path: string, body: object) => {
    const reply = await service.api("POST", `${project}/${path}/`, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.json.id;
  };

  it("of surveys is answered empty and named", async () => {
    const id = await post("surveys", {
      name: "Broken",
      type: "popover",
      questions: [{ type: "rating", scale: 10, display: "number", question: "Why?" }],
      start_date: "2026-01-01T00:00:00Z",
    });
    const columns = ["questions", "conditions", "appearance", "iteration_start_dates"] as const;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...columns), junk, async (column, value) => {
        await service.db
          .update(surveys)
          .set({ [column]: value })
          .where(eq(surveys.id, id));
        service.runtime.surveys.changed(1);
        const list = await service.api("GET", `${project}/surveys/`);
        expect(list.status, list.text).toBe(200);
        expectToFit(surveyContract.list.response, list.json);
        const one = await service.api("GET", `${project}/surveys/${id}/`);
        expectToFit(surveyContract.retrieve.response, one.json);
        const feed = await service.api("GET", `/api/surveys/?token=${service.token}`, undefined, {
          key: null,
        });
        expect(feed.status, feed.text).toBe(200);
      }),
      { numRuns: 150 },
    );
    await service.db
      .update(surveys)
      .set({ questions: "x" as never, conditions: null, appearance: null, iteration_start_dates: null })
      .where(eq(surveys.id, id));
    const renamed = await service.api("PATCH", `${project}/surveys/${id}/`, { description: "New" });
    expect(renamed.json, renamed.text).toMatchObject({ questions: null, unreadable_fields: ["questions"] });
    const [row] = await service.db.select().from(surveys).where(eq(surveys.id, id));
    expect(row?.questions).toBe("x");
    const questions = [{ type: "open", question: "Why?" }];
    const fixed = await service.api("PATCH", `${project}/surveys/${id}/`, { questions });
    expect(fixed.json, fixed.text).not.toHaveProperty("unreadable_fields");
    expect(fixed.json.questions).toMatchObject(questions);
  });

  it("of experiments, holdouts and saved metrics is answered empty and named", async () => {
    const series = [{ kind: "EventsNode", event: "paid" }];
    const metric = { kind: "ExperimentMetric", metric_type: "funnel", series };
    const holdout = await post("experiment_holdouts", {
      name: "Held",
      filters: [{ properties: [], rollout_percentage: 5 }],
    });
    const saved = await post("experiment_saved_metrics", { name: "Paid", query: metric });
    const id = await post("experiments", {
      name: "Broken",
      feature_flag_key: "broken-experiment",
      metrics: [metric],
      holdout_id: holdout,
      saved_metrics_ids: [{ id: saved, metadata: { type: "primary" } }],
    });
    const columns = Object.keys({
      parameters: 0,
      secondary_metrics: 0,
      filters: 0,
      exposure_criteria: 0,
      metrics: 0,
      metrics_secondary: 0,
      stats_config: 0,
      primary_metrics_ordered_uuids: 0,
      secondary_metrics_ordered_uuids: 0,
    });
    const change = {
      experiment: (column: string, value: unknown) =>
        service.db
          .update(experiments)
          .set({ [column]: value })
          .where(eq(experiments.id, id)),
      holdout: (_: string, value: unknown) =>
        service.db
          .update(experiment_holdouts)
          .set({ filters: value as Json[] })
          .where(eq(experiment_holdouts.id, holdout)),
      metric: (_: string, value: unknown) =>
        service.db
          .update(experiment_saved_metrics)
          .set({ query: value as Json })
          .where(eq(experiment_saved_metrics.id, saved)),
    };
    const reads = [
      [`${project}/experiments/`, experimentContract.list.response],
      [`${project}/experiments/${id}/`, experimentContract.retrieve.response],
      [`${project}/experiment_holdouts/`, holdoutContract.list.response],
      [`${project}/experiment_holdouts/${holdout}/`, holdoutContract.retrieve.response],
      [`${project}/experiment_saved_metrics/`, savedMetricContract.list.response],
      [`${project}/experiment_saved_metrics/${saved}/`, savedMetricContract.retrieve.response],
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("experiment" as const, "holdout" as const, "metric" as const),
        fc.constantFrom(...columns),
        notNull,
        async (what, column, value) => {
          await change[what](column, value);
          for (const [path, schema] of reads) {
            const reply = await service.api("GET", path);
            expect(reply.status, `${path} ${reply.text}`).toBe(200);
            expectToFit(schema, reply.json);
          }
        },
      ),
      { numRuns: 150 },
    );
    await service.db
      .update(experiments)
      .set({ metrics: "x" as never, exposure_criteria: 5 as never })
      .where(eq(experiments.id, id));
    const list = await service.api("GET", `${project}/experiments/?search=Broken`);
    expect(list.json.results[0]).toMatchObject({ name: "Broken", metrics: [] });
    expect(list.json.results[0].unreadable_fields).toEqual(
      expect.arrayContaining(["metrics", "exposure_criteria"]),
    );
    await service.api("PATCH", `${project}/experiments/${id}/`, { description: "New" });
    const [row] = await service.db.select().from(experiments).where(eq(experiments.id, id));
    expect(row).toMatchObject({ description: "New", metrics: "x" });
  });

  it("of cohorts is answered empty and named, and evaluation goes on", async () => {
    const id = await post("cohorts", {
      name: "Broken",
      filters: {
        properties: {
          type: "OR",
          values: [{ type: "AND", values: [{ key: "a", type: "person", value: "b" }] }],
        },
      },
    });
    await fc.assert(
      fc.asyncProperty(notNull, async (value) => {
        await service.db
          .update(cohorts)
          .set({ filters: value as Json })
          .where(eq(cohorts.id, id));
        service.runtime.cohorts.changed(1);
        for (const [path, schema] of [
          [`${project}/cohorts/`, cohortContract.list.response],
          [`${project}/cohorts/${id}/`, cohortContract.retrieve.response],
          [`${project}/feature_flags/evaluation_reasons/?distinct_id=ada`, z.looseObject({})],
        ] as const) {
          const reply = await service.api("GET", path);
          expect(reply.status, `${path} ${reply.text}`).toBe(200);
          expectToFit(schema, reply.json);
        }
      }),
      { numRuns: 60 },
    );
  });
});
