import type { Runtime, ServedRuntime } from "#lib/app/runtime.ts";
import { changeRequestCreate } from "#lib/approvals/change_requests/schema.ts";
import {
  list as listRequests,
  schedule as planRequest,
  create as propose,
} from "#lib/approvals/change_requests/service.ts";
import { findPinProblem } from "#lib/engines/evaluation/pins.ts";
import type { FlagDefinition } from "#lib/engines/evaluation/values/types.ts";
import type { Json } from "#lib/engines/json.ts";
import { create_pin as pin } from "#lib/flags/feature_flags/pins/pins.ts";
import { flagCreate } from "#lib/flags/feature_flags/schema.ts";
import { create as createFlag } from "#lib/flags/feature_flags/service.ts";
import { scheduledChangeCreate } from "#lib/flags/scheduled_changes/schema.ts";
import { list as listSchedules, create as schedule } from "#lib/flags/scheduled_changes/service.ts";
import { create as createCohort, list as listCohorts } from "#lib/people/cohorts/service.ts";
import { parseEvent } from "#lib/people/events/event.ts";
import type * as http from "#lib/platform/http/context.ts";

type MemberContext = http.MemberContext<Runtime>;
type ServedContext = http.MemberContext<ServedRuntime>;

import { DAYS, flagCalls, introductions, type RawEvent } from "./calls.ts";
import { type DemoFlag, demoFlags } from "./flags.ts";
import { guideEvents } from "./guide.ts";
import { loadEnvironment } from "./load-environment.ts";
import { loadExperiments, updateFigures } from "./load-experiments.ts";
import { loadNotifications } from "./load-notifications.ts";
import { loadRamp } from "./load-ramp.ts";
import { type DemoPerson, demoCompanies, demoPeople } from "./people.ts";
import { loadSurveys } from "./surveys/load-surveys.ts";

const BATCH = 1_000;

/** Progress in percent after loading people, flags, experiments and flag calls. */
const PEOPLE_DONE = 15;
const FLAGS_DONE = 25;
const EXPERIMENTS_DONE = 50;
const CALLS_DONE = 78;

/** People of the staging environment: colleagues and testers. */
const STAGING_PEOPLE = 200;

type Progress = (percent: number) => Promise<void>;

/** Ingests events like SDKs do: parsed, checked and stored once. */
export async function send(context: MemberContext, events: RawEvent[]): Promise<void> {
  const envelope = { now: context.now.getTime(), sentAt: null, historical: true, unnamed: null };
  const parsed = events.map((event) => parseEvent(event, envelope));
  const refused = parsed.find((event) => typeof event === "string");
  if (refused) throw new Error(`An event of the demo is not acceptable: ${refused}`);
  await context.runtime.events.write(
    context.project.id,
    parsed.filter((event) => typeof event !== "string"),
  );
}

const COHORTS: [string, string, Record<string, unknown>[]][] = [
  [
    "Paying customers",
    "Everyone on a plan that costs something",
    [{ key: "plan", operator: "is_not", value: ["free"] }],
  ],
  [
    "Beta testers",
    "People who asked to see things early",
    [{ key: "beta_tester", operator: "exact", value: ["true"] }],
  ],
  [
    "New this month",
    "Signed up in the last 30 days",
    [{ key: "signup_date", operator: "is_date_after", value: "-30d" }],
  ],
  [
    "European engineers",
    "Engineers in Germany, France, the Netherlands, Spain and Sweden",
    [
      { key: "country", operator: "exact", value: ["DE", "FR", "NL", "ES", "SE"] },
      { key: "role", operator: "exact", value: ["engineer"] },
    ],
  ],
];

async function makeCohorts(context: MemberContext): Promise<void> {
  const there = await listCohorts(context, {
    params: { project_id: "" },
    query: { limit: 100, offset: 0 },
    body: undefined,
  });
  const names = new Set(there.results.map((cohort) => cohort.name));
  for (const [name, description, rows] of COHORTS) {
    if (names.has(name)) continue;
    const values = rows.map((row) => ({ ...row, type: "person" }));
    const filters = { properties: { type: "OR", values: [{ type: "AND", values }] } };
    const body = { name, description, is_static: false, filters };
    await createCohort(context, { params: { project_id: "" }, query: {}, body });
  }
}

