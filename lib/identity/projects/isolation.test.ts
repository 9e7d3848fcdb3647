import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contracts } from "#lib/app/contracts.ts";
import type { Endpoint } from "#lib/platform/http/contract.ts";
import { fillProject, type Ids, pathWith } from "#testing/every-resource.ts";
import { type Service, startService } from "#testing/service.ts";

/**
 * One key opens both projects, so that nothing but the queries themselves keeps their records apart. All names of
 * the other project's records carry this mark.
 */
const MARK = "othersecret";
const DONE_LATER = ["jobs", "personal_api_keys"];

let service: Service;
let other: number;
let atFirst: Record<string, unknown>;
/** Records of the other project by resource, and records of the first project to send along with them. */
let theirs: Ids;
let ours: Ids;

const send = async (method: string, path: string, body?: unknown) => {
  const reply = await service.api(method, path, body);
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.json;
};

/** Everything that is stored, table by table. */
async function stored(): Promise<Record<string, unknown>> {
  const { rows } = await service.db.execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const tables = rows.map(({ name }) => name).filter((name) => !DONE_LATER.includes(name));
  const contents = tables.map(async (name): Promise<[string, unknown]> => {
    const query = sql`select coalesce(jsonb_agg(t order by t::text), '[]') as rows from ${sql.identifier(name)} t`;
    return [name, (await service.db.execute<{ rows: unknown }>(query)).rows[0]?.rows];
  });
  return Object.fromEntries(await Promise.all(contents));
}

beforeAll(async () => {
  service = await startService();
  other = (await send("POST", "/api/projects/", { name: "Other" })).id;
  ours = (await fillProject(service.api, 1, "mine")).ids;
  theirs = (await fillProject(service.api, other, MARK)).ids;
  atFirst = await stored();
});
afterAll(() => service.close());

type Call = { name: string; resource: string; declared: Endpoint };

const ALL: Call[] = Object.entries(contracts).flatMap(([resource, contract]) =>
  Object.entries(contract).map(([verb, declared]) => ({ name: `${resource}.${verb}`, resource, declared })),
);
const OF_RECORDS = ALL.filter(
  ({ declared: { path, status } }) =>
    path.startsWith("/api/projects/{project_id}/") && /\{(?!project_id)\w+\}/.test(path) && status !== 405,
);
const LISTS = ALL.filter(
  ({ declared: { path, method } }) =>
    method === "GET" && path.startsWith("/api/projects/{project_id}/") && !/\{(?!project_id)\w+\}/.test(path),
);

/** Without these a call would be refused before the record is looked for. */
const QUERIES: Record<string, string> = {
  "persons.destroy": "?delete_events=true",
  "survey_results.crosstab": "?question_a=a&question_b=b",
  "survey_results.statements": "?question_id=a",
  "experiment_results.results_people": "?kind=exposed",
};
const REASON = { reason: "x" };
const BODIES: Record<string, unknown> = {
  "change_requests.reject": REASON,
  "change_requests.request_changes": REASON,
  "change_requests.comment": REASON,
  "change_requests.bypass": REASON,
  "change_requests.schedule": { apply_at: new Date(Date.now() + 3_600_000).toISOString() },
  "change_requests.who_changes_people": { flag: 1, before: false, after: true },
  "change_requests.who_changes_groups": { flag: 1, before: false, after: true },
  "feature_flags.update": { key: "x" },
  "approval_policies.update": { action_key: "change", forbidden: true },
  "experiments.update": { name: "x", feature_flag_key: "x" },
  "survey_results.preview_questions": { questions: [] },
  "experiment_results.recalculate_timeseries": { metric: { kind: "ExperimentMetric" }, fingerprint: "x" },
  "feature_flags.create_pin": { distinct_id: "x", value: true },
  "feature_flags.create_test_case": { name: "x", distinct_id: "x", expected: true },
  "cohorts.add_persons_to_static_cohort": { person_ids: [] },
  "cohorts.remove_person_from_static_cohort": { person_id: "0197d6a0-0000-7000-8000-000000000000" },
};
const bodyOf = ({ name, declared }: Call) => BODIES[name] ?? (declared.method === "GET" ? undefined : {});

