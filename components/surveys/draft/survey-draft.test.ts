import { describe, expect, it } from "vitest";
import { changedFields, mergeChanges } from "#components/kit/editor/changes.ts";
import { surveyDifferences } from "#components/surveys/editing/differences.ts";
import { launchChecks } from "#components/surveys/launch-checks.ts";
import { checkPaths } from "#lib/engines/branching/paths.ts";
import type { SentQuestion } from "#lib/engines/branching/question.ts";
import { type SurveyWritten, surveyCreate } from "#lib/surveys/surveys/schema.ts";
import { asksEveryone, audienceFilters, placesInWords } from "./audience.ts";
import { draftOf } from "./draft.ts";
import { draftOfJson, jsonOf, membersLeftOut } from "./json-draft.ts";
import { languagesOf, languageWord } from "./languages.ts";
import { localText, momentOf } from "./moments.ts";
import { otherMembers } from "./other-members.ts";
import { placeOfError, problemsIn, problemsOf, resolverFor } from "./problems.ts";
import { statusOf } from "./status.ts";
import {
  bodyOf,
  copyOfSurvey,
  creationOf,
  draftOfBody,
  draftOfSurvey,
  newDraft,
  patchOf,
  readKept,
} from "./survey-draft.ts";
import { TEMPLATES } from "./templates.ts";

const PRO = { key: "plan", type: "person", operator: "exact", value: ["pro"] };

const flag = (id: number, filters: object) =>
  ({ id, key: `flag-${id}`, filters, active: true }) as unknown as SurveyWritten["linked_flag"];

const stored: SurveyWritten = {
  id: "0199aa10-7c01-7000-9d3e-2b1f00c0ffee",
  name: "Pulse",
  description: "",
  type: "popover",
  schedule: "once",
  linked_flag: flag(7, {}),
  targeting_flag: flag(8, {
    groups: [{ properties: [PRO], rollout_percentage: 50, note: "kept" }],
    other: 1,
  }),
  internal_targeting_flag: null,
  questions: [
    { id: "a", type: "open", question: "Why?", translations: { de: { question: "Warum?" } } },
    { id: "b", type: "open", question: "What else?" },
  ],
  conditions: {
    url: "/checkout",
    linkedFlagVariant: "test",
    actions: { values: [{ id: 3, name: "Paid" }] },
    future: 1,
  },
  appearance: { position: "left", unheardOf: true, surveyPopupDelaySeconds: 3 },
  created_at: "2026-01-01T00:00:00Z",
  created_by: null,
  start_date: null,
  end_date: null,
  archived: false,
  version: 1,
  responses_limit: null,
  iteration_count: 3,
  iteration_frequency_days: 30,
  iteration_start_dates: [],
  current_iteration: null,
  current_iteration_start_date: null,
  response_sampling_start_date: null,
  response_sampling_interval_type: "week",
  response_sampling_interval: null,
  response_sampling_limit: null,
  response_sampling_daily_limits: null,
  enable_partial_responses: false,
};
const before = bodyOf(draftOfSurvey(stored));
const put = (change: Partial<typeof before>) => patchOf(before, { ...before, ...change });

