import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addOrganization } from "#testing/accounts.ts";
import { errorsGuardrail, FLAGS, RAMPS, type RampService, startRamps } from "#testing/ramps.ts";

let service: RampService;
let flag: { id: number };
let theirs: { project: number; flag: number; ramp: number };

beforeAll(async () => {
  service = await startRamps();
  flag = await service.newFlag();
  const { json: other } = await service.api("POST", "/api/projects/", { name: "Other" });
  const root = `/api/projects/${other.id}`;
  const { json: made } = await service.api("POST", `${root}/feature_flags/`, { key: "theirs" });
  const steps = [{ shares: { 0: 10 }, hold: { hours: 1 } }];
  const { json: ramp, text } = await service.api("POST", `${root}/ramps/`, { feature_flag: made.id, steps });
  expect(ramp.id, text).toBeGreaterThan(0);
  theirs = { project: other.id, flag: made.id, ramp: ramp.id };
});
afterAll(() => service.close());

const HELD = { hours: 1 };
const STEP = { shares: { 0: 10 }, hold: HELD };
const watching = (metric: unknown) => ({ steps: [STEP], guardrails: [errorsGuardrail({ metric })] });
const source = { kind: "EventsNode", event: "buy" };
const mean = { kind: "ExperimentMetric", metric_type: "mean", source };

describe("a plan that cannot run", () => {
  it.each<[string, object, string]>([
    ["nothing", {}, "steps"],
    ["no steps", { steps: [] }, "steps"],
    ["too many steps", { steps: Array(21).fill(STEP) }, "steps"],
    ["a step without a hold", { steps: [{ shares: { 0: 5 } }] }, "steps"],
    ["a step that changes nothing", { steps: [{ hold: HELD }] }, "steps"],
    ["an empty change", { steps: [{ shares: {}, variants: null, hold: HELD }] }, "steps"],
    [
      "a step that is over at once before another",
      { steps: [{ shares: { 0: 5 }, hold: {} }, STEP] },
      "steps",
    ],
    ["a share above 100", { steps: [{ shares: { 0: 101 }, hold: HELD }] }, "steps"],
    ["a share below 0", { steps: [{ shares: { 0: -1 }, hold: HELD }] }, "steps"],
    ["a share that is a text", { steps: [{ shares: { 0: "5" }, hold: HELD }] }, "steps"],
    ["a condition set that is not there", { steps: [{ shares: { 1: 5 }, hold: HELD }] }, "steps"],
    ["a condition set by a name", { steps: [{ shares: { first: 5 }, hold: HELD }] }, "steps"],
    ["a condition set of every object", { steps: [{ shares: { constructor: 5 }, hold: HELD }] }, "steps"],
    ["a variant that is not there", { steps: [{ variants: { test: 5 }, hold: HELD }] }, "steps"],
    ["a time that never ends", { steps: [{ shares: { 0: 5 }, hold: { hours: 1e9 } }] }, "steps"],
    ["half a person", { steps: [{ shares: { 0: 5 }, hold: { people: 0.5 } }] }, "steps"],
    ["people where nobody is compared", { steps: [{ shares: { 0: 100 }, hold: { people: 5 } }] }, "steps"],
    ["another project's flag", { feature_flag: -1, steps: [STEP] }, "feature_flag"],
    ["a flag that nobody has", { feature_flag: 1e15, steps: [STEP] }, "feature_flag"],
    ["a flag by its key", { feature_flag: "ramped-1", steps: [STEP] }, "feature_flag"],
    ["a certain chance", { steps: [STEP], alpha: 1 }, "alpha"],
    ["too many guardrails", { steps: [STEP], guardrails: Array(11).fill(errorsGuardrail()) }, "guardrails"],
    [
      "a guardrail without a direction",
      { steps: [STEP], guardrails: [errorsGuardrail({ harm: "both" })] },
      "guardrails",
    ],
    ["a negative margin", { steps: [STEP], guardrails: [errorsGuardrail({ margin: -0.1 })] }, "guardrails"],
    [
      "a guardrail that does nothing",
      { steps: [STEP], guardrails: [errorsGuardrail({ action: "none" })] },
      "guardrails",
    ],
    ["a metric that is none", watching("errors"), "guardrails"],
    ["a metric of no kind", watching({ metric_type: "median", source }), "guardrails"],
    ["a metric of actions", watching({ ...mean, source: { kind: "ActionsNode", id: 1 } }), "guardrails"],
    ["a metric of no property", watching({ ...mean, source: { ...source, math: "sum" } }), "guardrails"],
    ["a metric with capped outliers", watching({ ...mean, upper_bound_percentile: 0.99 }), "guardrails"],
    [
      "a metric with conditions on people",
      watching({ ...mean, source: { ...source, properties: [{ key: "a", type: "person", value: "b" }] } }),
      "guardrails",
    ],
  ])("is refused: %s", async (_, body, attr) => {
    const sent: Record<string, unknown> = { feature_flag: flag.id, ...body };
    if (sent.feature_flag === -1) sent.feature_flag = theirs.flag;
    for (const path of [RAMPS, `${RAMPS}rehearse/`]) {
      const { status, json, text } = await service.api("POST", path, sent);
      expect([status, json.attr?.split("__")[0]], text).toEqual([400, attr]);
    }
    expect(await service.readFlag(flag.id)).toMatchObject({ version: 1 });
  });

  it.each([
    ["a list", "[]"],
    ["a text", '"x"'],
    ["no JSON", "{steps"],
    ["nothing at all", ""],
  ])("is refused: %s", async (_, body) => {
    const headers = { "content-type": "application/json" };
    expect((await service.api("POST", RAMPS, body, { headers })).status).toBe(400);
  });

  it("is refused for flags that are off, deleted or about groups", async () => {
    const steps = [STEP];
    const off = await service.newFlag({ active: false });
    const gone = await service.newFlag();
    await service.api("PATCH", `${FLAGS}${gone.id}/`, { deleted: true });
    const filters = { groups: [{ properties: [] }], aggregation_group_type_index: 0 };
    const groups = await service.newFlag({ filters });
    const details = [];
    for (const { id } of [off, gone, groups]) {
      const { status, json } = await service.api("POST", RAMPS, { feature_flag: id, steps });
      details.push([status, json.detail]);
    }
    expect(details).toEqual([
      [400, "The feature flag is off. Turn it on first."],
      [400, `Invalid pk "${gone.id}" - object does not exist.`],
      [400, "Ramps compare people, and this flag is about groups."],
    ]);
    expect((await service.api("GET", `${RAMPS}?feature_flag=${off.id}`)).json.count).toBe(0);
  });

  it("is refused where a step's variants do not add up, and names the step", async () => {
    const variants = ["a", "b"].map((key) => ({ key, rollout_percentage: 50 }));
    const split = await service.newFlag({
      filters: { groups: [{ properties: [] }], multivariate: { variants } },
    });
    const steps = [
      { variants: { a: 40, b: 60 }, hold: HELD },
      { variants: { a: 20 }, hold: HELD },
    ];
    const { status, json } = await service.api("POST", RAMPS, { feature_flag: split.id, steps });
    expect([status, json.detail]).toEqual([400, expect.stringMatching(/^Step 2: .*100/)]);
  });
});

