import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventsOf, type HostedPage, launch, post, visit } from "#testing/hosted-surveys.ts";
import { type Service, startService } from "#testing/service.ts";
import { createSurvey, ROOT } from "#testing/surveys.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const rating = { type: "rating", display: "number", scale: 10, question: "How likely?" };
const single = {
  type: "single_choice",
  question: "Why?",
  choices: ["Price", "Support", "Other"],
  hasOpenChoice: true,
};
const multiple = { ...single, type: "multiple_choice", question: "Which?" };
const open = { type: "open", question: "What else?" };
const link = { type: "link", question: "Read on", link: "https://example.com/more" };

const sentOf = async (id: string) =>
  (await eventsOf(service, id)).filter(({ event }) => event === "survey sent");

describe("a survey at its own address", () => {
  it("is answered a question a page, and leaves the events that SDKs leave", async () => {
    const survey = await launch(service, [rating, single, multiple, link, { ...open, optional: true }]);
    let page = await visit(service, survey.id, "?distinct_id=ada&plan=pro&seats=12&beta=true&zip=01234");
    const headings = [page.heading];
    for (const fields of [
      { answer: "9" },
      { answer: "2", other: " The team " },
      { answer: ["0", "2"], other: "Colours" },
      {},
      { answer: "  " },
    ]) {
      page = await page.send(fields);
      headings.push(page.heading);
    }
    expect(headings).toEqual([
      "How likely?",
      "Why?",
      "Which?",
      "Read on",
      "What else?",
      "Thank you for your feedback!",
    ]);
    const [shown, sent, ...more] = await eventsOf(service, survey.id);
    expect(more).toEqual([]);
    const common = {
      $survey_id: survey.id,
      $survey_name: survey.name,
      $survey_iteration: null,
      $current_url: `http://switchyard.test/external_surveys/${survey.id}/`,
      plan: "pro",
      seats: 12,
      beta: true,
      zip: "01234",
    };
    expect(shown).toMatchObject({ event: "survey shown", distinct_id: "ada", properties: common });
    const responses = [9, "The team", ["Price", "Colours"], "link clicked", ""];
    const ids: string[] = survey.questions.map(({ id }: { id: string }) => id);
    expect(sent).toMatchObject({
      event: "survey sent",
      distinct_id: "ada",
      properties: {
        ...common,
        $survey_completed: true,
        $survey_submission_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        $survey_response: 9,
        $survey_response_2: ["Price", "Colours"],
        ...Object.fromEntries(ids.map((id, index) => [`$survey_response_${id}`, responses[index]])),
        $survey_questions: survey.questions.map(
          ({ id, question }: { id: string; question: string }, i: number) => ({
            id,
            question,
            response: responses[i],
          }),
        ),
        $set: { [`$survey_responded/${survey.id}`]: true },
      },
    });
    const { stats, rates } = (await service.api("GET", `${ROOT}${survey.id}/stats/`)).json;
    expect(stats["survey shown"]).toMatchObject({ total_count: 1, unique_persons: 1 });
    expect(stats["survey sent"]).toMatchObject({ total_count: 1, unique_persons: 1 });
    expect(rates).toMatchObject({ response_rate: 100, dismissal_rate: 0 });
  });

  it("is one response, however often a form is sent", async () => {
    const survey = await launch(service, [rating, open], { enable_partial_responses: true });
    const first = await visit(service, survey.id);
    const [second] = await Promise.all([first.send({ answer: "3" }), first.send({ answer: "3" })]);
    await Promise.all([1, 2, 3].map(() => second.send({ answer: "Because" })));
    expect((await sentOf(survey.id)).map(({ properties }) => properties.$survey_completed)).toEqual([
      false,
      true,
    ]);
    // Somebody goes back in the browser and thinks again.
    await (await first.send({ answer: "8" })).send({ answer: "On reflection" });
    const { stats } = (await service.api("GET", `${ROOT}${survey.id}/stats/`)).json;
    expect(stats["survey sent"]).toMatchObject({ total_count: 1, unique_persons: 1 });
    const last = (await sentOf(survey.id)).at(-1);
    expect(last?.properties).toMatchObject({ $survey_response: 8, $survey_response_1: "On reflection" });
  });

  it("sends what was answered so far only where the survey says so", async () => {
    const [partial, whole] = [
      await launch(service, [rating, open], { enable_partial_responses: true }),
      await launch(service, [rating, open]),
    ];
    for (const { id } of [partial, whole]) await (await visit(service, id)).send({ answer: "2" });
    expect(await sentOf(whole.id)).toEqual([]);
    const [sent] = await sentOf(partial.id);
    expect(sent?.properties).toMatchObject({ $survey_completed: false, $survey_response: 2 });
    expect(sent?.properties).not.toHaveProperty("$survey_response_1");
  });

  it("follows branching, and sends only the answers of the path taken", async () => {
    const branching = {
      type: "response_based",
      responseValues: { detractors: 1, passives: "end", promoters: 2 },
    };
    const survey = await launch(
      service,
      [{ ...rating, branching }, { ...open, question: "What went wrong?", branching: { type: "end" } }, open],
      { appearance: { allowGoBack: true } },
    );
    const start = await visit(service, survey.id);
    expect((await start.send({ answer: "7" })).heading).toBe("Thank you for your feedback!");
    expect((await start.send({ answer: "9" })).heading).toBe("What else?");
    const why = await start.send({ answer: "2" });
    expect(why.heading).toBe("What went wrong?");
    const again = await why.send({ action: "back", answer: "never mind" });
    expect(again.heading).toBe("How likely?");
    expect(again.html).toMatch(/value="2" checked/);
    const happy = await again.send({ answer: "10" });
    expect((await happy.send({ answer: "Nothing" })).heading).toBe("Thank you for your feedback!");
    const last = (await sentOf(survey.id)).at(-1)?.properties;
    expect(last).toMatchObject({ $survey_response: 10, $survey_response_2: "Nothing" });
    expect(last).not.toHaveProperty("$survey_response_1");
  });

  it("goes on where a rule does not fit a skipped answer", async () => {
    const branching = { type: "response_based", responseValues: { detractors: "end" } };
    const survey = await launch(service, [{ ...rating, optional: true, branching }, open]);
    expect((await (await visit(service, survey.id)).send({})).heading).toBe("What else?");
  });

  it("begins with a page of its own where the survey has one", async () => {
    const appearance = {
      displayIntroScreen: true,
      introScreenHeader: "Two minutes",
      introScreenButtonText: "Go",
    };
    const survey = await launch(service, [open], { appearance, enable_partial_responses: true });
    const intro = await visit(service, survey.id);
    expect(intro.heading).toBe("Two minutes");
    expect((await intro.send({ action: "start" })).heading).toBe("What else?");
    expect(await sentOf(survey.id)).toEqual([]);
  });

  it("goes on after somebody has edited it", async () => {
    const survey = await launch(service, [rating, open]);
    const second = await (await visit(service, survey.id)).send({ answer: "5" });
    const [first, other] = survey.questions;
    const added = { type: "open", question: "New" };
    await service.api("PATCH", `${ROOT}${survey.id}/`, { questions: [added, other, first] });
    expect((await second.send({ answer: "Fine" })).heading).toBe("How likely?");
    await service.api("PATCH", `${ROOT}${survey.id}/`, { questions: [first] });
    expect((await second.send({ answer: "Fine" })).heading).toBe("Thank you for your feedback!");
  });

  it("mixes choices, the same way for one person and with the open one last", async () => {
    const choices = ["a", "b", "c", "d", "e", "f", "Other"];
    const survey = await launch(service, [{ ...single, choices, shuffleOptions: true }]);
    const orderOf = ({ html }: HostedPage) =>
      [...html.matchAll(/dir="auto">(\w+)<\/label>/g)].map(([, c]) => c);
    const orders = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const page = await visit(service, survey.id);
        expect(orderOf(await page.send({}))).toEqual(orderOf(page));
        return orderOf(page);
      }),
    );
    for (const order of orders) {
      expect([...order].sort()).toEqual([...choices].sort());
      expect(order.at(-1)).toBe("Other");
    }
    expect(new Set(orders.map(String)).size).toBeGreaterThan(1);
  });
});

