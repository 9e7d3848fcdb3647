import { v7 as uuidv7 } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { announceInbox } from "#lib/notifications/jobs.ts";
import { rampTick } from "#lib/ramps/run.ts";
import { addKey, addOrganization, addPerson } from "#testing/accounts.ts";
import { jobContext } from "#testing/jobs.ts";
import { type Service, startService } from "#testing/service.ts";

const ROOT = "/api/projects/1";
const DAY_MS = 86_400_000;

type Item = {
  key: string;
  version: string;
  urgency: string;
  title: string;
  why: string;
  since: string;
  action: { label: string; path: string };
  resource: { type: string; id: string; name: string } | null;
};

let service: Service;
let api: Service["api"];
let bob: { id: number; key: string };

beforeAll(async () => {
  service = await startService();
  ({ api } = service);
  const organization = (await api("GET", "/api/organizations/@current/")).json.id;
  const { id } = await addPerson(service.db, "bob@example.com", { [organization]: 1 });
  bob = { id, key: (await addKey(service.db, id)).value };
  service.runtime.directory.drop();
});
afterAll(() => service.close());

const inbox = async (key?: string) => {
  const reply = await api("GET", `${ROOT}/inbox/`, undefined, key === undefined ? {} : { key });
  expect(reply.status, reply.text).toBe(200);
  return reply.json as { items: Item[]; set_aside: number; complete: boolean };
};
const keysOf = async (key?: string) => (await inbox(key)).items.map((item) => item.key);
const itemOf = async (key: string, reader?: string) =>
  (await inbox(reader)).items.find((item) => item.key === key);
const query = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);
const post = async (path: string, body?: object, key?: string) => {
  const reply = await api("POST", `${ROOT}/${path}/`, body, key === undefined ? {} : { key });
  expect(reply.status, reply.text).toBeLessThan(300);
  return reply.json;
};
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

let made = 0;
const newFlag = (filters: object = { groups: [{ properties: [], rollout_percentage: 10 }] }) => {
  made += 1;
  return post("feature_flags", { key: `flag-${made}`, filters });
};

it("is empty where nothing needs anybody", async () => {
  expect(await inbox()).toEqual({ items: [], set_aside: 0, complete: true });
});

describe("a change request", () => {
  it("is for those who can review it, until it is decided", async () => {
    const flag = await newFlag();
    const request = await post(
      "change_requests",
      {
        title: "Switch it off",
        changes: [{ method: "PATCH", path: `${ROOT}/feature_flags/${flag.id}/`, body: { active: false } }],
      },
      bob.key,
    );
    // Nobody has to approve it, but its author has asked.
    expect(await itemOf(`change_request/${request.id}/review`)).toBeDefined();
    expect(await itemOf(`change_request/${request.id}/apply`, bob.key)).toBeUndefined();
    await post(`change_requests/${request.id}/cancel`, { reason: "" }, bob.key);
    await post("approval_policies", { action_key: "change", approver_config: { quorum: 1 } });
    const held = await api(
      "PATCH",
      `${ROOT}/feature_flags/${flag.id}/`,
      { name: "x", active: false },
      { key: bob.key },
    );
    const id = held.json.change_request_id;
    const found = (await inbox()).items.filter(({ action }) => action.path === `change_requests/${id}`);
    expect(found).toMatchObject([{ urgency: "now", action: { label: "Review" } }]);
    expect(await itemOf(`change_request/${id}/review`, bob.key)).toBeUndefined();
    await post(`change_requests/${id}/reject`, { reason: "Not now." });
    expect(await itemOf(`change_request/${id}/review`)).toBeUndefined();
    for (const policy of (await api("GET", `${ROOT}/approval_policies/`)).json.results)
      await api("DELETE", `${ROOT}/approval_policies/${policy.id}/`);
  });
});