describe("a survey as a draft", () => {
  it("gives back everything that it was read from, what no editor knows included", () => {
    expect(before.questions).toEqual(stored.questions);
    expect(before.conditions).toEqual(stored.conditions);
    expect(before.appearance).toEqual(stored.appearance);
    expect(before.targeting_flag_filters).toEqual(stored.targeting_flag?.filters);
    expect(patchOf(before, before)).toEqual({});
  });

  it.each([
    {
      name: "the name: the conditions go along, or linked actions would be lost",
      change: { name: "New" },
      sent: ["conditions", "linked_flag_id", "name"],
    },
    {
      name: "the rounds: the days go along",
      change: { iteration_count: 4 },
      sent: ["conditions", "iteration_count", "iteration_frequency_days", "linked_flag_id"],
    },
    {
      name: "no audience any more",
      change: { targeting_flag_filters: null },
      sent: ["conditions", "linked_flag_id", "remove_targeting_flag"],
    },
    { name: "conditions without a variant", change: { conditions: { url: "/" } }, sent: ["conditions"] },
  ])("is updated by $name", ({ change, sent }) => {
    expect(Object.keys(put(change)).sort()).toEqual(sent);
  });

  it("leaves out what a page of its own cannot have", () => {
    const body = bodyOf({
      ...draftOfSurvey(stored),
      type: "external_survey",
    });
    expect(body).toMatchObject({
      linked_flag_id: null,
      targeting_flag_filters: null,
      conditions: { future: 1 },
      appearance: { position: "left", unheardOf: true },
    });
    expect(body.conditions).not.toHaveProperty("url");
    expect(body.appearance).not.toHaveProperty("surveyPopupDelaySeconds");
  });

  it("is copied without the ids that its answers hang on", () => {
    const copy = bodyOf(copyOfSurvey({ ...stored, end_date: "2026-02-01T00:00:00Z" }));
    expect(copy.name).toBe("Pulse (copy)");
    expect(copy.end_date).toBeNull();
    expect(copy.questions.every((question) => !("id" in question))).toBe(true);
  });

  it("merges what two people changed, field by field", () => {
    const theirs = { ...before, name: "Theirs", responses_limit: 10 };
    const mine = { ...before, responses_limit: 20 };
    expect(mergeChanges(before, theirs, mine)).toMatchObject({ name: "Theirs", responses_limit: 20 });
  });

  it("describes differences in words", () => {
    const [first, second] = before.questions;
    if (!first || !second) throw new Error("no questions");
    const after = {
      ...before,
      name: "New",
      questions: [second, { ...first, question: "Why not?" }, { type: "open" as const, question: "New?" }],
      conditions: { ...before.conditions, url: undefined },
    };
    expect(changedFields(before, after)).toEqual(["name", "questions", "conditions"]);
    expect(surveyDifferences(before, after).map((each) => [each.what, each.before, each.after])).toEqual([
      ["Name", "Pulse", "New"],
      ["Question 1", "at position 2", "at position 1"],
      ["Question 2", "at position 1", "at position 2"],
      ["Question 2: text", "Why?", "Why not?"],
      ["Question 3", null, "Open text: New?"],
      ["Condition: url", "/checkout", null],
    ]);
  });
});

describe("an edit that a browser kept", () => {
  const body = { ...before, questions: [{ type: "open" as const, question: "" }] };

  it("is read as it was, unfinished or not", () => {
    const kept = JSON.parse(JSON.stringify({ body, base: stored }));
    expect(readKept(kept, stored)).toEqual(kept);
    expect(bodyOf(draftOfBody(readKept(kept, stored)?.body ?? before))).toEqual(body);
    expect(readKept({ body, base: null }, null)).toEqual({ body, base: null });
  });

  it.each([
    ["nothing", null],
    ["another survey", { body, base: { ...stored, id: "other" } }],
    ["a new survey", { body, base: null }],
    ["fields that are missing", { body: { name: "x", questions: [] }, base: stored }],
    ["questions of another shape", { body: { ...body, questions: ["?"] }, base: stored }],
  ])("is left alone where it is of %s", (_, kept) => {
    expect(readKept(kept, stored)).toBeNull();
  });
});

describe("templates", () => {
  it.each(TEMPLATES)("$title can be launched as it stands", ({ name, type, questions, appearance }) => {
    const draft = newDraft({ name, type }, questions, appearance);
    expect(problemsOf(draft, null)).toEqual([]);
    expect(surveyCreate.safeParse(creationOf(bodyOf(draft))).error).toBeUndefined();
    const report = checkPaths(bodyOf(draft).questions);
    expect(report).toMatchObject({ every_path_ends: true, launchable: true, problems: [] });
  });
});