describe("ids", () => {
  it("of other projects and of nobody are not found, and change nothing", async () => {
    for (const id of [theirs.ramp, 424_242, 2_147_483_647]) {
      expect((await service.api("GET", `${RAMPS}${id}/`)).status).toBe(404);
      for (const action of ["pause", "resume", "next", "roll_back", "cancel"])
        expect((await service.api("POST", `${RAMPS}${id}/${action}/`, {})).status).toBe(404);
    }
    const { json } = await service.api("GET", `/api/projects/${theirs.project}/ramps/${theirs.ramp}/`);
    expect(json).toMatchObject({ status: "running", step: 0 });
  });

  it("that are none are refused, and find nothing in a list", async () => {
    expect((await service.api("GET", `${RAMPS}first/`)).status).toBeGreaterThanOrEqual(400);
    for (const id of ["first", "-1", "1e3", "99999999999", String(theirs.flag), ""]) {
      const { status, json } = await service.api("GET", `${RAMPS}?feature_flag=${id}`);
      expect([status, json.count]).toEqual([200, 0]);
    }
  });

  it("of another organization are out of reach", async () => {
    const { project } = await addOrganization(service.db, "elsewhere");
    service.runtime.directory.drop();
    expect((await service.api("GET", `/api/projects/${project.id}/ramps/`)).status).toBe(403);
  });
});