describe("a ramp", () => {
  it("that waits for approval, is paused or was rolled back", async () => {
    const flag = await newFlag();
    const { id } = await post("ramps", {
      feature_flag: flag.id,
      steps: [{ shares: { 0: 50 }, hold: { approval: true } }],
    });
    expect(await itemOf(`ramp/${id}/waiting`)).toMatchObject({
      title: `The ramp of ${flag.key} waits for approval`,
      resource: { type: "feature_flag", id: String(flag.id) },
      action: { path: `feature_flags/${flag.id}` },
    });
    await post(`ramps/${id}/pause`);
    expect(await keysOf()).toEqual([`ramp/${id}/paused`]);
    await post(`ramps/${id}/roll_back`);
    expect(await keysOf()).toEqual([`ramp/${id}/rolled_back`]);
    await query("update ramps set ended_at = $2 where id = $1", [id, daysAgo(8)]);
    expect(await keysOf()).toEqual([]);
  });

  it("that waits for people or hours is left alone", async () => {
    const flag = await newFlag();
    const { id } = await post("ramps", {
      feature_flag: flag.id,
      steps: [{ shares: { 0: 50 }, hold: { hours: 1, approval: true } }],
    });
    expect(await keysOf()).toEqual([]);
    await post(`ramps/${id}/roll_back`);
    await query("update ramps set ended_at = $2 where id = $1", [id, daysAgo(8)]);
  });
});

describe("flags", () => {
  it("that are stale are one item, which changes with them", async () => {
    const everybody = { groups: [{ properties: [], rollout_percentage: 100 }] };
    const [one, two] = [await newFlag(everybody), await newFlag(everybody)];
    const age = (id: number) =>
      query("update feature_flags set created_at = $2 where id = $1", [id, daysAgo(40)]);
    await age(one.id);
    service.runtime.flags.changed(1);
    const first = await itemOf("feature_flags/stale");
    expect(first).toMatchObject({ urgency: "soon", title: `1 flag is stale: ${one.key}` });
    expect(first?.action.path).toBe("feature_flags?status=stale");

    // Set aside by one person, until it changes; nobody else's inbox does.
    await post("inbox/dismiss", { key: first?.key, version: first?.version });
    expect(await inbox()).toMatchObject({ items: [], set_aside: 1 });
    expect(await keysOf(bob.key)).toEqual(["feature_flags/stale"]);
    await age(two.id);
    service.runtime.flags.changed(1);
    const second = await itemOf("feature_flags/stale");
    expect(second?.title).toMatch(/^2 flags are stale/);
    await post("inbox/dismiss", { key: second?.key, version: second?.version });
    expect(await keysOf()).toEqual([]);
    await post("inbox/restore");
    expect(await keysOf()).toEqual(["feature_flags/stale"]);
    await query("update feature_flags set created_at = now() where id = any($1)", [[one.id, two.id]]);
    service.runtime.flags.changed(1);
    expect(await keysOf()).toEqual([]);
  });

  it("that a rollback condition turned off", async () => {
    const flag = await newFlag();
    await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { active: false, performed_rollback: true });
    expect(await keysOf()).toEqual([`feature_flag/${flag.id}/rolled_back`]);
    await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { active: true, performed_rollback: false });
    expect(await keysOf()).toEqual([]);
  });

  it("whose scheduled change was not made", async () => {
    const flag = await newFlag();
    const schedule = await post("scheduled_changes", {
      record_id: String(flag.id),
      model_name: "FeatureFlag",
      payload: { operation: "update_status", value: false },
      scheduled_at: new Date(Date.now() + DAY_MS).toISOString(),
    });
    expect(await keysOf()).toEqual([]);
    await query(
      "update scheduled_changes set failure_reason = 'It was off already.', executed_at = now(), updated_at = now() where id = $1",
      [schedule.id],
    );
    expect(await itemOf(`scheduled_change/${schedule.id}/failed`)).toMatchObject({
      why: "It was off already.",
      action: { path: `feature_flags/${flag.id}#schedule-${schedule.id}` },
    });
    await api("DELETE", `${ROOT}/scheduled_changes/${schedule.id}/`);
  });
});