describe("what is wrong with an answer is said beside it", () => {
  it.each([
    { question: open, fields: { answer: "  " }, says: "Please write an answer." },
    { question: rating, fields: {}, says: "Please choose an answer." },
    { question: rating, fields: { answer: "11" }, says: "Please choose an answer." },
    { question: { ...rating, optional: true }, fields: { answer: "x" }, says: "Please choose an answer." },
    { question: single, fields: { answer: "7" }, says: "Please choose an answer." },
    { question: single, fields: { answer: "2", other: " " }, says: "Please write your own answer." },
    { question: multiple, fields: {}, says: "Please choose at least one answer." },
    {
      question: { ...open, validation: [{ type: "min_length", value: 5 }] },
      fields: { answer: "four" },
      says: "Please write at least 5 characters.",
    },
    {
      question: { ...open, validation: [{ type: "max_length", value: 3, errorMessage: "Keep it short" }] },
      fields: { answer: "four" },
      says: "Keep it short",
    },
    {
      question: { ...open, validation: [{ type: "email" }] },
      fields: { answer: "ada" },
      says: "Please write an email address, such as name@example.com.",
    },
    {
      question: open,
      fields: { answer: "x".repeat(10_001) },
      says: "Please write at most 10000 characters.",
    },
  ])("$question.type, $fields: $says", async ({ question, fields, says }) => {
    const survey = await launch(service, [question]);
    const again = await (await visit(service, survey.id)).send(fields);
    expect([again.status, again.heading, again.problem]).toEqual([422, question.question, says]);
    expect(again.html).toContain('role="alert"');
    expect(again.html).toContain('aria-invalid="true"');
    expect(await sentOf(survey.id)).toEqual([]);
  });

  it("keeps what was written", async () => {
    const survey = await launch(service, [{ ...open, validation: [{ type: "min_length", value: 50 }] }]);
    const again = await (await visit(service, survey.id)).send({ answer: '<b>"short"\r\n& sweet' });
    expect(again.html).toContain("&lt;b&gt;&quot;short&quot;\r\n&amp; sweet</textarea>");
  });
});

