import { rehearse as replay } from "#lib/engines/statistics/ramps/rehearse.ts";
import { comparisonAt, splitAt } from "#lib/engines/statistics/ramps/split.ts";
import type { History, Increment, PersonHistory } from "#lib/engines/statistics/ramps/types.ts";
import { randomFrom } from "#lib/engines/statistics/simulation/random.ts";
import { HOUR_MS } from "#lib/experiments/metric_kinds/calendar.ts";
import type { PlannedMetric, UnitHistory } from "#lib/experiments/metric_kinds/kind.ts";
import { METRIC_KINDS } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { selectGroupTypes, selectUnitEvents } from "#lib/experiments/results/events/events-store.ts";
import { createReader, type UnitEvent } from "#lib/experiments/results/events/reader.ts";
import { buildScope, createGrouper } from "#lib/experiments/results/events/scope.ts";
import type { Plan } from "#lib/experiments/results/plan/plan.ts";
import type { MemberContext } from "#lib/flags/context.ts";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import type { FlagRow } from "#lib/flags/feature_flags/store.ts";
import { createSlices } from "#lib/platform/http/body/slices.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { instant } from "#lib/platform/http/instant.ts";
import { inTurn } from "#lib/platform/turns.ts";
import { type Caller, createArms, createSubjects } from "./arms.ts";
import type { rampContract } from "./contract.ts";
import { planMetrics, sampleType } from "./metrics.ts";
import { type SomePeople, selectAnybody, selectCallers } from "./rehearsal-store.ts";
import type { RampRehearsal } from "./schema.ts";
import { readPlan } from "./service.ts";
import { splitBefore, withSplit } from "./split.ts";
import type { StoredPlan } from "./store.ts";

type Source = RampRehearsal["source"];

/** People who are replayed, at most. */
const PEOPLE_MAX = 4_000;
/** A flag that was called for fewer says nothing about how fast people come. */
const CALLERS_MIN = 200;
const WEEK_HOURS = 7 * 24;
const CHUNK = 500;
const SEED = 20_260_101;

/** Who was there: callers of the flag, or anybody where they are too few. */
async function findPeople(
  { db, project }: MemberContext,
  flag: Flag,
  from: number,
): Promise<SomePeople & { source: Source }> {
  const callers = await selectCallers(db, { project_id: project.id, flag_key: flag.key }, PEOPLE_MAX);
  if (callers.total >= CALLERS_MIN) return { ...callers, source: "calls" };
  return { ...(await selectAnybody(db, { project_id: project.id, from }, PEOPLE_MAX)), source: "events" };
}

/** Those who are compared in any step. */
async function comparedOf(
  context: MemberContext,
  flag: FlagRow,
  plan: StoredPlan,
  people: readonly Caller[],
) {
  const { db, project, runtime } = context;
  const before = splitBefore(flag.filters, plan.steps);
  const snapshot = await runtime.definitions.project(project.id);
  const compared = new Set<number>();
  for (const step of plan.steps.keys()) {
    const comparison = comparisonAt(before, plan, step);
    if (!comparison) continue;
    const filters = withSplit(flag.filters, splitAt(before, plan, step));
    const { needs, armOf } = createArms(snapshot, { ...flag, active: true, filters }, comparison);
    const left = people.filter(({ person_id }) => !compared.has(person_id));
    const subjectOf = await createSubjects(db, project.id, needs)(left);
    for (const caller of left)
      if (armOf(subjectOf(caller)).is_treated !== null) compared.add(caller.person_id);
  }
  return people.filter(({ person_id }) => compared.has(person_id));
}

/** What a metric adds in each hour. Of shares, somebody counts again after having counted, as in the next step. */
function incrementsOf(plan: Plan, metric: PlannedMetric, history: UnitHistory): Increment[] {
  const hourOf = (at: number) => Math.floor((at - plan.start) / HOUR_MS);
  const moments = metric.sources.flatMap((source) => history.hits[source] ?? []).map(({ at }) => hourOf(at));
  const hours = [...new Set(moments)].sort((a, b) => a - b);
  const { count, statistics } = METRIC_KINDS[metric.type];
  const unlimited = { ...metric, window: null };
  const isAdded = statistics === "mean" || statistics === "ratio";
  const increments: Increment[] = [];
  let from = plan.start;
  let started = 0;
  for (const hour of hours) {
    const [begin, end] = [plan.start + hour * HOUR_MS, plan.start + (hour + 1) * HOUR_MS];
    const counted = count(plan, unlimited, history, isAdded ? begin : from, end);
    const { value, other } = counted ?? { value: 0, other: 0 };
    if (isAdded) increments.push([hour, value, other]);
    else if (statistics === "funnel") {
      if (value > 0) increments.push([hour, 1]);
    } else if (value > 0 || other > started) increments.push([hour, value > 0 ? 1 : 0, other - started]);
    started = other;
    if (isAdded || value === 0) continue;
    from = end;
    started = 0;
  }
  return increments;
}