describe("an experiment", () => {
  const start = (parameters: object, started: Date) =>
    post("experiments", {
      name: `Experiment ${++made}`,
      feature_flag_key: `experiment-${made}`,
      start_date: started.toISOString(),
      parameters,
      metrics: [],
    });
  /** Lets so many people have been exposed. */
  const expose = async (id: number, units: Record<string, number>, cut_at = new Date()) => {
    await query(
      `insert into experiment_states (experiment_id, project_id, definition, seen, cut_at, updated_at)
       values ($1, 1, '', pg_current_snapshot(), $2, now())
       on conflict (experiment_id) do update set cut_at = excluded.cut_at, seen = excluded.seen`,
      [id, cut_at],
    );
    for (const [variant, n] of Object.entries(units))
      await query("insert into experiment_unit_days values ($1, $2, current_date, $3)", [id, variant, n]);
  };
  const stop = (id: number) =>
    api("PATCH", `${ROOT}/experiments/${id}/`, {
      archived: false,
      end_date: new Date().toISOString(),
      conclusion: "won",
    });

  it.each([
    [
      "has reached its planned sample",
      { recommended_sample_size: 1_000 },
      2,
      { control: 510, test: 500 },
      "finished",
    ],
    ["has not", { recommended_sample_size: 2_000 }, 2, { control: 510, test: 500 }, null],
    [
      "has run for as long as planned",
      { recommended_running_time: 7 },
      8,
      { control: 10, test: 10 },
      "finished",
    ],
    ["has not", { recommended_running_time: 7 }, 6, { control: 10, test: 10 }, null],
    ["splits people otherwise than configured", {}, 2, { control: 700, test: 500 }, "mismatched"],
    ["counts those who saw both nowhere", {}, 2, { control: 500, test: 500, $multiple: 900 }, null],
    ["nobody has been exposed to for a day", {}, 2, {}, "without_exposures"],
    ["nobody has been exposed to for an hour", {}, 0.05, {}, null],
  ])("that %s", async (_, parameters, days, units, expected) => {
    const { id } = await start(parameters, daysAgo(days));
    await expose(id, units);
    const found = (await keysOf()).filter((key) => key.startsWith(`experiment/${id}/`));
    expect(found).toEqual(expected === null ? [] : [`experiment/${id}/${expected}`]);
    await stop(id);
    expect((await keysOf()).filter((key) => key.startsWith(`experiment/${id}/`))).toEqual([]);
  });

  it("that ended without a conclusion", async () => {
    const { id } = await start({}, daysAgo(5));
    await api("PATCH", `${ROOT}/experiments/${id}/`, { end_date: new Date().toISOString() });
    expect(await itemOf(`experiment/${id}/unconcluded`)).toMatchObject({ action: { label: "Conclude" } });
    await api("PATCH", `${ROOT}/experiments/${id}/`, { conclusion: "inconclusive" });
    expect(await keysOf()).toEqual([]);
  });
});

