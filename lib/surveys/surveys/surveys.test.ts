import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import type { Contract } from "#lib/platform/http/contract.ts";
import { clearOfMidnight } from "#testing/clock.ts";
import { type Service, startService } from "#testing/service.ts";
import { createFlag, createSurvey, ROOT, surveyBody } from "#testing/surveys.ts";
import { surveyContract } from "./contract.ts";
import { surveyUpdate } from "./schema.ts";

await clearOfMidnight();

const ABSENT = "0199aa10-7c01-7000-9d3e-2b1f00c0ffee";
const PRO = { key: "plan", type: "person", value: ["pro"], operator: "exact" };
const TARGETING = { groups: [{ properties: [PRO], rollout_percentage: 50 }] };
const STARTED = "2026-03-02T09:00:00Z";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const patch = (id: string, body: unknown) => service.api("PATCH", `${ROOT}${id}/`, body);
const get = async (id: string) => (await service.api("GET", `${ROOT}${id}/`)).json;

const contract: Contract = surveyContract;
const endpoints = Object.entries(contract).map(([name, declared]) => ({ name, ...declared }));

/** A call that succeeds, for every endpoint. */
async function callOf(name: string) {
  const declared = contract[name];
  if (!declared) throw new Error(name);
  const survey = await createSurvey(service, { questions: [{ type: "open", question: "Why?" }] });
  const path = declared.path.replace("{project_id}", "1").replace("{id}", survey.id);
  const query = name === "summarize_responses" ? "?question_index=0" : "";
  const bodies: Record<string, unknown> = {
    create: surveyBody(),
    partial_update: { archived: true },
    check_questions: { questions: survey.questions },
  };
  if (name === "stop") await patch(survey.id, { start_date: STARTED });
  const body = bodies[name];
  return { method: declared.method, path: path + query, body };
}

describe("every endpoint", () => {
  it.each(endpoints)("$name answers $status in the declared shape", async ({ name, status, response }) => {
    const { method, path, body } = await callOf(name);
    const answer = await service.api(method, path, body);
    expect(answer.status).toBe(status);
    if (response) expect(response.safeParse(answer.json).error?.issues ?? []).toEqual([]);
    else expect(answer.text).toBe("");
  });

  const ofOne = endpoints.filter(({ path }) => path.includes("{id}"));
  it.each(ofOne)("$name knows no survey by an absent or impossible id", async ({ method, path, name }) => {
    for (const id of [ABSENT, "17", "not-a-uuid", "%00"]) {
      const body = name === "partial_update" ? {} : undefined;
      const at = path.replace("{project_id}", "1").replace("{id}", id);
      expect((await service.api(method, at, body)).status).toBe(404);
    }
  });

  it("has no other methods", async () => {
    const { id } = await createSurvey(service);
    expect((await service.api("PUT", `${ROOT}${id}/`, surveyBody())).status).toBe(405);
    expect((await service.api("DELETE", ROOT)).status).toBe(405);
  });
});

