import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { experiment_looks } from "#lib/platform/db/tables/experiment_results.ts";
import { type Endpoint, onlyReads, SCOPE_OBJECTS } from "#lib/platform/http/contract.ts";
import { addKey } from "#testing/accounts.ts";
import { HOUR, metric, START, source, startResults } from "#testing/experiment-results.ts";
import { contracts } from "./contracts.ts";

/** Whatever only reads by its method or by the scope that it asks for. */
const READS = Object.entries(contracts).flatMap(([resource, contract]) =>
  Object.entries<Endpoint>(contract)
    .filter(([, declared]) => onlyReads(declared))
    .map(([verb, declared]) => [`${resource}.${verb}`, declared] as const),
);

/** Note the last use of the key, and that figures are brought up to date: nothing that a person has written. */
const BOOKKEEPING = ["personal_api_keys"];
/** Who has seen results: one row for the same figures. */
const LOOKS = "experiment_looks";
const DERIVED = [
  "experiment_states",
  "experiment_units",
  "experiment_progress",
  "experiment_unit_days",
  "experiment_series",
  "experiment_totals",
  "experiment_days",
];

let service: Awaited<ReturnType<typeof startResults>>;
let reader: string;
/** What paths contain, by resource; queries and bodies by endpoint. */
let ids: Record<string, string | number>;
let queries: Record<string, Record<string, string | number>>;
let bodies: Record<string, unknown>;