describe("a survey", () => {
  const launch = (fields: object = {}) =>
    post("surveys", {
      name: `Survey ${++made}`,
      type: "popover",
      questions: [
        { type: "open", question: "Why?", id: "why" },
        { type: "open", question: "What else?", id: "else" },
      ],
      start_date: daysAgo(2).toISOString(),
      ...fields,
    });

  it("that is near its limit, with the day since when", async () => {
    const survey = await launch({ responses_limit: 10 });
    const answer = (count: number) =>
      api("POST", "/batch/", {
        api_key: service.token,
        batch: Array.from({ length: count }, () => ({
          event: "survey sent",
          distinct_id: uuidv7(),
          uuid: uuidv7(),
          timestamp: new Date().toISOString(),
          properties: { $survey_id: survey.id, $survey_completed: true, $survey_response_why: "Because" },
        })),
      });
    await answer(8);
    expect(await itemOf(`survey/${survey.id}/near_limit`)).toBeUndefined();
    await answer(1);
    const item = await itemOf(`survey/${survey.id}/near_limit`);
    expect(item?.why).toMatch(/^It has 9 of 10 responses/);
    expect(Date.now() - Date.parse(item?.since ?? "")).toBeLessThan(2 * DAY_MS);
    await api("PATCH", `${ROOT}/surveys/${survey.id}/`, { responses_limit: 100 });
    expect(await keysOf()).toEqual([]);
    await api("PATCH", `${ROOT}/surveys/${survey.id}/`, { archived: true });
  });

  it("that has a broken path", async () => {
    const survey = await launch();
    const { rows } = await query("select questions from surveys where id = $1", [survey.id]);
    const [first, second] = rows[0].questions;
    const looping = [first, { ...second, branching: { type: "specific_question", index: 0 } }];
    await query("update surveys set questions = $2 where id = $1", [survey.id, JSON.stringify(looping)]);
    service.runtime.surveys.changed(1);
    expect(await itemOf(`survey/${survey.id}/broken`)).toMatchObject({ urgency: "now" });
    await api("PATCH", `${ROOT}/surveys/${survey.id}/`, { archived: true });
  });

  it("that has ended", async () => {
    const survey = await launch({ end_date: daysAgo(1).toISOString() });
    expect(await itemOf(`survey/${survey.id}/ended`)).toMatchObject({ urgency: "soon" });
    await api("PATCH", `${ROOT}/surveys/${survey.id}/`, { archived: true });
    expect(await keysOf()).toEqual([]);
  });
});

const variantsWith = (...shares: number[]) =>
  shares.map((rollout_percentage, place) => ({ key: `v${place}`, rollout_percentage }));

