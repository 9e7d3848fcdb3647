import { afterAll, beforeAll, expect, it } from "vitest";
import type { Runtime } from "#lib/app/runtime.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import { describePeeking } from "#lib/engines/statistics/words.ts";
import type { ExperimentResults } from "#lib/experiments/results/result-schema.ts";
import type * as http from "#lib/platform/http/context.ts";

type MemberContext = http.MemberContext<Runtime>;

import { type Service, startService } from "#testing/service.ts";
import { introductions } from "./calls.ts";
import { send } from "./load.ts";
import { loadExperiments } from "./load-experiments.ts";
import { demoCompanies, demoPeople } from "./people.ts";

let service: Service;
let results: Map<string, ExperimentResults>;

async function contextOf(now: Date): Promise<MemberContext> {
  const { directory } = service.runtime;
  const project = (await directory.current()).projects.get(1);
  const caller = await directory.authenticate(service.key, now);
  if (!project || !caller) throw new Error("The service has nobody.");
  const url = new URL("http://switchyard.test/");
  const { db, runtime } = service;
  return { db, runtime, ...caller, project, now, headers: new Headers(), url };
}

beforeAll(async () => {
  service = await startService();
  const now = new Date();
  const context = await contextOf(now);
  const companies = demoCompanies();
  const people = demoPeople(now.getTime(), companies);
  const first = [...introductions(people, companies)];
  for (let at = 0; at < first.length; at += 1_000) await send(context, first.slice(at, at + 1_000));
  const reported: number[] = [];
  await loadExperiments(
    context,
    now.getTime(),
    people,
    (events) => send(context, events),
    async (share) => void reported.push(share),
  );
  expect(reported.at(-1)).toBe(1);
  const root = "/api/projects/1/experiments/";
  const shown = (await service.api("GET", root)).json.results;
  const archived = (await service.api("GET", `${root}?archived=true`)).json.results;
  results = new Map();
  for (const { id, name } of [...shown, ...archived])
    results.set(name, (await service.api("GET", `${root}${id}/results/`)).json);
}, 120_000);
afterAll(() => service.close(), 120_000);

const of = (name: string): ExperimentResults => {
  const found = results.get(name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};
const codes = (name: string) => of(name).health.findings.map(({ code }) => code);
const firstMetric = (name: string) => of(name).metrics[0]?.variants[0]?.estimate;

it.each([
  ["Shorter checkout form", "running", "better"],
  ["Annual plan first", "stopped", "worse"],
  ["Friendlier empty pages", "running", "unclear"],
  ["Dark colours by default", "stopped", "unclear"],
])("%s is %s and its first metric is %s", (name, status, direction) => {
  expect(of(name).status).toBe(status);
  expect(codes(name)).toEqual([]);
  expect(firstMetric(name)?.direction).toBe(direction);
});

it.each(["Shorter checkout form", "Annual plan first"])("%s has figures of a saved metric", (name) => {
  const saved = of(name).metrics.filter(({ saved_metric_id }) => saved_metric_id !== null);
  expect(saved).toMatchObject([{ name: "Support tickets", role: "secondary", goal: "decrease" }]);
  expect(saved[0]?.variants[0]?.sum).toBeGreaterThan(0);
});

it("has an experiment that was looked at often", async () => {
  const root = "/api/projects/1/experiments/";
  const { json } = await service.api("GET", `${root}?search=Shorter`);
  const looks = (await service.api("GET", `${root}${json.results[0].id}/looks/`)).json;
  const totals = looks.results.map(({ total }: { total: number }) => total);
  expect(totals).toEqual([...new Set(totals)].sort((a, b) => Number(a) - Number(b)));
  expect(totals.length).toBe(9);
  const { actual, stated } = describePeeking(totals, readSettings({}));
  expect(actual).toBeGreaterThan(3 * stated);
});

it("has a mismatch, people in several variants, too little data and a draft", () => {
  expect(codes("New search ranking")).toEqual(["sample_ratio_mismatch", "multiple_variants"]);
  expect(codes("Summaries in the inbox")).toEqual(["too_few"]);
  expect(of("Onboarding as a checklist")).toMatchObject({ status: "draft", state: "not_started" });
  expect(of("Shorter checkout form").planned.reached).toBe(true);
});