describe("an address may suggest answers", () => {
  it.each([
    { query: "?q0=7", question: rating, checked: ["7"] },
    { query: "?q0=11", question: rating, checked: [] },
    { query: "?q0=1", question: single, checked: ["1"] },
    { query: "?q0=2", question: single, checked: [] },
    { query: "?q0=0&q0=1&q0=9&q0=x", question: multiple, checked: ["0", "1"] },
    { query: "?q1=1&q0=", question: single, checked: [] },
  ])("$question.type $query", async ({ query, question, checked }) => {
    const survey = await launch(service, [question]);
    const { html } = await visit(service, survey.id, query);
    expect([...html.matchAll(/value="(\d+)" checked/g)].map(([, value]) => value)).toEqual(checked);
    expect(await sentOf(survey.id)).toEqual([]);
  });

  it("keeps suggestions for later questions", async () => {
    const survey = await launch(service, [open, rating]);
    const second = await (await visit(service, survey.id, "?q1=4")).send({ answer: "Hello" });
    expect(second.html).toMatch(/value="4" checked/);
  });

  it("takes no more from the address than events should carry", async () => {
    const survey = await launch(service, [open]);
    const many = Array.from({ length: 80 }, (_, i) => `p${i}=${i}`).join("&");
    const query = `?$survey_id=forged&$set=x&__proto__=1&${"n".repeat(101)}=1&long=${"x".repeat(900)}&${many}`;
    await visit(service, survey.id, query);
    const [shown] = await eventsOf(service, survey.id);
    const own = Object.keys(shown?.properties ?? {}).filter((name) => /^(p\d+|long|n+)$/.test(name));
    expect(own.length).toBeLessThanOrEqual(50);
    expect(own).not.toContain("n".repeat(101));
    expect(shown?.properties).toMatchObject({ $survey_id: survey.id, long: "x".repeat(500), p3: 3 });
  });

  it("gives everybody without a name a name of their own", async () => {
    const survey = await launch(service, [open]);
    for (const query of ["", "?distinct_id=", `?distinct_id=${"x".repeat(401)}`])
      await visit(service, survey.id, query);
    const ids = (await eventsOf(service, survey.id)).map(({ distinct_id }) => distinct_id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("people who open a survey that accepts no answers", () => {
  const soon = () => new Date(Date.now() + 3_600_000).toISOString();
  const past = "2026-02-01T00:00:00Z";
  it.each([
    ["a bad id", async () => "not-a-uuid", 400, "There is no survey here"],
    ["an unknown id", async () => "0199aa10-7c01-7000-9d3e-2b1f00c0ffee", 404, "There is no survey here"],
    [
      "a draft",
      async () => (await launch(service, [open], { start_date: null })).id,
      404,
      "There is no survey here",
    ],
    [
      "a scheduled one",
      async () => (await launch(service, [open], { start_date: soon() })).id,
      404,
      "There is no survey here",
    ],
    [
      "a popover",
      async () => (await launch(service, [open], { type: "popover" })).id,
      404,
      "There is no survey here",
    ],
    [
      "an archived one",
      async () => (await launch(service, [open], { archived: true })).id,
      404,
      "There is no survey here",
    ],
    [
      "a stopped one",
      async () => (await launch(service, [open], { end_date: past })).id,
      404,
      "This survey is closed",
    ],
    ["one without questions", async () => (await launch(service, [])).id, 404, "This survey is closed"],
  ])("%s", async (_, idOf, status, heading) => {
    const page = await visit(service, await idOf());
    expect([page.status, page.heading, page.state]).toEqual([status, heading, null]);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  });

  it("takes answers until a date that lies ahead", async () => {
    const survey = await launch(service, [open], { end_date: soon() });
    expect((await visit(service, survey.id)).status).toBe(200);
  });

  it("takes no answer after it was stopped", async () => {
    const survey = await launch(service, [open]);
    const page = await visit(service, survey.id);
    await service.api("PATCH", `${ROOT}${survey.id}/`, { end_date: past });
    const late = await page.send({ answer: "Too late" });
    expect([late.status, late.heading]).toEqual([404, "This survey is closed"]);
    expect(await sentOf(survey.id)).toEqual([]);
  });
});

describe("limits", () => {
  it("hold: whoever comes after the last response finds the survey closed", async () => {
    const survey = await launch(service, [open], { responses_limit: 2 });
    const pages = await Promise.all([1, 2, 3].map(() => visit(service, survey.id)));
    const ends = [];
    for (const page of pages) ends.push((await page.send({ answer: "Here" })).heading);
    expect(ends).toEqual([
      "Thank you for your feedback!",
      "Thank you for your feedback!",
      "This survey is closed",
    ]);
    const late = await visit(service, survey.id);
    expect([late.status, late.heading]).toEqual([404, "This survey is closed"]);
    expect(await sentOf(survey.id)).toHaveLength(2);
  });

  it("hold when everybody answers at the same moment", async () => {
    const survey = await launch(service, [open], { responses_limit: 3 });
    const pages = await Promise.all(Array.from({ length: 8 }, () => visit(service, survey.id)));
    const ends = await Promise.all(pages.map((page) => page.send({ answer: "Now" })));
    expect(ends.map((page) => page.status).sort()).toEqual([200, 200, 200, 404, 404, 404, 404, 404]);
    const sent = (await eventsOf(service, survey.id)).filter(({ event }) => event === "survey sent");
    expect(sent).toHaveLength(3);
  });

  it("let whoever was counted finish, and send a form twice", async () => {
    const survey = await launch(service, [rating, single, open], {
      responses_limit: 1,
      enable_partial_responses: true,
    });
    const [counted, other] = [await visit(service, survey.id), await visit(service, survey.id)];
    const second = await counted.send({ answer: "3" });
    expect(second.heading).toBe("Why?");
    expect((await counted.send({ answer: "3" })).heading).toBe("Why?");
    expect((await other.send({ answer: "3" })).heading).toBe("This survey is closed");
    await service.api("PATCH", `${ROOT}${survey.id}/`, { end_date: "2026-02-01T00:00:00Z" });
    const third = await second.send({ answer: "0" });
    for (const _ of [1, 2])
      expect((await third.send({ answer: "Done" })).heading).toBe("Thank you for your feedback!");
    const { stats } = (await service.api("GET", `${ROOT}${survey.id}/stats/`)).json;
    expect(stats["survey sent"].total_count).toBe(1);
  });

  it("of a day's sampling keep out whom the plan does not invite", async () => {
    const today = new Date().toISOString();
    const survey = await launch(service, [open], {
      response_sampling_start_date: today,
      response_sampling_interval_type: "day",
      response_sampling_interval: 10,
      response_sampling_limit: 100,
    });
    const row = (await service.runtime.surveys.project(1)).find(({ id }) => id === survey.id);
    const flagId = row?.internal_response_sampling_flag_id;
    const rollTo = (rollout_percentage: number) =>
      service.api("PATCH", `/api/projects/1/feature_flags/${flagId}/`, {
        filters: { groups: [{ properties: [], rollout_percentage }] },
      });
    await rollTo(0);
    const refused = await visit(service, survey.id, "?distinct_id=ada");
    expect([refused.status, refused.heading]).toEqual([404, "This survey is asking other people today"]);
    expect(await eventsOf(service, survey.id)).toEqual([]);
    await rollTo(100);
    expect((await visit(service, survey.id, "?distinct_id=ada")).status).toBe(200);
  });
});

describe("nobody is asked twice", () => {
  const answered = [200, "You have already answered this survey"];
  const seen = (page: HostedPage) => [page.status, page.heading];
  const answerAs = async (id: string, query: string, init?: RequestInit) =>
    (await visit(service, id, query, init)).send({ answer: "Here" });

  it("under one name, also where the second form was opened before the first was sent", async () => {
    const survey = await launch(service, [open]);
    const early = await visit(service, survey.id, "?distinct_id=ada");
    await answerAs(survey.id, "?distinct_id=ada");
    expect(seen(await visit(service, survey.id, "?distinct_id=ada"))).toEqual(answered);
    expect(seen(await early.send({ answer: "Again" }))).toEqual(answered);
    expect((await visit(service, survey.id, "?distinct_id=bob")).status).toBe(200);
    expect(await sentOf(survey.id)).toHaveLength(1);
  });

  it("in one browser, which keeps no more than that it has answered", async () => {
    const survey = await launch(service, [open]);
    const { headers } = await answerAs(survey.id, "");
    const cookie = headers.get("set-cookie") ?? "";
    expect(cookie).toBe(
      `answered=0; Path=/external_surveys/${survey.id}/; Max-Age=31536000; HttpOnly; SameSite=Lax`,
    );
    const again = { headers: { cookie: "other=1; answered=0" } };
    expect(seen(await visit(service, survey.id, "", again))).toEqual(answered);
  });

  it("until the next iteration begins", async () => {
    const survey = await launch(service, [open], { iteration_count: 3, iteration_frequency_days: 30 });
    const { current_iteration } = (await service.api("GET", `${ROOT}${survey.id}/`)).json;
    const { headers } = await answerAs(survey.id, "?distinct_id=eve");
    expect(headers.get("set-cookie")).toContain(`answered=${current_iteration};`);
    expect(seen(await visit(service, survey.id, "?distinct_id=eve"))).toEqual(answered);
    const before = { headers: { cookie: `answered=${current_iteration - 1}` } };
    expect((await visit(service, survey.id, "", before)).status).toBe(200);
  });

  it("but who has only begun may finish later, and a survey that asks always asks again", async () => {
    const [partial, always] = [
      await launch(service, [rating, open], { enable_partial_responses: true }),
      await launch(service, [open], { schedule: "always" }),
    ];
    await (await visit(service, partial.id, "?distinct_id=ada")).send({ answer: "5" });
    expect((await visit(service, partial.id, "?distinct_id=ada")).heading).toBe("How likely?");
    for (const _ of [1, 2]) {
      const end = await answerAs(always.id, "?distinct_id=ada");
      expect(end.heading).toBe("Thank you for your feedback!");
      expect(end.headers.get("set-cookie")).not.toContain("answered");
    }
    expect(await sentOf(always.id)).toHaveLength(2);
  });
});

describe("whoever opens the page again during a visit", () => {
  /** A browser: it keeps the cookies of a survey. */
  function browser(id: string) {
    let kept = "";
    return async (query = "", headers: Record<string, string> = {}) => {
      const page = await visit(service, id, query, { headers: { ...headers, cookie: kept } });
      const keep = (page: HostedPage) => {
        const [, value] = /^(shown=[^;]*);/.exec(page.headers.get("set-cookie") ?? "") ?? [];
        if (value !== undefined) kept = value;
        return page;
      };
      keep(page);
      return { ...page, send: async (fields = {}) => keep(await page.send(fields)) };
    };
  }
  const shownOf = async (id: string) =>
    (await eventsOf(service, id)).filter(({ event }) => event === "survey shown");

  it("was shown it once, and answers as the same person", async () => {
    const survey = await launch(service, [open]);
    const opening = browser(survey.id);
    await opening();
    await opening();
    await (await opening("?utm_source=mail")).send({ answer: "Here" });
    const [shown, ...others] = await shownOf(survey.id);
    expect(others).toEqual([]);
    expect((await sentOf(survey.id)).map(({ distinct_id }) => distinct_id)).toEqual([shown?.distinct_id]);
    const { json } = await service.api("GET", `${ROOT}${survey.id}/stats/`);
    expect(json.stats["survey shown"]).toMatchObject({ total_count: 1, total_count_only_seen: 0 });
    expect(json.rates.response_rate).toBe(100);
  });

  it("is somebody else under another name, with a name of any form", async () => {
    const survey = await launch(service, [open]);
    const opening = browser(survey.id);
    for (const name of ["ada", "ada", "bob=;, %41\u00e4", "bob=;, %41\u00e4", "ada"])
      await opening(`?distinct_id=${encodeURIComponent(name)}`);
    expect((await shownOf(survey.id)).map(({ distinct_id }) => distinct_id)).toEqual([
      "ada",
      "bob=;, %41\u00e4",
      "ada",
    ]);
  });

  it("is shown it again after an answer to a survey that asks always", async () => {
    const survey = await launch(service, [open], { schedule: "always" });
    const opening = browser(survey.id);
    for (const _ of [1, 2]) await (await opening()).send({ answer: "Here" });
    expect([await shownOf(survey.id), await sentOf(survey.id)]).toMatchObject([{ length: 2 }, { length: 2 }]);
  });

  it("is shown the next iteration, and what no page wrote means nothing", async () => {
    const survey = await launch(service, [open], { iteration_count: 3, iteration_frequency_days: 30 });
    const { current_iteration } = (await service.api("GET", `${ROOT}${survey.id}/`)).json;
    const known = [
      `${current_iteration - 1}.ada`,
      "x.ada",
      `${current_iteration}.`,
      `${current_iteration}.%00`,
    ];
    for (const value of [...known, `${current_iteration}.${"a".repeat(401)}`])
      await visit(service, survey.id, "", { headers: { cookie: `shown=${value}` } });
    const people = (await shownOf(survey.id)).map(({ distinct_id }) => distinct_id);
    expect(new Set(people).size).toBe(5);
    expect(people).not.toContain("ada");
  });

  it("leaves robots and previews without a cookie", async () => {
    const survey = await launch(service, [open]);
    const robot = await visit(service, survey.id, "", { headers: { "user-agent": "Googlebot/2.1" } });
    expect(robot.headers.get("set-cookie")).toBeNull();
    const { path } = (await service.api("GET", `${ROOT}${survey.id}/preview/`)).json;
    const preview = await visit(service, survey.id, path.slice(path.indexOf("?")));
    expect(preview.headers.get("set-cookie")).toBeNull();
    expect(await eventsOf(service, survey.id)).toEqual([]);
  });
});

describe("a preview", () => {
  const previewOf = async (id: string) => {
    const { json } = await service.api("GET", `${ROOT}${id}/preview/`);
    return new URL(json.path, "http://switchyard.test").search;
  };

  it.each([
    ["a draft", { start_date: null }],
    ["a running survey", { enable_partial_responses: true }],
    ["a full one", { responses_limit: 1 }],
    ["a stopped one", { end_date: "2026-02-01T00:00:00Z" }],
    ["an archived one", { archived: true }],
  ])("of %s can be answered to its end, again and again, and is never counted", async (_, fields) => {
    const survey = await launch(service, [rating, open], fields);
    const query = await previewOf(survey.id);
    for (const _ of [1, 2]) {
      const first = await visit(service, survey.id, `${query}&distinct_id=ada`);
      expect(first.html).toContain("Preview: nothing is recorded here.");
      const end = await (await first.send({ answer: "5" })).send({ answer: "Well" });
      expect([end.status, end.heading]).toEqual([200, "Thank you for your feedback!"]);
      expect(end.html).toContain(`href="/external_surveys/${survey.id}/${query}"`);
      expect(end.headers.get("set-cookie")).toBeNull();
    }
    expect(await eventsOf(service, survey.id)).toEqual([]);
  });

  it("is only at its own address", async () => {
    const [one, other] = [
      await launch(service, [open], { start_date: null }),
      await launch(service, [open], { start_date: null }),
    ];
    const query = await previewOf(other.id);
    for (const wrong of [query, "?preview=1", "?preview=", ""])
      expect((await visit(service, one.id, wrong)).status).toBe(404);
    const popover = await launch(service, [open], { type: "popover" });
    expect((await visit(service, popover.id, await previewOf(popover.id))).status).toBe(404);
    const running = await launch(service, [open]);
    expect((await visit(service, running.id, "?preview=1")).html).not.toContain("Preview:");
  });

  it("has its address only for members", async () => {
    const survey = await launch(service, [open]);
    const path = `${ROOT}${survey.id}/preview/`;
    expect((await service.handle(new Request(`http://switchyard.test${path}`))).status).toBe(401);
  });
});

describe("forms that the page did not make", () => {
  it.each([
    ["without a state", () => "answer=1"],
    ["with a state of nonsense", () => "state=abc.def&answer=1"],
    ["changed", (state: string) => `state=${state.replace(/^./, (c) => (c === "a" ? "b" : "a"))}&answer=1`],
    ["with a signature cut off", (state: string) => `state=${state.slice(0, -2)}&answer=1`],
    ["empty", () => ""],
    ["not a form", () => '{"state":1}'],
  ])("%s are refused", async (_, bodyOf) => {
    const survey = await launch(service, [rating]);
    const { state } = await visit(service, survey.id);
    const page = await post(service, `/external_surveys/${survey.id}/`, bodyOf(state ?? ""));
    expect([page.status, page.heading]).toEqual([400, "You cannot continue from this page"]);
    expect(await sentOf(survey.id)).toEqual([]);
  });

  it("another survey's is refused", async () => {
    const [one, other] = [await launch(service, [rating]), await launch(service, [rating])];
    const { state } = await visit(service, one.id);
    const body = new URLSearchParams({ state: state ?? "", answer: "1" }).toString();
    expect((await post(service, `/external_surveys/${other.id}/`, body)).status).toBe(400);
  });

  it("one that is too large is refused", async () => {
    const survey = await launch(service, [open]);
    const path = `/external_surveys/${survey.id}/`;
    expect((await post(service, path, `answer=${"x".repeat(1024 * 1024)}`)).status).toBe(413);
  });
});

describe("the page", () => {
  it("runs no script, loads nothing, cannot be framed and stores no more than that it was shown", async () => {
    const survey = await launch(service, [open]);
    const { headers, html } = await visit(service, survey.id);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cache-control": "private, no-cache",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "x-robots-tag": "noindex",
    });
    expect(headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; style-src 'nonce-[\w+/=]{24}'/,
    );
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("set-cookie")).toMatch(
      /^shown=0\.[\w-]{36}; Path=\/external_surveys\/[\w-]{36}\/; Max-Age=1800; HttpOnly; SameSite=Lax$/,
    );
    expect(html).not.toMatch(/<script|javascript:| on\w+=/i);
  });

  it("can be put into a site where the survey allows it", async () => {
    const survey = await launch(service, [open], { appearance: { enableIframeEmbedding: true } });
    const { headers, html } = await visit(service, survey.id, "?embed=true");
    expect(headers.get("x-frame-options")).toBeNull();
    expect(headers.get("content-security-policy")).toContain("frame-ancestors *");
    expect(html).toContain('<body class="survey embed">');
  });

  it.each([
    [{ backgroundColor: "#102030" }, "--page: #102030;"],
    [{ backgroundColor: "Rebeccapurple" }, "--page: #663399;"],
    [{ submitButtonColor: "rgb(255 0 0)" }, "--accent: #ff0000;"],
    [{ fontFamily: "Georgia, serif" }, '--font: "Georgia", serif, system-ui, sans-serif;'],
    [{ borderRadius: "4px" }, "--radius: 4px;"],
  ])("wears the survey's theme: %j", async (appearance, line) => {
    const survey = await launch(service, [open], { appearance });
    expect((await visit(service, survey.id)).html).toContain(line);
  });

  it.each([
    { backgroundColor: "red; } body { display: none } x {" },
    { backgroundColor: "url(https://evil.example/x)" },
    { submitButtonColor: "</style><script>alert(1)</script>" },
    { fontFamily: 'x"; } * { display: none' },
    { borderRadius: "4px; position: fixed" },
    { backgroundColor: 7, fontFamily: ["x"], borderRadius: {} },
  ])("passes over a theme that is none: %j", async (appearance) => {
    const survey = await launch(service, [open], { appearance });
    const { html, status } = await visit(service, survey.id);
    expect(status).toBe(200);
    expect(html).toContain('<body class="survey">');
    expect(html).not.toMatch(/evil|alert|display: none }|position: fixed/);
  });

  it("speaks a language that the survey is translated to, and runs its way", async () => {
    const translations = {
      ar: { question: "لماذا؟", buttonText: "تم", choices: ["السعر", "الدعم", "أخرى"] },
    };
    const survey = await launch(service, [{ ...single, translations }]);
    const arabic = await visit(service, survey.id, "?display_language=ar-EG");
    expect(arabic.heading).toBe("لماذا؟");
    expect(arabic.html).toContain('<html lang="ar" dir="rtl"');
    expect(arabic.html).toContain("السؤال 1 من 1");
    await arabic.send({ answer: "1" });
    const [sent] = await sentOf(survey.id);
    expect(sent?.properties).toMatchObject({ $survey_language: "ar", $survey_response: "Support" });
    for (const query of ["?display_language=fr", "?display_language=..%2F"]) {
      const { html, heading } = await visit(service, survey.id, query);
      expect([heading, html.includes('lang="en" dir="ltr"')]).toEqual(["Why?", true]);
    }
    const preferred = await visit(service, survey.id, "", { headers: { "accept-language": "ar,en;q=0.5" } });
    expect(preferred.heading).toBe("لماذا؟");
  });

  it("runs from right to left where its question does", async () => {
    const survey = await launch(service, [{ ...open, question: "מה דעתך?" }]);
    expect((await visit(service, survey.id)).html).toContain('dir="rtl"');
  });

  it("is the same with and without a slash, and answers no other method", async () => {
    const survey = await launch(service, [open]);
    const at = (path: string, method = "GET") =>
      service.handle(new Request(`http://switchyard.test/external_surveys/${survey.id}${path}`, { method }));
    expect([(await at("")).status, (await at("/")).status]).toEqual([200, 200]);
    expect((await at("/", "DELETE")).status).toBe(405);
  });

  it.each([
    ["a HEAD request", { method: "HEAD" }],
    ["a prefetch", { headers: { "sec-purpose": "prefetch;prerender" } }],
    ["a link preview", { headers: { "user-agent": "Slackbot-LinkExpanding 1.0" } }],
  ])("is not seen by %s", async (_, init) => {
    const survey = await launch(service, [open]);
    expect((await visit(service, survey.id, "", init)).status).toBe(200);
    expect(await eventsOf(service, survey.id)).toEqual([]);
  });

  it.each([
    ["with a text of its own", "Visit the shop", "Visit the shop"],
    ["without one", undefined, "Open the link"],
  ])("a link opens by its button, %s, and the other button leads on", async (_, buttonText, label) => {
    const survey = await launch(service, [{ ...link, ...(buttonText && { buttonText }) }, open]);
    const page = await visit(service, survey.id);
    const [, opener, opened] = /<a class="button outlined" ([^>]*)>([^<]*)</.exec(page.html) ?? [];
    expect(opener).toContain('href="https://example.com/more"');
    expect(opened).toBe(label);
    const buttons = [...page.html.matchAll(/<button[^>]*>([^<]*)</g)].map(([, text]) => text?.trim());
    expect(buttons).not.toContain(label);
    expect((await page.send()).heading).toBe("What else?");
    expect(await eventsOf(service, survey.id)).toHaveLength(1);
    const whole = await launch(service, [{ ...link, id: "shop" }]);
    await (await visit(service, whole.id)).send();
    expect((await sentOf(whole.id))[0]?.properties).toMatchObject({ $survey_response_shop: "link clicked" });
  });

  it("shows questions of every stored shape", async () => {
    const odd = [
      { question: "No type" },
      { type: "mystery", question: "Unknown type", branching: "sideways" },
      { type: "rating", question: "No scale", display: "stars" },
      { type: "rating", question: "Odd scale", scale: 1e9, display: "emoji", lowerBoundLabel: 5 },
      { type: "single_choice", question: "No choices", optional: "yes" },
      { type: "multiple_choice", question: "Not a list", choices: null, translations: "x", validation: {} },
      { type: "link", question: "No link", description: { html: "x" } },
      { type: "open", question: "Odd rules", validation: [null, { type: "min_length", value: "x" }, 7] },
    ];
    const survey = await createSurvey(service, {
      type: "external_survey",
      questions: odd,
      appearance: { shuffleQuestions: "x", placeholder: 5, thankYouMessageHeader: [] },
    });
    await service.api("PATCH", `${ROOT}${survey.id}/`, { start_date: "2026-01-01T00:00:00Z" });
    let page = await visit(service, survey.id, "?q0=1&q2=3&q5=0");
    for (const { question } of odd) {
      expect([page.status, page.heading]).toEqual([200, question]);
      page = await page.send({ answer: "1" });
    }
    expect(page.heading).toBe("Thank you for your feedback!");
  });
});