describe("environments", () => {
  let staging: number;
  let group: string;
  const call = async (method: string, path: string, body?: object) => {
    const reply = await api(method, path, body);
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.json;
  };
  const flagIn = (project: number, body: object) =>
    call("POST", `/api/projects/${project}/feature_flags/`, body);
  const change = (project: number, id: number, body: object) =>
    call("PATCH", `/api/projects/${project}/feature_flags/${id}/`, body);
  const pro = { key: "plan", type: "person", operator: "exact", value: ["pro"] };
  const share = (rollout_percentage: number, properties: object[] = []) => ({
    groups: [{ properties, rollout_percentage }],
  });
  /** As if nobody had changed any flag for some days. */
  const wait = async (days: number) => {
    await query("update feature_flags set updated_at = now() - make_interval(days => $1)", [days]);
    for (const id of [1, staging]) service.runtime.flags.changed(id);
  };
  const driftIn = async (project = 1, key?: string) =>
    (
      await api("GET", `/api/projects/${project}/inbox/`, undefined, key === undefined ? {} : { key })
    ).json.items.filter((item: Item) => item.key.startsWith("environment/")) as Item[];
  const titles = async () => (await driftIn()).map(({ title }) => title);
  const needing = async (path = "feature_flags/environments?state=needs_attention") => {
    const { search } = new URL(path, "http://localhost");
    const { results, counts } = (await api("GET", `${ROOT}/environments/flags/${search}`)).json;
    expect(counts.needs_attention).toBe(results.length);
    return results.map((row: { key: string }) => row.key);
  };

  beforeAll(async () => {
    staging = (await call("POST", "/api/projects/", { name: "Staging" })).id;
    group = `/api/organizations/${(await call("GET", "/api/organizations/@current/")).id}/environments/`;
    await call("POST", group, {
      environments: [
        { project_id: staging, name: "Staging" },
        { project_id: 1, name: "Live" },
      ],
    });
  });
  afterAll(async () => {
    for (const { id } of (await call("GET", group)).results) await call("DELETE", `${group}${id}/`);
  });

  it("that were left different are items of the later one, until somebody changes a flag", async () => {
    const key = "left-different";
    await flagIn(staging, { key, filters: share(100, [pro]) });
    const here = await flagIn(1, { key, filters: share(100) });
    await wait(6);
    expect(await driftIn()).toEqual([]);
    await wait(8);
    const [item, ...others] = await driftIn();
    expect(others).toEqual([]);
    expect(item).toMatchObject({
      key: `environment/${here.id}/differs`,
      urgency: "soon",
      title: `${key} differs between Staging and Live`,
      action: { label: "Compare", path: `feature_flags/${here.id}/environments` },
      resource: { type: "feature_flag", id: String(here.id), name: key },
    });
    expect(Date.parse(item?.since ?? "")).toBeLessThan(daysAgo(7).getTime());
    expect(await needing()).toEqual([key]);
    expect(await driftIn(staging)).toEqual([]);
    await post("inbox/dismiss", { key: item?.key, version: item?.version });
    expect(await driftIn()).toEqual([]);
    await change(1, here.id, { filters: share(90) });
    await wait(8);
    expect(await titles()).toEqual([item?.title]);
    await change(1, here.id, { active: false });
    await wait(8);
    expect(await titles()).toEqual([]);
  });

  it.each<[string, object, object, string | null]>([
    ["the same", { filters: share(100, [pro]) }, { filters: share(100, [pro]) }, null],
    ["other percentages", { filters: share(100, [pro]) }, { filters: share(10, [pro]) }, null],
    ["other descriptions and tags", { name: "a", tags: ["a"] }, { name: "b", tags: ["b"] }, null],
    ["on there only", { active: true }, { active: false, filters: share(10, [pro]) }, null],
    [
      "other shares of variants",
      { filters: { ...share(100), multivariate: { variants: variantsWith(50, 50) } } },
      { filters: { ...share(100), multivariate: { variants: variantsWith(90, 10) } } },
      null,
    ],
    ["on here only", { active: false }, { active: true }, "is on in Live, but off in Staging"],
    ["payloads", { filters: { ...share(100), payloads: { true: "1" } } }, { filters: share(100) }, "differs"],
    ["settings", { evaluation_runtime: "server" }, {}, "differs"],
    [
      "variants",
      { filters: { ...share(100), multivariate: { variants: variantsWith(50, 50) } } },
      { filters: share(100) },
      "differs",
    ],
  ])("with %s", async (name, there, here, expected) => {
    const key = name.replaceAll(" ", "-");
    const flags = [await flagIn(staging, { key, ...there }), await flagIn(1, { key, ...here })] as const;
    await wait(8);
    expect(await titles()).toEqual(expected === null ? [] : [expect.stringContaining(expected)]);
    expect(await needing()).toEqual(expected === null ? [] : [key]);
    await change(1, flags[1].id, { active: false });
  });

  it("of which one has deleted the flag, and which compare cohorts by name", async () => {
    const cohortIn = (project: number, name: string) =>
      call("POST", `/api/projects/${project}/cohorts/`, {
        name,
        filters: { properties: { type: "AND", values: [pro] } },
      });
    const [there, here] = [await cohortIn(staging, "Testers"), await cohortIn(1, "Testers")];
    const withCohort = (id: number) => share(100, [{ key: "id", type: "cohort", value: id }]);
    const key = "for-testers";
    const theirs = await flagIn(staging, { key, filters: withCohort(there.id) });
    const own = await flagIn(1, { key, filters: withCohort(here.id) });
    await wait(8);
    expect(await titles()).toEqual([]);
    await call("PATCH", `${ROOT}/cohorts/${here.id}/`, { name: "Insiders" });
    expect(await titles()).toEqual([`${key} differs between Staging and Live`]);
    await change(staging, theirs.id, { deleted: true });
    expect(await titles()).toEqual([]);
    await wait(8);
    expect(await titles()).toEqual([`${key} was deleted in Staging, but is still on in Live`]);
    expect(await needing()).toEqual([key]);
    await change(1, own.id, { deleted: true });
    expect(await titles()).toEqual([]);
  });

  it("with many such flags are one item that opens exactly these", async () => {
    const keys = Array.from({ length: 6 }, (_, place) => `many-${place}`);
    const flags: { id: number }[] = [];
    for (const key of keys) {
      await flagIn(staging, { key, filters: share(100, [pro]) });
      flags.push(await flagIn(1, { key, filters: share(100) }));
    }
    await wait(8);
    const [item, ...others] = await driftIn();
    expect(others).toEqual([]);
    expect(item?.title).toMatch(
      /^6 flags differ between Staging and Live: many-\d, many-\d, many-\d and 3 more$/,
    );
    expect(await needing(item?.action.path)).toEqual(keys);
    const { value } = await addKey(service.db, 1, { scopes: ["*"], scoped_teams: [1] });
    service.runtime.directory.drop();
    expect(await driftIn(1, value)).toEqual([]);
    for (const { id } of flags) await change(1, id, { deleted: true });
    expect(await driftIn()).toEqual([]);
  });
});