describe("problems", () => {
  const draft = { ...draftOfSurvey(stored), questions: draftOf([...(stored.questions ?? [])]) };

  it.each<{ question: SentQuestion; path: (string | number)[] }>([
    { question: { type: "open", question: " " }, path: ["raw", "question"] },
    { question: { type: "link", question: "?", link: "" }, path: ["raw", "link"] },
    { question: { type: "link", question: "?", link: "http://x.example" }, path: ["raw", "link"] },
    { question: { type: "single_choice", question: "?", choices: ["one"] }, path: ["choices", "root"] },
    { question: { type: "single_choice", question: "?", choices: ["a", ""] }, path: ["choices", 1, "text"] },
    {
      question: { type: "multiple_choice", question: "?", choices: ["a", "A "] },
      path: ["choices", 1, "text"],
    },
    {
      question: {
        type: "open",
        question: "?",
        validation: [
          { type: "min_length", value: 9 },
          { type: "max_length", value: 3 },
        ],
      },
      path: ["raw", "validation"],
    },
  ])("$path of $question.type", ({ question, path }) => {
    const problems = problemsOf({ ...draft, questions: draftOf([question]) }, null);
    expect(problems.map((problem) => problem.path)).toEqual([["questions", 0, ...path]]);
  });

  it.each([
    { error: { attr: "name", detail: "Too long." }, path: ["name"] },
    {
      error: { attr: "questions", detail: "Question choices cannot be empty. (question 2)" },
      path: ["questions", 1, "choices", "root"],
    },
    {
      error: {
        attr: "questions",
        detail: "Answers can lead around for ever.",
        extra: { path: ["questions", 1, "branching"] },
      },
      path: ["questions", 1, "branching"],
    },
    {
      error: { attr: "targeting_flag_filters", detail: "No.", extra: { path: ["groups", 0] } },
      path: ["targeting_flag_filters", "groups", 0],
    },
    { error: { attr: "response_sampling_interval", detail: "No." }, path: ["response_sampling_interval"] },
    {
      error: { attr: null, detail: "There is already a survey with this name." },
      path: ["name"],
    },
    { error: { attr: null, detail: "The linked feature flag does not exist." }, path: ["root"] },
  ])("of the service at $error.attr", ({ error, path }) => {
    expect(placeOfError(error)).toEqual({ path, message: error.detail });
  });

  it.each([
    {
      name: "a request that the API's schema refuses",
      change: { iteration_count: 501 },
      path: ["iteration_count"],
    },
    {
      name: "an appearance that it refuses",
      change: { appearance: { surveyPopupDelaySeconds: -1 } },
      path: ["appearance"],
    },
    { name: "no name", change: { name: " " }, path: ["name"] },
  ])("$name are errors of the form", async ({ change, path }) => {
    const resolve = resolverFor(before);
    const { errors } = await resolve({ ...draft, ...change }, undefined, {
      fields: {},
      shouldUseNativeValidation: false,
    });
    expect(problemsIn(errors).map((problem) => problem.path)).toEqual([path]);
  });

  it("do not concern what is stored already and not changed", () => {
    const old = draftOfSurvey({ ...stored, iteration_count: 501 });
    expect(problemsOf({ ...old, description: "New" }, bodyOf(old))).toEqual([]);
  });
});

describe("the survey as JSON", () => {
  const draft = draftOfSurvey(stored);

  it("is read back as it is written", () => {
    const read = draftOfJson(jsonOf(draft), draft);
    expect(read.draft && bodyOf(read.draft)).toEqual(before);
  });

  it.each([
    { text: "{", path: [] },
    { text: "[]", path: [] },
    { text: `{"questions":[{"question":"a"},{"question":""}]}`, path: ["questions", 1] },
    { text: `{"iteration_count":501}`, path: ["iteration_count"] },
    { text: `{"appearance":{"surveyPopupDelaySeconds":-1}}`, path: ["appearance"] },
    { text: `{"targeting_flag_filters":{}}`, path: ["targeting_flag_filters"] },
  ])("is refused with its place: $text", ({ text, path }) => {
    expect(draftOfJson(text, draft)).toMatchObject({ draft: null, problem: { path } });
  });
});