describe("the record", () => {
  it("gives back every field as it was sent, unknown keys of free-form objects too", async () => {
    const tomorrow = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000)
      .toISOString()
      .replace(".000", "");
    const sent = {
      description: "For the team <b>only</b>",
      type: "widget",
      schedule: "recurring",
      questions: [
        {
          id: "q-nps",
          type: "rating",
          question: "How likely?",
          scale: 10,
          display: "number",
          isNpsQuestion: true,
        },
        { id: "q-why", type: "single_choice", question: "Why?", choices: ["A", "B"], hasOpenChoice: true },
        {
          id: "q-odd",
          type: "slider",
          question: "?",
          scale: "wide",
          branching: { type: "strange", x: [1, null] },
        },
      ],
      conditions: {
        url: "/pricing",
        selector: null,
        actions: { values: [{ id: 3, name: "bought" }] },
        zz: { a: 1 },
      },
      appearance: {
        backgroundColor: "#fff",
        whiteLabel: true,
        surveyPopupDelaySeconds: 2,
        custom: { deep: [null] },
      },
      start_date: STARTED,
      end_date: "2027-01-01T00:00:00.250Z",
      archived: true,
      responses_limit: 250,
      iteration_count: 3,
      iteration_frequency_days: 30,
      response_sampling_start_date: tomorrow,
      response_sampling_interval_type: "day",
      response_sampling_interval: 4,
      response_sampling_limit: 10,
      enable_partial_responses: true,
    };
    const made = await createSurvey(service, sent);
    expect(made).toMatchObject(sent);
    expect(await get(made.id)).toMatchObject(sent);
    expect(Object.keys(made.conditions)).toEqual(Object.keys(sent.conditions));
  });

  it("starts from defaults", async () => {
    const made = await createSurvey(service);
    expect(made).toMatchObject({
      description: "",
      schedule: "once",
      questions: null,
      conditions: null,
      appearance: null,
      start_date: null,
      archived: false,
      iteration_start_dates: [],
      response_sampling_interval_type: "week",
      response_sampling_daily_limits: null,
      enable_partial_responses: false,
      linked_flag: null,
      targeting_flag: null,
    });
    expect(made.created_by).toMatchObject({ id: 1, email: "admin@localhost.local" });
  });

  it("has three fields more when it is read than when it was written", async () => {
    const made = await createSurvey(service);
    const read = await get(made.id);
    const more = Object.keys(read).filter((name) => !(name in made));
    expect(more).toEqual(["linked_flag_id", "feature_flag_keys", "user_access_level"]);
    expect(read.feature_flag_keys).toEqual([
      { key: "linked_flag_key", value: null },
      { key: "targeting_flag_key", value: null },
      { key: "internal_targeting_flag_key", value: made.internal_targeting_flag.key },
      { key: "internal_response_sampling_flag_key", value: null },
    ]);
  });

  it("takes null for every field that can be empty, and ignores fields it does not know", async () => {
    const nullable = [
      "schedule",
      "linked_flag_id",
      "targeting_flag_filters",
      "remove_targeting_flag",
      "questions",
      "conditions",
      "appearance",
      "start_date",
      "end_date",
      "responses_limit",
      "iteration_count",
      "iteration_frequency_days",
      "iteration_start_dates",
      "current_iteration",
      "current_iteration_start_date",
      "response_sampling_start_date",
      "response_sampling_interval_type",
      "response_sampling_interval",
      "response_sampling_limit",
      "response_sampling_daily_limits",
      "enable_partial_responses",
      "_create_in_folder",
    ];
    const unknown = {
      linked_insight_id: 4,
      translations: {},
      form_content: null,
      enable_iframe_embedding: true,
    };
    await createSurvey(service, { ...Object.fromEntries(nullable.map((name) => [name, null])), ...unknown });
  });

  it("names questions that come without an id, and keeps the names of the others", async () => {
    const questions = [
      { type: "open", question: "A" },
      { type: "open", question: "B", id: "" },
      { type: "open", question: "C", id: "mine" },
    ];
    const [a, b, c] = (await createSurvey(service, { questions })).questions;
    expect(a.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(b.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(a.id).not.toBe(b.id);
    expect(c.id).toBe("mine");
  });

  it("sorts later surveys' ids after earlier ones'", async () => {
    const [first, second] = [await createSurvey(service), await createSurvey(service)];
    expect(first.id < second.id).toBe(true);
  });

  it("leaves fields alone that an update does not send", async () => {
    const conditions = { url: "/a", actions: { values: [{ id: 1, name: "x" }] } };
    const started = { start_date: STARTED, iteration_count: 3, iteration_frequency_days: 30 };
    const made = await createSurvey(service, { conditions, appearance: { position: "left" }, ...started });
    const { json } = await patch(made.id, { iteration_count: 4 });
    expect(json).toMatchObject({
      conditions,
      appearance: { position: "left" },
      iteration_frequency_days: 30,
    });
    expect(json.iteration_start_dates).toHaveLength(4);
  });
});

describe("versions", () => {
  it("start at 1 and increase with every update", async () => {
    const made = await createSurvey(service, { version: 7 });
    expect(made.version).toBe(1);
    expect((await patch(made.id, { description: "One" })).json.version).toBe(2);
    expect((await patch(made.id, { description: "Two", version: 2 })).json.version).toBe(3);
    expect((await get(made.id)).version).toBe(3);
    expect((await service.api("POST", `${ROOT}${made.id}/launch/`)).json.version).toBe(4);
  });

  it.each([0, 1, 3])("an update of version %i of a survey that is at 2 changes nothing", async (version) => {
    const { id } = await createSurvey(service);
    await patch(id, { description: "Theirs" });
    const { status, json } = await patch(id, { description: "Mine", archived: true, version });
    expect([status, json.code, json.extra]).toEqual([409, "conflict", { version: 2 }]);
    expect(await get(id)).toMatchObject({ description: "Theirs", archived: false, version: 2 });
    const { json: log } = await service.api("GET", `${ROOT}${id}/activity/`);
    expect(log.results).toHaveLength(2);
  });

  it("exactly one of several updates of the same version is applied", async () => {
    const { id, version } = await createSurvey(service);
    const texts = ["a", "b", "c", "d", "e", "f"];
    const answers = await Promise.all(texts.map((description) => patch(id, { description, version })));
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(texts.length - 1);
    expect(await get(id)).toMatchObject({ description: winner?.json.description, version: 2 });
  });

  it("are not compared where the update names none", async () => {
    const { id } = await createSurvey(service);
    const answers = await Promise.all(["a", "b", "c"].map((description) => patch(id, { description })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await get(id)).version).toBe(4);
  });

  it.each([null, "2", 1.5])("%j is none", async (version) => {
    const { id } = await createSurvey(service);
    const { status, json } = await patch(id, { description: "Mine", version });
    expect([status, json.attr]).toEqual([400, "version"]);
  });
});

describe("lists", () => {
  it("come newest first, in pages with absolute neighbours", async () => {
    const own = await startService();
    try {
      for (const name of ["one", "two", "three"]) await createSurvey(own, { name });
      const page = await own.api("GET", `${ROOT}?limit=2&offset=1`);
      expect(page.json.count).toBe(3);
      expect(page.json.results.map((s: { name: string }) => s.name)).toEqual(["two", "one"]);
      expect(page.json.next).toBeNull();
      expect(page.json.previous).toBe(`http://switchyard.test${ROOT}?limit=2`);
    } finally {
      await own.close();
    }
  });

  it.each([
    { search: "checkout PULSE", finds: true },
    { search: "ulse eck", finds: true },
    { search: "checkout team", finds: true },
    { search: "checkout nowhere", finds: false },
    { search: "100%", finds: true },
    { search: "1%0", finds: false },
    { search: "under_score", finds: true },
    { search: "under-score", finds: false },
    { search: "back\\slash", finds: true },
    { search: "  ", finds: true },
  ])("search for $search: $finds", async ({ search, finds }) => {
    const known = (await service.api("GET", `${ROOT}?search=Checkout+Pulse`)).json.results;
    const description = "for the team: 100% under_score back\\slash";
    if (known.length === 0) await createSurvey(service, { name: "Checkout Pulse", description });
    const { json } = await service.api("GET", `${ROOT}?limit=1000&search=${encodeURIComponent(search)}`);
    expect(json.results.some((s: { name: string }) => s.name === "Checkout Pulse")).toBe(finds);
  });
});

describe("flags", () => {
  const flagOf = async (id: number) =>
    (await service.api("GET", `/api/projects/1/feature_flags/${id}/`)).status;

  it("leave out people who have answered, from the first day on", async () => {
    const { id, internal_targeting_flag: flag } = await createSurvey(service, { type: "api" });
    expect(flag.key).toMatch(/^survey-targeting-[0-9a-f]{10}-custom$/);
    expect(flag).toMatchObject({ active: false, version: 1, evaluation_runtime: "all" });
    expect(flag.filters.groups[0]).toEqual({
      variant: "",
      rollout_percentage: 100,
      properties: [
        { key: `$survey_dismissed/${id}`, type: "person", value: "is_not_set", operator: "is_not_set" },
        { key: `$survey_responded/${id}`, type: "person", value: "is_not_set", operator: "is_not_set" },
      ],
    });
  });

  it("of a recurring survey ask for the current iteration", async () => {
    const recurring = { iteration_count: 3, iteration_frequency_days: 7, start_date: STARTED };
    const { id, internal_targeting_flag } = await createSurvey(service, recurring);
    const key = (flag: typeof internal_targeting_flag) => flag.filters.groups[0].properties[0].key;
    expect(key(internal_targeting_flag)).toBe(`$survey_dismissed/${id}/1`);
    const { json } = await patch(id, { current_iteration: 2 });
    expect(key(json.internal_targeting_flag)).toBe(`$survey_dismissed/${id}/2`);
    expect(json.internal_targeting_flag.version).toBe(2);
  });

  it("follow launch, stop, resume and archive", async () => {
    const made = await createSurvey(service, { targeting_flag_filters: TARGETING });
    const states = async (body: unknown) => {
      const { json } = await patch(made.id, body);
      return [json.internal_targeting_flag.active, json.targeting_flag.active];
    };
    expect(made.targeting_flag).toMatchObject({ active: false, filters: TARGETING });
    expect(await states({ description: "still a draft" })).toEqual([false, false]);
    expect(await states({ start_date: STARTED })).toEqual([true, true]);
    expect(await states({ end_date: "2026-04-01T00:00:00Z" })).toEqual([false, false]);
    expect(await states({ description: "stopped" })).toEqual([false, false]);
    expect(await states({ end_date: null })).toEqual([true, true]);
    expect(await states({ archived: true })).toEqual([false, false]);
  });

  it.each([
    { sent: { start_date: STARTED }, active: true },
    { sent: {}, active: false },
    { sent: { start_date: STARTED, end_date: STARTED }, active: false },
    { sent: { start_date: "2999-01-01T00:00:00Z" }, active: false },
    { sent: { start_date: STARTED, archived: true }, active: false },
  ])("of a survey that is created with $sent are on: $active", async ({ sent, active }) => {
    const made = await createSurvey(service, { ...sent, targeting_flag_filters: TARGETING });
    expect([made.internal_targeting_flag.active, made.targeting_flag.active]).toEqual([active, active]);
  });

  it("merge new filters into the old ones at the top level, and ignore null", async () => {
    const made = await createSurvey(service, {
      targeting_flag_filters: { ...TARGETING, payloads: { true: "1" } },
    });
    const groups = [{ properties: [PRO], rollout_percentage: 20 }];
    const { json } = await patch(made.id, { targeting_flag_filters: { groups } });
    expect(json.targeting_flag.filters).toEqual({ groups, payloads: { true: "1" } });
    expect(json.targeting_flag.id).toBe(made.targeting_flag.id);
    const same = await patch(made.id, { targeting_flag_filters: null, remove_targeting_flag: false });
    expect(same.json.targeting_flag).toEqual(json.targeting_flag);
  });

  it("go when they are removed, and with their survey", async () => {
    const made = await createSurvey(service, { targeting_flag_filters: TARGETING });
    const removed = await patch(made.id, { remove_targeting_flag: true });
    expect(removed.json.targeting_flag).toBeNull();
    expect(await flagOf(made.targeting_flag.id)).toBe(404);
    expect(await flagOf(made.internal_targeting_flag.id)).toBe(200);
    const again = await patch(made.id, { targeting_flag_filters: TARGETING });
    expect((await service.api("DELETE", `${ROOT}${made.id}/`)).status).toBe(204);
    expect(await flagOf(again.json.targeting_flag.id)).toBe(404);
    expect(await flagOf(made.internal_targeting_flag.id)).toBe(404);
    expect((await service.api("GET", `${ROOT}${made.id}/`)).status).toBe(404);
  });

  it.each([
    { links: "linked_flag_id", gone: "with its survey" },
    { links: "targeting_flag_id", gone: "with its survey" },
    { links: "linked_flag_id", gone: "when it is removed" },
    { links: "targeting_flag_id", gone: "when it is removed" },
  ])("stay $gone, where another survey names them as $links", async ({ links, gone }) => {
    const owner = await createSurvey(service, { targeting_flag_filters: TARGETING });
    const flag = owner.targeting_flag.id;
    const other = await createSurvey(service, { [links]: flag });
    const remove = () => service.api("DELETE", `${ROOT}${owner.id}/`);
    if (gone === "with its survey") expect((await remove()).status).toBe(204);
    else expect((await patch(owner.id, { remove_targeting_flag: true })).json.targeting_flag).toBeNull();
    expect(await flagOf(flag)).toBe(200);
    const { linked_flag, targeting_flag } = await get(other.id);
    expect((links === "linked_flag_id" ? linked_flag : targeting_flag).id).toBe(flag);
  });

  it("that somebody else made are referred to and never written", async () => {
    const linked = await createFlag(service, "linked-by-survey", TARGETING);
    const targeting = await createFlag(service, "targeted-by-survey", TARGETING);
    const made = await createSurvey(service, { linked_flag_id: linked, targeting_flag_id: targeting });
    expect([made.linked_flag.id, made.targeting_flag.id]).toEqual([linked, targeting]);
    await patch(made.id, { start_date: STARTED, end_date: STARTED });
    const after = (await service.api("GET", `/api/projects/1/feature_flags/${targeting}/`)).json;
    expect([after.active, after.version]).toEqual([true, 1]);
    const filtered = await patch(made.id, { targeting_flag_filters: TARGETING });
    expect(filtered.json.targeting_flag.id).not.toBe(targeting);
    expect((await patch(made.id, { linked_flag_id: null })).json.linked_flag).toBeNull();
    await service.api("DELETE", `${ROOT}${made.id}/`);
    expect([await flagOf(linked), await flagOf(targeting)]).toEqual([200, 200]);
  });

  it("of surveys are not among the flags that people list", async () => {
    const made = await createSurvey(service, {
      targeting_flag_filters: TARGETING,
      response_sampling_start_date: new Date(Date.now() + 86_400_000).toISOString(),
      response_sampling_interval: 1,
      response_sampling_limit: 10,
    });
    const own = (await get(made.id)).feature_flag_keys.slice(1).map((k: { value: string }) => k.value);
    const { json } = await service.api("GET", "/api/projects/1/feature_flags/?limit=1000");
    const keys = json.results.map((flag: { key: string }) => flag.key);
    expect(own.map((key: string) => key.replace(/[0-9a-f]{10}/, "…"))).toEqual([
      "survey-targeting-…",
      "survey-targeting-…-custom",
      "survey-targeting-…-sampling",
    ]);
    expect(keys.filter((key: string) => own.includes(key))).toEqual([]);
  });

  it("that somebody deleted are created again by the next update", async () => {
    const made = await createSurvey(service, { targeting_flag_filters: TARGETING, start_date: STARTED });
    for (const { id } of [made.targeting_flag, made.internal_targeting_flag])
      await service.api("PATCH", `/api/projects/1/feature_flags/${id}/`, { deleted: true });
    const { json } = await patch(made.id, { targeting_flag_filters: TARGETING });
    for (const name of ["targeting_flag", "internal_targeting_flag"]) {
      expect(json[name].id).not.toBe(made[name].id);
      expect(json[name]).toMatchObject({ deleted: false, active: true });
    }
  });

  it("tell the flag's own record which surveys are linked to it", async () => {
    const linked = await createFlag(service, "tells-surveys", TARGETING);
    const { id, name } = await createSurvey(service, { linked_flag_id: linked });
    const surveysOf = async () =>
      (await service.api("GET", `/api/projects/1/feature_flags/${linked}/`)).json.surveys;
    expect(await surveysOf()).toMatchObject([{ id, name }]);
    await patch(id, { name: `${name} renamed` });
    expect(await surveysOf()).toMatchObject([{ name: `${name} renamed` }]);
    await service.api("DELETE", `${ROOT}${id}/`);
    expect(await surveysOf()).toEqual([]);
  });
});

describe("recurrence", () => {
  it.each([
    { sent: { iteration_count: 2 }, dates: [], current: null },
    { sent: { iteration_count: 2, iteration_frequency_days: 0 }, dates: [], current: null },
    { sent: { iteration_count: 2, iteration_frequency_days: 7 }, dates: null, current: null },
    {
      sent: { iteration_count: 2, iteration_frequency_days: 7, start_date: STARTED },
      dates: [STARTED, "2026-03-09T09:00:00Z"],
      current: 1,
    },
    {
      sent: { iteration_count: 2, iteration_frequency_days: 7, start_date: STARTED, current_iteration: 2 },
      dates: [STARTED, "2026-03-09T09:00:00Z"],
      current: 2,
    },
  ])("$sent begins on $dates", async ({ sent, dates, current }) => {
    const made = await createSurvey(service, { ...sent, iteration_start_dates: ["2020-01-01T00:00:00Z"] });
    expect(made.iteration_start_dates).toEqual(dates);
    expect(made.current_iteration).toBe(current);
  });

  it("is turned off by a count of 0", async () => {
    const recurring = { iteration_count: 3, iteration_frequency_days: 7, start_date: STARTED };
    const made = await createSurvey(service, { ...recurring, current_iteration: 2 });
    const { json } = await patch(made.id, { iteration_count: 0 });
    expect(json).toMatchObject({ iteration_start_dates: [], current_iteration: null });
  });

  it("spreads the wanted responses over the days of the sampling plan", async () => {
    const start = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000);
    const made = await createSurvey(service, {
      response_sampling_start_date: start.toISOString(),
      response_sampling_interval_type: "day",
      response_sampling_interval: 4,
      response_sampling_limit: 10,
      response_sampling_daily_limits: "[]",
    });
    const plan = JSON.parse(made.response_sampling_daily_limits);
    expect(plan.map((d: { daily_response_limit: number }) => d.daily_response_limit)).toEqual([3, 6, 8, 10]);
    expect(plan.map((d: { rollout_percentage: number }) => d.rollout_percentage)).toEqual([25, 50, 75, 100]);
    expect(Date.parse(plan[3].date) - start.getTime()).toBe(3 * 86_400_000);
    const keys = (await get(made.id)).feature_flag_keys;
    expect(keys[3].value).toMatch(/^survey-targeting-[0-9a-f]{10}-sampling$/);
    const resent = await patch(made.id, { response_sampling_start_date: made.response_sampling_start_date });
    expect(resent.status).toBe(200);
    expect(
      (await patch(made.id, { response_sampling_limit: 0 })).json.response_sampling_daily_limits,
    ).toBeNull();
  });
});