async function makeFlag(context: MemberContext, { popularity, of_company, depends_on, ...body }: DemoFlag) {
  const { live } = await context.runtime.flags.project(context.project.id);
  if (live.some((flag) => flag.key === body.key)) return;
  const base = depends_on ? live.find((flag) => flag.key === depends_on) : undefined;
  const row = base && { key: String(base.id), type: "flag", operator: "flag_evaluates_to", value: true };
  const filters = row ? { groups: [{ properties: [row], rollout_percentage: 100 }] } : body.filters;
  await createFlag(context, {
    params: { project_id: "" },
    query: {},
    body: flagCreate.parse({ ...body, filters }),
  });
}

const WEEK_MS = 7 * 86_400_000;
const NINE_O_CLOCK_MS = 9 * 3_600_000;

/** In a week, at nine. */
const nextWeek = (now: Date): Date =>
  new Date(new Date(now.getTime() + WEEK_MS).setUTCHours(0, 0, 0, 0) + NINE_O_CLOCK_MS);

/** A flag that is off is turned on in a week, at nine. */
async function scheduleRelease(context: MemberContext): Promise<void> {
  const { live } = await context.runtime.flags.project(context.project.id);
  const flag = live.find(({ active }) => !active);
  const page = { query: { limit: 1, offset: 0 }, body: undefined };
  const { count } = await listSchedules(context, { params: { project_id: "" }, ...page });
  if (!flag || count > 0) return;
  const body = scheduledChangeCreate.parse({
    record_id: String(flag.id),
    model_name: "FeatureFlag",
    payload: { operation: "update_status", value: true },
    scheduled_at: nextWeek(context.now).toISOString(),
    guard: true,
  });
  await schedule(context, { params: { project_id: "" }, query: {}, body });
}

const PIN_DAYS = 14;

/** Two people are pinned to a value of a flag that goes to some: one tries it out, and one gets it no more. */
async function pinPeople(context: MemberContext, people: readonly DemoPerson[]): Promise<void> {
  const { live } = await context.runtime.flags.project(context.project.id);
  const [flag] = live
    .filter(({ filters, pins, active }) => {
      const { groups, multivariate } = filters as { groups?: { rollout_percentage?: number }[] } & Json;
      const share = groups?.length === 1 ? (groups[0]?.rollout_percentage ?? 100) : 0;
      const takesPins = findPinProblem(filters, true) === null && !multivariate;
      return active && pins.length === 0 && share > 0 && share < 100 && takesPins;
    })
    .slice(-1);
  const [first, second] = people;
  if (live.some(({ pins }) => pins.length > 0) || !flag || !first || !second) return;
  const until = new Date(context.now.getTime() + PIN_DAYS * 86_400_000).toISOString();
  const pins = [
    { distinct_id: first.distinct_id, value: true, until, reason: "Tries it out before the rollout" },
    {
      distinct_id: second.distinct_id,
      value: false,
      until: null,
      reason: "Asked support to go without it",
    },
  ];
  for (const body of pins) await pin(context, { params: { project_id: "", id: flag.id }, query: {}, body });
}

