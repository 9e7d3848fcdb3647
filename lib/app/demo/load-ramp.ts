import type { Runtime } from "#lib/app/runtime.ts";
import { hashValue } from "#lib/engines/evaluation/hash/hash.ts";
import { flagCreate } from "#lib/flags/feature_flags/schema.ts";
import { create as createFlag } from "#lib/flags/feature_flags/service.ts";
import type * as http from "#lib/platform/http/context.ts";
import { rampCreate } from "#lib/ramps/schema.ts";
import { list as listRamps, create as startRamp } from "#lib/ramps/service.ts";
import type { RawEvent } from "./calls.ts";
import type { DemoPerson } from "./people.ts";
import { random, uuidOf } from "./random.ts";

type MemberContext = http.MemberContext<Runtime>;

const KEY = "express-checkout";
const SHARE = 25;
/** Kind of the events' ids, and how many of 1,000 people get an error without the change and with it. */
const VISIT = 9;
const ERRORS = { control: 60, treatment: 70 };
const WEEKS_MS = 21 * 86_400_000;

const plan = (feature_flag: number) =>
  rampCreate.parse({
    feature_flag,
    steps: [
      { shares: { "0": SHARE }, hold: { hours: 24 } },
      { shares: { "0": 50 }, hold: { hours: 48, people: 2_000 } },
      { shares: { "0": 100 }, hold: { approval: true } },
    ],
    guardrails: [
      {
        name: "People with $exception",
        metric: {
          kind: "ExperimentMetric",
          metric_type: "funnel",
          series: [{ kind: "EventsNode", event: "$exception" }],
        },
        harm: "increase",
        margin: 0.05,
        action: "roll_back",
      },
    ],
  });

/** Everybody visits in the three weeks before the ramp and once within its first step. */
function* visits(people: readonly DemoPerson[], began: number): Generator<RawEvent> {
  const r = random(77);
  let n = 0;
  for (const { distinct_id } of people) {
    const isTreated = hashValue(KEY, distinct_id) <= SHARE / 100;
    for (const at of [began - r.between(60_000, WEEKS_MS), began]) {
      const isNow = at === began;
      const common = { distinct_id, timestamp: new Date(at).toISOString() };
      const uuid = () => uuidOf(VISIT, ++n);
      const properties = { $feature_flag: KEY, $feature_flag_response: isNow && isTreated };
      yield { ...common, uuid: uuid(), event: "$feature_flag_called", properties };
      const errors = isNow && isTreated ? ERRORS.treatment : ERRORS.control;
      if (r.between(1, 1_000) <= errors)
        yield { ...common, uuid: uuid(), event: "$exception", properties: { $current_url: "/checkout" } };
    }
  }
}

/** A flag that is on its way to everybody, with a guardrail on errors. */
export async function loadRamp(
  context: MemberContext,
  people: readonly DemoPerson[],
  send: (events: RawEvent[]) => Promise<void>,
): Promise<void> {
  const find = async () =>
    (await context.runtime.flags.project(context.project.id)).live.find(({ key }) => key === KEY);
  const call = { params: { project_id: "" }, query: {} };
  const filters = { groups: [{ properties: [], rollout_percentage: 0 }] };
  const body = flagCreate.parse({ key: KEY, name: "Pay without leaving the basket", filters });
  if (!(await find())) await createFlag(context, { ...call, body });
  const flag = await find();
  if (!flag) throw new Error(`The flag ${KEY} of the demo is not known yet.`);
  const query = { limit: 1, offset: 0, feature_flag: String(flag.id) };
  const there = await listRamps(context, { ...call, query, body: undefined });
  if (there.count > 0) return;
  const ramp = await startRamp(context, { ...call, body: plan(flag.id) });
  await send([...visits(people, Date.parse(ramp.created_at))]);
}