describe("the audience", () => {
  it("is counted by the targeting, the linked flag and who was not asked yet", () => {
    const body = { ...before, iteration_count: null };
    expect(audienceFilters(body, "id").groups).toEqual([
      {
        properties: [
          PRO,
          { key: "7", type: "flag", operator: "flag_evaluates_to", value: "test" },
          { key: "$survey_responded/id", type: "person", operator: "is_not_set", value: "is_not_set" },
          { key: "$survey_dismissed/id", type: "person", operator: "is_not_set", value: "is_not_set" },
        ],
        rollout_percentage: 50,
        note: "kept",
      },
    ]);
  });

  it("is everybody where nothing is said", () => {
    const body = { ...before, linked_flag_id: null, targeting_flag_filters: null, conditions: null };
    expect(asksEveryone(body)).toBe(true);
    expect(audienceFilters(body, null)).toEqual({ groups: [{ properties: [], rollout_percentage: 100 }] });
  });

  it("is narrowed by places in words", () => {
    expect(
      placesInWords({
        url: "/a",
        selector: ".b",
        deviceTypes: ["Mobile"],
        deviceTypesMatchType: "not_icontains",
        events: {
          values: [
            { name: "paid", propertyFilters: { amount: { operator: "gt", values: ["100"] } } },
            { name: "left" },
          ],
        },
        cancelEvents: { values: [{ name: "closed" }] },
        actions: { values: [{ id: 7 }] },
        seenSurveyWaitPeriodInDays: 7,
      }),
    ).toEqual([
      "on pages whose address contains “/a”",
      "where “.b” is on the page",
      "not on Mobile",
      "after paid where amount is more than 100 or left",
      "after the action Action 7",
      "unless closed happens first",
      "7 days after their last survey at the earliest",
    ]);
  });
});

it("a JSON text lists its members that are not applied", () => {
  const draft = draftOfSurvey(stored);
  expect(membersLeftOut(jsonOf(draft), draft)).toEqual([]);
  const more = JSON.stringify({ ...JSON.parse(jsonOf(draft)), start_date: null, future: 1 });
  expect(membersLeftOut(more, draft)).toEqual(["start_date", "future"]);
  expect(membersLeftOut("{", draft)).toEqual([]);
});

it("a member that is missing in a JSON text stays as it was; null empties it", () => {
  const draft = draftOfSurvey(stored);
  const read = (json: object) => draftOfJson(JSON.stringify(json), draft).draft;
  expect(bodyOf(read({ name: "Only this" }) ?? draft)).toEqual({ ...before, name: "Only this" });
  const emptied = read({ questions: null, targeting_flag_filters: null, conditions: null });
  expect(emptied).toMatchObject({ questions: [], targeting_flag_filters: null, conditions: null });
});

it("members without a control are listed", () => {
  expect(otherMembers("conditions", stored.conditions)).toEqual(["future"]);
  expect(
    otherMembers("appearance", { ...stored.appearance, ratingButtonHoverColor: "red", gone: null }),
  ).toEqual(["unheardOf", "ratingButtonHoverColor"]);
  expect(otherMembers("appearance", null)).toEqual([]);
});

it("languages are found wherever texts are translated", () => {
  const draft = draftOfSurvey({ ...stored, appearance: { translations: { FR: {}, "x!": {} } } });
  expect(languagesOf(draft).map(languageWord)).toEqual(["German (de)", "French (fr)", "x!"]);
  expect(languagesOf({ questions: [], appearance: null })).toEqual([]);
});

