import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verify } from "#lib/app/rollups.ts";
import type { Runtime } from "#lib/app/runtime.ts";
import type * as http from "#lib/platform/http/context.ts";
import { unstoredKey } from "#lib/platform/http/directory.ts";

type MemberContext = http.MemberContext<Runtime>;

import { introductions, type RawEvent } from "#lib/app/demo/calls.ts";
import { send } from "#lib/app/demo/load.ts";
import { demoCompanies, demoPeople } from "#lib/app/demo/people.ts";
import { stateOf } from "#lib/surveys/surveys/state.ts";
import { type Service, startService } from "#testing/service.ts";
import { figuresIn } from "#testing/survey-figures.ts";
import { ROOT } from "#testing/surveys.ts";
import { loadSurveys } from "./load-surveys.ts";

const PEOPLE = 2_500;

let service: Service;
let surveys: { id: string; name: string; questions: { id: string; type: string }[] }[];

const get = async (path: string, query: Record<string, string> = {}) => {
  const { status, json, text } = await service.api("GET", `${ROOT}${path}?${new URLSearchParams(query)}`);
  expect(status, text).toBe(200);
  return json;
};

async function contextOf({ runtime, db }: Service): Promise<MemberContext> {
  const { users, projects } = await runtime.directory.current();
  const [user, project] = [[...users.values()][0], projects.get(1)];
  if (!user || !project) throw new Error("The service has no owner.");
  const now = new Date();
  const key = unstoredKey(user.id, now);
  const url = new URL("http://switchyard.test/");
  return { db, runtime, user, key, project, now, url, headers: new Headers() };
}

beforeAll(async () => {
  service = await startService();
  const now = Date.now();
  const companies = demoCompanies();
  const people = demoPeople(now, companies).slice(0, PEOPLE);
  const context = await contextOf(service);
  const store = (events: RawEvent[]) => send(context, events);
  await store([...introductions(people, companies)]);
  await loadSurveys(context, now, people, store, async () => undefined);
  surveys = (await get("", { limit: "100" })).results;
});
afterAll(() => service.close());

describe("the surveys of the demo", () => {
  it("are a dozen in every state and of every type", async () => {
    expect(surveys.length).toBeGreaterThanOrEqual(12);
    const { results } = await get("", { limit: "100" });
    const states = new Set(
      results.map((record: Parameters<typeof stateOf>[0]) => stateOf(record, new Date())),
    );
    expect([...states].sort()).toEqual(["archived", "complete", "draft", "running", "scheduled"]);
    const types = new Set(results.map(({ type }: { type: string }) => type));
    expect([...types].sort()).toEqual(["api", "external_survey", "popover", "widget"]);
  });

  it("have figures that each equal the rows they open", async () => {
    const wrong: string[] = [];
    let figures = 0;
    for (const { id, name } of surveys) {
      const waiting = [...figuresIn(await get(`${id}/results/`))];
      figures += waiting.length;
      const openNext = async () => {
        for (let next = waiting.pop(); next; next = waiting.pop()) {
          const opened = await get(`${id}/responses/`, { ...next.rows, limit: "1" });
          if (opened.count !== next.count)
            wrong.push(`${name}${next.at}: ${next.count}, rows ${opened.count}`);
        }
      };
      await Promise.all(Array.from({ length: 8 }, openNext));
    }
    expect(wrong).toEqual([]);
    expect(figures).toBeGreaterThan(1_000);
  });

  it("have cells of cross-tabulations that each equal the rows they open", async () => {
    for (const { id, questions } of surveys) {
      const [a, b] = questions.filter(({ type }) => /rating|choice/.test(type));
      if (!a || !b) continue;
      const table = await get(`${id}/crosstab/`, { question_a: a.id, question_b: b.id });
      for (const { at, count, rows } of figuresIn(table))
        expect([at, (await get(`${id}/responses/`, { ...rows, limit: "1" })).count]).toEqual([at, count]);
    }
  });

  it("are kept as a fresh count has them", async () => {
    expect((await verify(service.db)).filter(({ differences }) => differences > 0)).toEqual([]);
  });
});