type Read = { people: readonly Caller[]; flag: Flag; plan: StoredPlan; from: number };

/** What people did, in hours since the history began. */
async function readHistories(context: MemberContext, read: Read): Promise<PersonHistory[]> {
  const { db, project, now } = context;
  const { guardrails } = read.plan;
  const plan = planMetrics({
    guardrails,
    flag_key: read.flag.key,
    start: read.from,
    timezone: project.timezone,
    group_types: await selectGroupTypes(db, project.id),
  });
  const reader = createReader(plan);
  const scope = {
    ...buildScope(plan, reader, project.id, now.getTime()),
    names: null,
    own_calls_only: false,
  };
  const firstCalls = new Map(read.people.map(({ person_id, at }) => [String(person_id), at]));
  const histories: PersonHistory[] = [];
  const grouper = createGrouper((person_id, events: UnitEvent[]) => {
    const history = reader.read(events);
    const known = firstCalls.get(person_id) ?? 0;
    const active = events.filter(({ at }) => Math.floor(at / HOUR_MS) >= Math.floor(known / HOUR_MS));
    const hours = new Set(active.map(({ at }) => Math.floor((at - read.from) / HOUR_MS)));
    const values = guardrails.map(({ id }, i): [string, Increment[]] => {
      const metric = plan.metrics[i];
      return [id, metric ? incrementsOf(plan, metric, history) : []];
    });
    histories.push({ hours: [...hours].sort((a, b) => a - b), values: Object.fromEntries(values) });
  });
  const ids = read.people.map(({ person_id }) => String(person_id));
  for (let i = 0; i < ids.length; i += CHUNK)
    for await (const rows of selectUnitEvents(db, scope, ids.slice(i, i + CHUNK))) grouper.push(rows);
  grouper.end();
  return histories;
}

const NOTHING = {
  replays: 0,
  false_stops: 0,
  false_stop_interval: [0, 1] as [number, number],
  hours: null,
  ended_in_step: null,
  people: 0,
  is_sample: false,
  caught: [],
};

/** Runs a computation to its end without blocking others. */
async function inSlices<T>(computation: Generator<void, T>): Promise<T> {
  const pause = createSlices();
  for (let step = computation.next(); ; step = computation.next()) {
    if (step.done) return step.value;
    await pause();
  }
}

/** Replays a plan on the project's last weeks. */
export async function rehearse(
  context: MemberContext,
  { body }: Input<(typeof rampContract)["rehearse"]>,
): Promise<RampRehearsal> {
  const { flag, plan } = await readPlan(context, body);
  return inTurn(context.runtime.counting(context.project.id), async () => {
    const hours = body.weeks * WEEK_HOURS;
    const from = Math.floor(context.now.getTime() / HOUR_MS - hours) * HOUR_MS;
    const { source, people, total } = await findPeople(context, flag, from);
    const compared = await comparedOf(context, flag, plan, people);
    const histories = await readHistories(context, { people: compared, flag, plan, from });
    if (histories.length === 0) return { source: "none", from: instant(new Date(from)), ...NOTHING };
    const history: History = {
      hours,
      people: histories,
      people_total: Math.round((total * histories.length) / people.length),
      types: Object.fromEntries(plan.guardrails.map(({ id, metric }) => [id, sampleType(metric)])),
    };
    const before = splitBefore(flag.filters, plan.steps);
    const { caught, false_stop_interval, ...rehearsal } = await inSlices(
      replay(plan, before, history, randomFrom(SEED)),
    );
    const both = ([low, high]: readonly [number, number]): [number, number] => [low, high];
    return {
      source,
      from: instant(new Date(from)),
      ...rehearsal,
      false_stop_interval: both(false_stop_interval),
      caught: caught.map((one) => ({ ...one, share_interval: both(one.share_interval) })),
    };
  });
}