/** One flag is proposed to go to everybody; another change, of a flag and a cohort together, has a moment. */
async function proposeReleases(context: ServedContext): Promise<void> {
  const { live } = await context.runtime.flags.project(context.project.id);
  const call = { params: { project_id: "" }, body: undefined };
  const { count } = await listRequests(context, { ...call, query: { limit: 1, offset: 0 } });
  const [flag, other] = live.filter(({ active, creation_context, experiment_set, filters }) => {
    const { groups } = filters as { groups?: { properties?: unknown[]; rollout_percentage?: number }[] };
    const [only, another] = groups ?? [];
    const isPartial = !another && only?.properties?.length === 0 && (only.rollout_percentage ?? 100) < 50;
    return active && creation_context === "feature_flags" && experiment_set.length === 0 && isPartial;
  });
  if (!flag || count > 0) return;
  const root = `/api/projects/${context.project.id}/`;
  const toEverybody = ({ id, filters }: typeof flag) => ({
    method: "PATCH",
    path: `${root}feature_flags/${id}/`,
    body: { filters: { ...filters, groups: [{ properties: [], rollout_percentage: 100 }] } },
  });
  const make = (body: object) =>
    propose(context, { params: { project_id: "" }, query: {}, body: changeRequestCreate.parse(body) });
  await make({
    title: `Roll out ${flag.key} to everybody`,
    description: "No complaints in two weeks, and support is prepared. Please look at who gets it now.",
    changes: [toEverybody(flag)],
  });
  const [cohort] = (await listCohorts(context, { ...call, query: { limit: 1, offset: 0 } })).results;
  if (!other || !cohort) return;
  const description = `${cohort.description} Gets ${other.key} from next week on.`.trim();
  const planned = await make({
    title: `Open ${other.key} next week`,
    description: "After the newsletter, so that everybody knows what it is.",
    changes: [
      toEverybody(other),
      { method: "PATCH", path: `${root}cohorts/${cohort.id}/`, body: { description } },
    ],
  });
  const moment = { apply_at: nextWeek(context.now) };
  await planRequest(context, { params: { project_id: "", id: planned.id }, query: {}, body: moment });
}

/**
 * Fills a project with the demo, through the same paths as users. Existing data is left alone, so that an
 * interrupted load continues.
 *
 * @param began the moment from which the demo's dates count back
 */
export async function loadDemo(context: ServedContext, began: Date, progress: Progress): Promise<void> {
  const now = began.getTime();
  const companies = demoCompanies();
  const people = demoPeople(now, companies);
  const first = [...introductions(people, companies)];
  for (let at = 0; at < first.length; at += BATCH) {
    await send(context, first.slice(at, at + BATCH));
    await progress(Math.floor((PEOPLE_DONE * at) / first.length));
  }
  await makeCohorts(context);
  const flags = demoFlags(now);
  for (const [n, flag] of flags.entries()) {
    await makeFlag(context, flag);
    if (n % 10 === 0)
      await progress(PEOPLE_DONE + Math.floor(((FLAGS_DONE - PEOPLE_DONE) * n) / flags.length));
  }
  await scheduleRelease(context);
  await loadExperiments(
    context,
    now,
    people,
    (events) => send(context, events),
    (share) => progress(FLAGS_DONE + Math.floor((EXPERIMENTS_DONE - FLAGS_DONE) * share)),
  );
  const { live } = await context.runtime.flags.project(context.project.id);
  let day = 0;
  for (const called of flagCalls(now, people, companies, flags, live as unknown as FlagDefinition[])) {
    for (let at = 0; at < called.length; at += BATCH) await send(context, called.slice(at, at + BATCH));
    day += 1;
    await progress(EXPERIMENTS_DONE + Math.floor(((CALLS_DONE - EXPERIMENTS_DONE) * day) / DAYS));
  }
  await pinPeople(context, people);
  await proposeReleases(context);
  await loadEnvironment(context, flags, async (staging) => {
    await makeCohorts(staging);
    await send(staging, [...introductions(people.slice(0, STAGING_PEOPLE), companies)]);
  });
  await loadRamp(context, people, (events) => send(context, events));
  const surveys = await loadSurveys(
    context,
    now,
    people,
    (events) => send(context, events),
    (share) => progress(CALLS_DONE + Math.floor((100 - CALLS_DONE) * share)),
  );
  // The newest of the people comes first in their list.
  const guide = people.at(-1);
  if (guide) await send(context, [...guideEvents(now, guide, live as unknown as FlagDefinition[], surveys)]);
  await updateFigures(context);
  await loadNotifications(context);
}