beforeAll(async () => {
  service = await startResults();
  const { api, db } = service;
  const post = async (path: string, body: object) => {
    const reply = await api("POST", `/api/projects/1/${path}/`, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.json;
  };
  const groups = [{ rollout_percentage: 50, properties: [{ key: "plan", type: "person", value: "pro" }] }];
  const flag = await post("feature_flags", {
    key: "seeded",
    filters: { groups, payloads: { true: "1" } },
    is_remote_configuration: true,
  });
  const continuous = await post("feature_flags", { key: "keeps-values", ensure_experience_continuity: true });
  await post(`feature_flags/${flag.id}/test_cases`, { name: "Ann", distinct_id: "ann", expected: false });
  const paid = metric({ metric_type: "funnel", name: "Paid", series: [source("paid")] });
  const holdout = await post("experiment_holdouts", {
    name: "Held out",
    filters: [{ properties: [], rollout_percentage: 5 }],
  });
  const saved = await post("experiment_saved_metrics", { name: "Paid", query: paid });
  const experiment = await service.create({ metrics: [paid] });
  const question = { type: "open", question: "Why?", id: "why" };
  const survey = await post("surveys", {
    name: "Seeded",
    type: "popover",
    questions: [
      question,
      { type: "rating", display: "number", scale: 5, question: "How?", id: "how" },
      { type: "single_choice", choices: ["This", "That"], question: "What?", id: "what" },
    ],
    start_date: new Date(START).toISOString(),
  });
  const cohort = await post("cohorts", {
    name: "Payers",
    filters: { properties: { type: "OR", values: [{ key: "plan", type: "person", value: "pro" }] } },
  });
  const dashboards = await api("GET", "/api/projects/1/dashboards/");
  await service.send(
    Array.from({ length: 12 }, (_, i) => [
      {
        event: "$feature_flag_called",
        id: `p${i}`,
        at: i,
        properties: {
          $feature_flag: experiment.feature_flag_key,
          $feature_flag_response: i % 2 ? "test" : "control",
          $set: { plan: "pro" },
        },
      },
      { event: "paid", id: `p${i}`, at: i + 1, properties: { amount: i } },
      {
        event: "survey sent",
        id: `p${i}`,
        at: i + 2,
        properties: {
          $survey_id: survey.id,
          $survey_completed: true,
          $survey_response_why: `Because of number ${i}`,
          $survey_response_how: String(1 + (i % 5)),
          $survey_response_what: i % 3 ? "This" : "That",
        },
      },
    ]).flat(),
  );
  const persons = await api("GET", "/api/projects/1/persons/");
  const responses = await api("GET", `/api/projects/1/surveys/${survey.id}/responses/`);
  const organizations = await api("GET", "/api/organizations/");
  reader = (await addKey(db, 1, { scopes: SCOPE_OBJECTS.map((object) => `${object}:read`) })).value;
  const key = await api("GET", "/api/personal_api_keys/@current/", undefined, { key: reader });
  ids = {
    feature_flags: flag.id,
    surveys: survey.id,
    survey_results: survey.id,
    experiment_results: experiment.id,
    experiment_report: experiment.id,
    experiments: experiment.id,
    experiment_holdouts: holdout.id,
    experiment_saved_metrics: saved.id,
    cohorts: cohort.id,
    dashboards: dashboards.json.results[0].id,
    persons: persons.json.results[0].id,
    personal_api_keys: key.json.id,
    response_id: responses.json.results[0].uuid,
    organization_id: organizations.json.results[0].id,
  };
  const experimentMetric = experiment.metrics[0];
  queries = {
    "feature_flags.evaluation_reasons": { distinct_id: "ann" },
    "surveys.summarize_responses": { question_id: "why" },
    "survey_results.crosstab": { question_a: "what", question_b: "how" },
    "survey_results.statements": { question_id: "why" },
    "experiment_results.results_summaries": { ids: experiment.id },
    "experiment_results.timeseries_results": {
      metric_uuid: experimentMetric.uuid,
      fingerprint: experimentMetric.fingerprint,
    },
    "experiment_results.results_people": { kind: "exposed" },
    "experiments.event_properties": { event: "paid" },
    "groups.list": { group_type_index: 0 },
    "property_definitions.values": { type: "person", key: "plan", name: "plan", property: "plan" },
  };
  const query = {
    query: { kind: "ExperimentQuery", experiment_id: experiment.id, metric: experimentMetric },
  };
  const change = { id: flag.id, active: false };
  const byGroup = { aggregation_group_type_index: 0, groups: [{ properties: [] }] };
  bodies = {
    "experiment_report.check_report": {
      experiment_id: experiment.id,
      digest: "0".repeat(64),
      signature: "",
      seal: "",
    },
    "feature_flags.evaluate": { id: continuous.id, distinct_id: "ann", anon_distinct_id: "anon" },
    "feature_flags.who_changes": change,
    "feature_flags.bulk_who_changes": { changes: [change] },
    "feature_flags.who_changes_people": { ...change, before: false, after: false },
    "feature_flags.who_changes_groups": { filters: byGroup, before: null, after: true },
    "feature_flags.check_test_cases": {},
    "feature_flags.bulk_keys": { ids: [flag.id] },
    "feature_flags.user_blast_radius": { condition: { properties: [] } },
    "surveys.check_questions": { questions: [question] },
    "surveys.summarize_responses": {},
    "survey_results.preview_questions": { questions: [{ ...question, question: "Why not?" }] },
    "experiment_results.environment_query": query,
    "experiment_results.project_query": query,
    "experiment_results.preview_metric": { metric: paid },
  };
});
afterAll(() => service.close());

/** What every table holds, as a number of rows and a digest of them. */
async function contents(): Promise<Map<string, string>> {
  const { rows: tables } = await service.db.execute<{ name: string }>(
    sql`select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
      and relnamespace = 'public'::regnamespace order by 1`,
  );
  const parts = tables.map(
    ({ name }) =>
      sql`select ${name} as name, count(*) || ' ' || coalesce(md5(string_agg(t::text, ',' order by t::text)), '') as rows
        from ${sql.identifier(name)} t`,
  );
  const { rows } = await service.db.execute<{ name: string; rows: string }>(
    sql.join(parts, sql` union all `),
  );
  return new Map(rows.map(({ name, rows: held }) => [name, held]));
}

async function read(name: string, declared: Endpoint, more: Record<string, string> = {}) {
  const [resource = ""] = name.split(".");
  const path = declared.path.replace(/\{(\w+)\}/g, (_, part: string) => {
    const value = part === "project_id" ? 1 : (ids[part === "id" ? resource : part] ?? "");
    return String(value);
  });
  const query = new URLSearchParams({ ...queries[name], ...more } as Record<string, string>);
  const body = declared.method === "GET" ? undefined : bodies[name];
  if (declared.method !== "GET") expect(body, `${name} needs a body in this test`).toBeDefined();
  return service.api(declared.method, `${path}?${query}`, body, { key: reader });
}

describe("a key that only reads", () => {
  it.each(READS)("%s changes nothing that is stored", async (name, declared) => {
    const before = await contents();
    const first = await read(name, declared);
    expect(first.status, first.text).toBeLessThan(300);
    const after = await contents();
    const changed = [...after].filter(([table, rows]) => before.get(table) !== rows).map(([table]) => table);
    expect(changed.filter((table) => ![...BOOKKEEPING, ...DERIVED, LOOKS].includes(table))).toEqual([]);
    await read(name, declared);
    const again = await contents();
    // Up to date, figures note when that was; nothing is added.
    const countOf = (rows = "") => rows.split(" ")[0];
    for (const table of [...DERIVED, LOOKS])
      expect(countOf(again.get(table)), table).toBe(countOf(after.get(table)));
  });

  it("is named among the looks when results are shown, once for the same figures", async () => {
    const results = READS.find(([name]) => name === "experiment_results.results")?.[1] as Endpoint;
    const looks = async () => service.db.select().from(experiment_looks);
    await service.db.delete(experiment_looks);
    await read("experiment_results.results", results, { look: "false" });
    expect(await looks()).toEqual([]);
    for (let i = 0; i < 5; i++) expect((await read("experiment_results.results", results)).status).toBe(200);
    expect(await looks()).toMatchObject([{ user_id: 1, exposures: { control: 6, test: 6 }, total: 12 }]);
    const path = `/api/projects/1/experiments/${ids.experiments}/looks/`;
    expect((await service.api("POST", path, {}, { key: reader })).status).toBe(403);
    expect(await looks()).toHaveLength(1);
  });

  it("has a bounded number of looks, the newest of which is the last one", async () => {
    await service.db.execute(sql`insert into experiment_looks (experiment_id, user_id, at, total, exposures)
      select ${ids.experiments}, 1, ${new Date(START + HOUR).toISOString()}::timestamptz, i, json_build_object('control', i)
        from generate_series(1, 1000) i`);
    await service.db.execute(sql`delete from experiment_looks where exposures::jsonb ? 'test'`);
    const results = READS.find(([name]) => name === "experiment_results.results")?.[1] as Endpoint;
    await read("experiment_results.results", results);
    const looks = await service.api("GET", `/api/projects/1/experiments/${ids.experiments}/looks/`);
    expect(looks.json.count).toBe(1_000);
    expect(looks.json.results.at(-1)).toMatchObject({ total: 12, exposures: { control: 6, test: 6 } });
  });
});