type Update = z.input<typeof surveyUpdate>;
type Example = { before?: Record<string, unknown>; value: unknown; with?: Update; logged?: string };

const PLAN = {
  response_sampling_start_date: "2999-01-01T00:00:00Z",
  response_sampling_interval_type: "day",
  response_sampling_interval: 4,
  response_sampling_limit: 8,
} as const;
const RECURRENCE = { iteration_count: 3, iteration_frequency_days: 7, start_date: STARTED };

const UNLOGGED = ["_create_in_folder", "version"] as const;

/** A change of every field that can be updated, and under which name the activity log has it. */
const EXAMPLES = {
  name: { value: "Another name for the activity" },
  description: { value: "For the team" },
  type: { value: "widget" },
  schedule: { value: "always" },
  linked_flag_id: { value: "flag" },
  targeting_flag_id: { value: "flag" },
  targeting_flag_filters: { value: TARGETING },
  remove_targeting_flag: {
    before: { targeting_flag_filters: TARGETING },
    value: true,
    logged: "targeting_flag",
  },
  questions: { value: [{ id: "why", type: "open", question: "Why?" }] },
  conditions: { value: { url: "/checkout" } },
  appearance: { value: { backgroundColor: "#ffffff" } },
  start_date: { value: STARTED },
  end_date: { before: { start_date: STARTED }, value: "2026-04-02T09:00:00Z" },
  archived: { value: true },
  responses_limit: { value: 250 },
  iteration_count: { value: 3, with: { iteration_frequency_days: 7 } },
  iteration_frequency_days: { before: RECURRENCE, value: 14 },
  // The two that are computed change with others.
  iteration_start_dates: { value: undefined, with: RECURRENCE },
  current_iteration: { before: RECURRENCE, value: 2 },
  current_iteration_start_date: { before: RECURRENCE, value: "2026-03-09T09:00:00Z" },
  response_sampling_start_date: { before: PLAN, value: "2999-02-01T00:00:00Z" },
  response_sampling_interval_type: { before: PLAN, value: "week" },
  response_sampling_interval: { before: PLAN, value: 2 },
  response_sampling_limit: { before: PLAN, value: 12 },
  response_sampling_daily_limits: { before: PLAN, value: undefined, with: { response_sampling_limit: 12 } },
  enable_partial_responses: { value: true },
} satisfies Record<Exclude<keyof Update, (typeof UNLOGGED)[number]>, Example>;