it("names how many SDK instances are behind, until they are not", async () => {
  await newFlag();
  const content = (await service.runtime.definitions.project(1)).content();
  const earlier = "earlier".padEnd(content.length, "-");
  await query(
    `insert into definition_versions (project_id, content, number, flags, created_at) values
     (1, $1, 900, '{}', now() - interval '1 day'), (1, $2, 901, '{}', now() - interval '1 minute')
     on conflict (project_id, content) do update set created_at = excluded.created_at`,
    [earlier, content],
  );
  await query(
    `insert into sdk_instances (project_id, id, sdk, sdk_version, content, first_seen_at, last_seen_at, interval_ms)
     values (1, 'instance', 'posthog-node', '5.0.0', $1, now() - interval '1 day', now() - interval '1 minute', 10000)`,
    [earlier],
  );
  expect(await itemOf("sdk_instances/behind")).toMatchObject({
    title: "1 SDK instance did not pick up the last change",
    action: { path: "settings/sdk_instances?state=behind,undelivered" },
  });
  await query("update sdk_instances set content = $1", [content]);
  expect(await itemOf("sdk_instances/behind")).toBeUndefined();
  await query("delete from sdk_instances");
});

it("names relays that are behind or do not report, until they are not", async () => {
  await newFlag();
  const content = (await service.runtime.definitions.project(1)).content();
  const earlier = "before".padEnd(content.length, "-");
  await query(
    `insert into definition_versions (project_id, content, number, flags, created_at) values
     (1, $1, 910, '{}', now() - interval '1 day'), (1, $2, 912, '{}', now() - interval '2 minutes')
     on conflict (project_id, content) do update set number = excluded.number, created_at = excluded.created_at`,
    [earlier, content],
  );
  await query(
    `insert into sdk_relays (project_id, id, name, version, run_id, run_started_at, sequence, content, problem, first_seen_at, reported_at)
     values (1, 'relay-000001', 'eu-1', '1.0.0', 'run', now(), 1, $1, 'A bundle was refused.', now(), now())`,
    [earlier],
  );
  const key = "sdk_relays/relay-000001";
  expect(await itemOf(key)).toMatchObject({
    title: "Relay eu-1 is behind by 2 versions",
    why: "A bundle was refused.",
    action: { path: "settings/sdk_instances?relay=relay-000001" },
  });
  await query("update sdk_relays set content = $1, problem = null", [content]);
  expect(await itemOf(key)).toBeUndefined();
  await query("update sdk_relays set reported_at = now() - interval '6 minutes'");
  expect(await itemOf(key)).toMatchObject({ title: "Relay eu-1 does not report" });
  await query("update sdk_relays set stopped_at = now()");
  expect(await itemOf(key)).toBeUndefined();
  await query("delete from sdk_relays");
});