async function expectUnchanged({ method }: Endpoint): Promise<void> {
  if (method !== "GET") expect(await stored()).toEqual(atFirst);
}

describe("a record of another project", () => {
  it.each(OF_RECORDS.map((call) => [call.name, call] as const))("%s does not find it", async (_, call) => {
    const path = pathWith(call.declared, 1, (name) => theirs[name]) + (QUERIES[call.name] ?? "");
    const reply = await service.api(call.declared.method, path, bodyOf(call));
    expect(reply.status, `${path} ${reply.text}`).toBe(404);
    expect(reply.text).not.toContain(MARK);
    await expectUnchanged(call.declared);
  });

  const nested = OF_RECORDS.filter(({ declared }) => /\{\w+_id\}.*\{id\}.*\{\w+_id\}/.test(declared.path));
  it.each(nested.map((call) => [call.name, call] as const))(
    "%s does not find it below ours",
    async (_, call) => {
      const path = pathWith(call.declared, 1, (name) => (name.endsWith("_id") ? theirs[name] : ours[name]));
      const reply = await service.api(call.declared.method, path, bodyOf(call));
      expect(reply.status, `${path} ${reply.text}`).toBe(404);
      await expectUnchanged(call.declared);
    },
  );
});

describe("lists and figures", () => {
  it.each(LISTS.map((call) => [call.name, call] as const))(
    "%s shows nothing of it",
    async (_, { declared }) => {
      const path = declared.path.replace("{project_id}", "1");
      for (const query of ["", `?search=${MARK}`, `?distinct_id=${MARK}-person`]) {
        const { text } = await service.api("GET", path + query);
        expect(text.replaceAll(query, ""), path).not.toContain(MARK);
      }
    },
  );
});

describe("references", () => {
  const write = (path: string, method: string, body: unknown) =>
    service.api(method, `/api/projects/1/${path}`, body);

  it.each([
    [
      "an experiment, to a holdout",
      () => write(`experiments/${ours.experiments}/`, "PATCH", { holdout_id: theirs.experiment_holdouts }),
    ],
    [
      "an experiment, to a saved metric",
      () =>
        write(`experiments/${ours.experiments}/`, "PATCH", {
          saved_metrics_ids: [{ id: theirs.experiment_saved_metrics }],
        }),
    ],
    [
      "a survey, to a flag",
      () => write(`surveys/${ours.surveys}/`, "PATCH", { linked_flag_id: theirs.feature_flags }),
    ],
    [
      "a flag, to a cohort",
      () =>
        write(`feature_flags/${ours.feature_flags}/`, "PATCH", {
          filters: {
            groups: [{ properties: [{ key: "id", type: "cohort", value: theirs.cohorts, operator: "in" }] }],
          },
        }),
    ],
    [
      "a flag, to a flag",
      () =>
        write(`feature_flags/${ours.feature_flags}/`, "PATCH", {
          filters: {
            groups: [
              {
                properties: [
                  {
                    key: String(theirs.feature_flags),
                    type: "flag",
                    operator: "flag_evaluates_to",
                    value: true,
                  },
                ],
              },
            ],
          },
        }),
    ],
    [
      "a cohort, to a person",
      () =>
        write(`cohorts/${ours.cohorts}/add_persons_to_static_cohort/`, "POST", {
          person_ids: [theirs.persons],
        }),
    ],
    [
      "a flag, to a dashboard",
      () =>
        write(`feature_flags/${ours.feature_flags}/`, "PATCH", { analytics_dashboards: [theirs.dashboards] }),
    ],
  ])("from %s are refused", async (_, attempt) => {
    const reply = await attempt();
    expect(reply.status, reply.text).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
    expect(reply.text).not.toContain(MARK);
    expect(await stored()).toEqual(atFirst);
  });
});