describe("the launch checklist", () => {
  const NOW = Date.parse("2026-03-01T00:00:00Z");
  const linked = stored.linked_flag;
  const levelsOf = (change: Partial<typeof before>, end: string | null = null, flag = linked) => {
    const body = { ...before, ...change };
    const checks = launchChecks(body, checkPaths(body.questions), NOW, end, flag);
    return Object.fromEntries(checks.map((check) => [check.title, check.level]));
  };

  it.each([
    { name: "no questions", change: { questions: [] }, title: "There are no questions", level: "error" },
    {
      name: "a loop",
      change: {
        questions: [
          { question: "a", type: "open" as const, branching: { type: "specific_question", index: 0 } },
        ],
      },
      title: "The flow has an error",
      level: "error",
    },
    { name: "a sound flow", change: {}, title: "Every path ends", level: "good" },
    {
      name: "everybody",
      change: { targeting_flag_filters: null, linked_flag_id: null },
      title: "Everybody is asked",
      level: "warning",
    },
    { name: "no end", change: { iteration_count: null }, title: "It has no end", level: "warning" },
    {
      name: "a limit",
      change: { iteration_count: null, responses_limit: 5 },
      title: "It ends automatically",
      level: "good",
    },
    {
      name: "two questions with one id",
      change: {
        questions: [
          { id: "x", question: "a" },
          { id: "x", question: "b" },
        ],
      },
      title: "Two questions share an id",
      level: "warning",
    },
    {
      name: "HTML",
      change: { questions: [{ question: "a", descriptionContentType: "html" }] },
      title: "It contains HTML",
      level: "note",
    },
    {
      name: "faint text",
      change: { appearance: { textSubtleColor: "#eee" } },
      title: "Some text is hard to read",
      level: "warning",
    },
    {
      name: "a widget that nothing opens",
      change: { type: "widget" as const, appearance: { widgetType: "selector" } },
      title: "Nothing opens it",
      level: "warning",
    },
    {
      name: "actions without steps",
      change: { conditions: { actions: { values: [{ id: 3, name: "Paid", steps: [] }] } } },
      title: "Its trigger never happens",
      level: "warning",
    },
    {
      name: "an event that must carry no value at all",
      change: {
        conditions: {
          events: {
            values: [{ name: "paid", propertyFilters: { plan: { operator: "exact", values: [] } } }],
          },
        },
      },
      title: "An event can never match",
      level: "warning",
    },
  ])("$name", ({ change, title, level }) => {
    expect(levelsOf(change)).toMatchObject({ [title]: level });
  });

  it.each([
    { flag: linked && { ...linked, active: false }, title: "The linked flag is off" },
    { flag: linked && { ...linked, deleted: true }, title: "The linked flag was deleted" },
    { flag: null, title: "The linked flag was deleted" },
  ])("$title", ({ flag, title }) => {
    expect(levelsOf({}, null, flag)).toMatchObject({ [title]: "warning" });
    expect(levelsOf({ linked_flag_id: null }, null, flag)).not.toHaveProperty([title]);
  });

  it("says nothing of what opens, links and triggers where all of it can happen", () => {
    const conditions = {
      events: { values: [{ name: "paid", propertyFilters: { amount: { operator: "gt", values: ["5"] } } }] },
      actions: { values: [{ id: 3, name: "Paid" }] },
    };
    const titles = Object.keys(levelsOf({ type: "widget", appearance: { widgetType: "tab" }, conditions }));
    for (const title of ["Nothing opens it", "Its trigger never happens", "An event can never match"])
      expect(titles).not.toContain(title);
  });

  it("refuses an end before the start", () => {
    expect(levelsOf({}, "2026-02-01T00:00:00Z")).toMatchObject({
      "The end must be after the start": "error",
    });
  });
});

describe("dates", () => {
  it("go through a box for date and time and back", () => {
    const moment = "2026-03-02T09:30:00Z";
    expect(momentOf(localText(moment))).toBe(moment);
    expect([momentOf(""), localText(null), localText("junk")]).toEqual([null, "", ""]);
  });

  it.each([
    { start: null, end: null, archived: false, status: "draft" },
    { start: "2026-01-01T00:00:00Z", end: null, archived: false, status: "running" },
    { start: "2027-01-01T00:00:00Z", end: null, archived: false, status: "scheduled" },
    { start: "2026-01-01T00:00:00Z", end: "2026-02-01T00:00:00Z", archived: false, status: "complete" },
    { start: "2026-01-01T00:00:00Z", end: "2027-02-01T00:00:00Z", archived: false, status: "running" },
    { start: "2026-01-01T00:00:00Z", end: null, archived: true, status: "archived" },
  ])("$start to $end is $status", ({ start, end, archived, status }) => {
    const now = Date.parse("2026-03-01T00:00:00Z");
    expect(statusOf({ start_date: start, end_date: end, archived }, now)).toBe(status);
  });
});