describe("activity", () => {
  it.each(Object.keys(surveyUpdate.shape).filter((field) => !UNLOGGED.some((name) => name === field)))(
    "tells of a change of %s",
    async (field) => {
      const example: Example | undefined = (EXAMPLES as Record<string, Example>)[field];
      if (!example) throw new Error(`${field} has no example`);
      const isComputed = ["iteration_start_dates", "response_sampling_daily_limits"].includes(field);
      const flag = example.value === "flag" && (await createFlag(service, `activity-${field}`, TARGETING));
      const { id } = await createSurvey(service, example.before);
      const value = isComputed ? {} : { [field]: flag || example.value };
      const { status, text } = await patch(id, { ...example.with, ...value });
      expect(status, text).toBe(200);
      const fields = (await entries(id))[0].detail.changes.map((change: { field: string }) => change.field);
      expect(fields).toContain(example.logged ?? field);
    },
  );

  const entries = async (id: string) => (await service.api("GET", `${ROOT}${id}/activity/`)).json.results;

  it("lists what was created, changed and deleted, newest first", async () => {
    const made = await createSurvey(service, { targeting_flag_filters: TARGETING });
    await patch(made.id, { description: "new", start_date: STARTED });
    await patch(made.id, { description: "new" });
    await patch(made.id, { remove_targeting_flag: true });
    const [removed, updated, created, ...others] = await entries(made.id);
    expect(others).toEqual([]);
    expect(created).toMatchObject({ activity: "created", scope: "Survey", item_id: made.id });
    expect(created.detail).toEqual({
      name: made.name,
      changes: null,
      trigger: null,
      short_id: null,
      type: null,
    });
    expect(updated.detail.changes).toEqual([
      { type: "Survey", action: "created", field: "description", before: "", after: "new" },
      { type: "Survey", action: "created", field: "start_date", before: null, after: STARTED },
    ]);
    expect(removed.detail.changes).toMatchObject([
      { action: "deleted", field: "targeting_flag", after: null },
    ]);
  });

  it("of a deleted survey stays in the list of all", async () => {
    const made = await createSurvey(service);
    await service.api("DELETE", `${ROOT}${made.id}/`);
    expect((await service.api("GET", `${ROOT}${made.id}/activity/`)).status).toBe(404);
    const { json } = await service.api("GET", `${ROOT}activity/?limit=1`);
    expect(json.results[0]).toMatchObject({ activity: "deleted", item_id: made.id });
    expect(json.next).toBe(`http://switchyard.test${ROOT}activity/?limit=1&page=2`);
  });
});