it("shows a key what it may read, and administrators more", async () => {
  const flag = await newFlag();
  await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { active: false, performed_rollback: true });
  const { id } = await post("notification_destinations", {
    kind: "webhook",
    name: "Hook",
    address: "https://example.com/hook",
  });
  const message = "0197d6a0-0000-7000-8000-000000000001";
  const type = "feature_flag.changed";
  const data = {
    title: "Ada changed the flag",
    detail: null,
    project: { id: 1, name: "Default project" },
    actor: null,
    resource: { type: "feature_flag", id: String(flag.id), name: flag.key },
    action: "updated",
    changes: [],
    link: "http://127.0.0.1:3000/project/1",
  };
  const payload = { type, timestamp: new Date().toISOString(), data };
  await query(
    "insert into notification_messages (id, project_id, type, payload, created_at) values ($1, 1, $2, $3, now())",
    [message, type, payload],
  );
  await query(
    `insert into notification_deliveries (project_id, destination_id, message_id, state, next_at, expires_at, ended_at, created_at)
     values (1, $1, $2, 'dead', now(), now(), now(), now())`,
    [id, message],
  );
  const rolledBack = `feature_flag/${flag.id}/rolled_back`;
  expect(await keysOf()).toEqual([rolledBack, `destination/${id}/dead`]);
  expect(await keysOf(bob.key)).toEqual([rolledBack]);
  const { value } = await addKey(service.db, 1, { scopes: ["project:read", "survey:read"] });
  service.runtime.directory.drop();
  expect(await keysOf(value)).toEqual([`destination/${id}/dead`]);
  const { project } = await addOrganization(service.db, "away");
  service.runtime.directory.drop();
  expect((await api("GET", `/api/projects/${project.id}/inbox/`)).status).toBe(403);
  await api("DELETE", `${ROOT}/notification_destinations/${id}/`);
  await api("PATCH", `${ROOT}/feature_flags/${flag.id}/`, { active: true, performed_rollback: false });
});

it.each([
  [{}, "key"],
  [{ key: "x" }, "version"],
  [{ key: "", version: "1" }, "key"],
  [{ key: "x".repeat(201), version: "1" }, "key"],
  [{ key: 1, version: "1" }, "key"],
])("setting aside %j is refused", async (body, attr) => {
  const reply = await api("POST", `${ROOT}/inbox/dismiss/`, body);
  expect([reply.status, reply.json.attr]).toEqual([400, attr]);
});

it("is announced to destinations: what comes up, once", async () => {
  const announce = () => announceInbox.run(jobContext(service.runtime, { now: new Date() }));
  const types = async () =>
    (await api("GET", `${ROOT}/notification_deliveries/`)).json.results
      .map(({ payload }: { payload: { type: string } }) => payload.type)
      .filter((type: string) => type === "ramp.waiting");
  const start = async () => {
    const flag = await newFlag();
    return post("ramps", {
      feature_flag: flag.id,
      steps: [{ shares: { 0: 50 }, hold: { approval: true } }],
    });
  };
  const before = await start();
  await post("notification_destinations", {
    kind: "webhook",
    name: "Hook",
    address: "https://example.com/hook",
    types: ["ramp.waiting"],
  });
  await announce();
  expect(await types()).toEqual([]);
  await start();
  await Promise.all([announce(), announce()]);
  await announce();
  expect(await types()).toEqual(["ramp.waiting"]);
  await rampTick.run(jobContext(service.runtime, { now: new Date() }));
  await post(`ramps/${before.id}/pause`);
  await announce();
  await post(`ramps/${before.id}/resume`);
  await announce();
  expect(await types()).toEqual(["ramp.waiting", "ramp.waiting"]);
});
