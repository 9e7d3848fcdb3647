import { v7 as uuidv7 } from "uuid";
import type { Endpoint } from "#lib/platform/http/contract.ts";
import type { Reply } from "./service.ts";

const HOUR = 3_600_000;
/** When its experiment and its survey began. */
const START = Date.UTC(2026, 2, 2, 9);

/** What paths contain, by resource or name of the parameter. */
export type Ids = Record<string, string | number>;

/** A project with a record of every resource, and with what calls on them need. */
export type FilledProject = {
  id: number;
  ids: Ids;
  queries: Record<string, Record<string, string | number>>;
  bodies: Record<string, unknown>;
};

/** Calls an API with a key that opens the project. */
type Api = (method: string, path: string, body?: unknown) => Promise<Pick<Reply, "status" | "json" | "text">>;

/**
 * Fills a project with records of every resource, events, people and answers.
 *
 * @param name is a part of every text in it
 */
export async function fillProject(api: Api, project: number, name: string): Promise<FilledProject> {
  const root = `/api/projects/${project}`;
  const call = async (method: string, path: string, body?: object) => {
    const reply = await api(method, path, body);
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  };
  const post = (path: string, body?: object) => call("POST", `${root}/${path}/`, body);
  const get = (path: string) => call("GET", `${root}/${path}`);
  const person = (i: number) => `${name}-person-${i}`;

  const pro = { key: `${name}_plan`, type: "person", value: `${name}-pro` };
  const flag = await post("feature_flags", {
    key: `${name}-flag`,
    name,
    filters: {
      groups: [{ rollout_percentage: 50, properties: [pro] }],
      payloads: { true: JSON.stringify(name) },
    },
    is_remote_configuration: true,
    tags: [name],
  });
  const continuous = await post("feature_flags", {
    key: `${name}-keeps-values`,
    ensure_experience_continuity: true,
  });
  const testCase = await post(`feature_flags/${flag.id}/test_cases`, {
    name,
    distinct_id: name,
    expected: false,
  });
  await post(`feature_flags/${flag.id}/dashboard`);
  const scheduled = await post("scheduled_changes", {
    record_id: String(flag.id),
    model_name: "FeatureFlag",
    payload: { operation: "update", value: { name: `${name} later` } },
    scheduled_at: new Date(Date.now() + 24 * HOUR).toISOString(),
  });
  const ramp = await post("ramps", {
    feature_flag: flag.id,
    steps: [{ shares: { 0: 60 }, hold: { hours: 24 } }],
    guardrails: [
      {
        name,
        metric: {
          kind: "ExperimentMetric",
          metric_type: "mean",
          source: { kind: "EventsNode", event: `${name} paid` },
        },
        harm: "decrease",
        margin: 0.1,
        action: "pause",
      },
    ],
  });
  const view = await post("saved_views", { name, query: `search=${name}` });
  const paid = {
    kind: "ExperimentMetric",
    metric_type: "funnel",
    name,
    series: [{ kind: "EventsNode", event: `${name} paid` }],
  };
  const holdout = await post("experiment_holdouts", {
    name,
    filters: [{ properties: [], rollout_percentage: 5 }],
  });
  const saved = await post("experiment_saved_metrics", { name, query: paid });
  const experiment = await post("experiments", {
    name,
    feature_flag_key: `${name}-experiment`,
    start_date: new Date(START).toISOString(),
    metrics: [paid],
  });
  const question = { type: "open", question: `${name}: why?`, id: "why" };
  const survey = await post("surveys", {
    name,
    type: "popover",
    questions: [
      question,
      { type: "rating", display: "number", scale: 5, question: `${name}: how?`, id: "how" },
      { type: "single_choice", choices: [`${name} this`, "That"], question: `${name}: what?`, id: "what" },
    ],
    start_date: new Date(START).toISOString(),
  });
  await post("cohorts", { name, filters: { properties: { type: "OR", values: [pro] } } });
  const cohort = await post("cohorts", { name, is_static: true });
  const told = Array.from({ length: 12 }, (_, i) => [
    {
      event: "$feature_flag_called",
      id: person(i),
      at: i,
      properties: {
        $feature_flag: experiment.feature_flag_key,
        $feature_flag_response: i % 2 ? "test" : "control",
        $set: { [pro.key]: pro.value, email: `${name}-${i}@example.com` },
      },
    },
    { event: `${name} paid`, id: person(i), at: i + 1, properties: { amount: i, [`${name}_item`]: name } },
    {
      event: "survey sent",
      id: person(i),
      at: i + 2,
      properties: {
        $survey_id: survey.id,
        $survey_completed: true,
        $survey_response_why: `${name} number ${i}`,
        $survey_response_how: String(1 + (i % 5)),
        $survey_response_what: i % 3 ? `${name} this` : "That",
      },
    },
  ]).flat();
  const batch = told.map(({ event, id, at, properties }) => {
    const timestamp = new Date(START + at * HOUR).toISOString();
    return { event, distinct_id: id, uuid: uuidv7(), timestamp, properties };
  });
  const { api_token } = await call("GET", `${root}/`);
  await call("POST", "/batch/", { api_key: api_token, historical_migration: true, batch });
  const byGroup = { aggregation_group_type_index: 0, groups: [{ properties: [] }] };
  // One that is enabled would hold up what is written next.
  const unused = { action_key: "change", forbidden: true, enabled: false };
  const policy = await post("approval_policies", unused);
  const request = await post("change_requests", {
    title: `${name} request`,
    changes: [
      { method: "PATCH", path: `${root}/feature_flags/${flag.id}/`, body: { name: `${name} proposed` } },
      {
        method: "POST",
        path: `${root}/feature_flags/`,
        body: { key: `${name}-by-group`, filters: byGroup },
      },
    ],
  });
  // Nothing leaves this machine: the address is refused, and the test that was sent there is given up.
  const destination = await post("notification_destinations", {
    kind: "webhook",
    name: `${name} destination`,
    address: "http://localhost:1/",
  });
  await post(`notification_destinations/${destination.id}/test`);
  const deliveries = await get("notification_deliveries/");
  await post("notification_subscriptions", { resource_type: "feature_flag", resource_id: flag.id });
  const ofGroups = request.impact.flags.find(
    ({ group_type_index }: { group_type_index: number | null }) => group_type_index === 0,
  );
  const persons = await get("persons/");
  const forgotten = {
    event: `${name} left`,
    distinct_id: `${name}-forgotten`,
    uuid: uuidv7(),
    properties: {},
  };
  await call("POST", "/batch/", { api_key: api_token, batch: [forgotten] });
  const erased = await post("persons/bulk_delete", {
    distinct_ids: [forgotten.distinct_id],
    delete_events: true,
  });
  await post("audit_log/verify");
  const sealed = (await get("audit_log/?scope=FeatureFlag&limit=1")).results[0];
  const checkpoint = (await get("audit_log/checkpoints/?limit=1")).results[0];
  const responses = await get(`surveys/${survey.id}/responses/`);
  const dashboards = await get("dashboards/");
  const [first] = experiment.metrics;
  const query = { query: { kind: "ExperimentQuery", experiment_id: experiment.id, metric: first } };
  const change = { id: flag.id, active: false };
  return {
    id: project,
    ids: {
      feature_flags: flag.id,
      feature_flag_key: flag.key,
      test_case_id: testCase.id,
      position: sealed.position,
      saved_views: view.id,
      scheduled_changes: scheduled.id,
      ramps: ramp.id,
      surveys: survey.id,
      response_id: responses.results[0].uuid,
      experiments: experiment.id,
      experiment_holdouts: holdout.id,
      experiment_saved_metrics: saved.id,
      cohorts: cohort.id,
      dashboards: dashboards.results[0].id,
      approval_policies: policy.id,
      change_requests: request.id,
      notification_destinations: destination.id,
      notification_deliveries: deliveries.results[0].id,
      resource_type: "feature_flag",
      resource_id: flag.id,
      persons: persons.results[0].id,
      erasures: erased.erasures[0].id,
    },
    queries: {
      "feature_flags.past": { at: new Date().toISOString(), distinct_id: person(0) },
      "feature_flags.past_changes": {
        from: new Date(Date.now() - HOUR).toISOString(),
        to: new Date().toISOString(),
      },
      "feature_flags.evaluation_reasons": { distinct_id: person(0) },
      "surveys.summarize_responses": { question_id: "why" },
      "survey_results.crosstab": { question_a: "what", question_b: "how" },
      "survey_results.statements": { question_id: "why" },
      "experiment_results.results_summaries": { ids: experiment.id },
      "experiment_results.timeseries_results": { metric_uuid: first.uuid, fingerprint: first.fingerprint },
      "experiment_results.results_people": { kind: "exposed" },
      "experiments.event_properties": { event: `${name} paid` },
      "groups.list": { group_type_index: 0 },
      "property_definitions.values": { type: "person", key: pro.key },
    },
    bodies: {
      "approval_policies.create": unused,
      "notification_destinations.create": {
        kind: "webhook",
        name: `${name} other`,
        address: `https://${name}.example.com/other`,
      },
      "notification_subscriptions.create": { resource_type: "feature_flag", resource_id: flag.id },
      "inbox.dismiss": { key: `${name}/1`, version: "1" },
      "approval_policies.update": unused,
      "change_requests.bypass": { reason: "It is urgent." },
      "audit_log.erase": { text: `${name} nowhere` },
      "audit_log.receive": checkpoint,
      "change_requests.who_changes": {},
      "change_requests.who_changes_people": { flag: flag.id, before: true, after: true },
      "change_requests.who_changes_groups": { flag: ofGroups.id, before: null, after: true },
      "experiment_report.check_report": {
        experiment_id: experiment.id,
        digest: "0".repeat(64),
        signature: "",
        seal: "",
      },
      "feature_flags.evaluate": { id: continuous.id, distinct_id: person(0), anon_distinct_id: "anon" },
      "ramps.create": { feature_flag: continuous.id, steps: [{ shares: { 0: 50 }, hold: {} }] },
      "ramps.rehearse": { feature_flag: flag.id, steps: [{ shares: { 0: 60 }, hold: {} }] },
      "feature_flags.prove": { id: continuous.id },
      "feature_flags.who_changes": change,
      "feature_flags.bulk_who_changes": { changes: [change] },
      "feature_flags.who_changes_people": { ...change, before: false, after: false },
      "feature_flags.who_changes_groups": { filters: byGroup, before: null, after: true },
      "feature_flags.replay": { id: flag.id },
      "feature_flags.replay_people": { id: flag.id, rows: { of: "cell", before: true, after: true } },
      "feature_flags.check_test_cases": {},
      "feature_flags.bulk_keys": { ids: [flag.id] },
      "feature_flags.user_blast_radius": { condition: { properties: [] } },
      "surveys.check_questions": { questions: [question] },
      "surveys.summarize_responses": {},
      "survey_results.preview_questions": { questions: [{ ...question, question: "Why not?" }] },
      "experiment_results.environment_query": query,
      "experiment_results.project_query": query,
      "experiment_results.preview_metric": { metric: paid },
      "events.preview_event_retention": { event_retention: { days: 30 } },
      "experiment_results.recalculate_timeseries": { metric: first, fingerprint: first.fingerprint },
    },
  };
}

/** An endpoint's path with these ids: `{id}` is that of the folder before it. */
export const pathWith = (
  { path }: Pick<Endpoint, "path">,
  project: string | number,
  idOf: (name: string) => string | number | undefined,
): string =>
  path
    .replace("{project_id}", String(project))
    .replace(/(\w+)\/\{id\}/, (_, folder: string) => `${folder}/${idOf(folder)}`)
    .replace(/\{(\w+)\}/g, (_, name: string) => String(idOf(name)));
