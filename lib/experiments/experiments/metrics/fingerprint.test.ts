import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson, computeFingerprint } from "./fingerprint.ts";

const metric = {
  kind: "ExperimentMetric",
  uuid: "7d0f",
  name: "Orders",
  metric_type: "mean",
  source: { kind: "EventsNode", event: "order_paid", math: "total" },
  goal: "increase",
};
const start = new Date("2025-11-03T09:00:00Z");
const stats_config = { method: "bayesian" };

it.each([
  {
    state: "launched",
    given: { start_date: start, stats_config, exposure_criteria: { filterTestAccounts: true } },
    hash: "7288be97b7020cedbd03a05b0402c1551da53218ac928324d89fe1fdd6a5c074",
  },
  {
    state: "a draft",
    given: { start_date: null, stats_config, exposure_criteria: {} },
    hash: "cef9acc73d13be053ca28ad733bee8ef36c66164c06b5d819a6e331a77374f19",
  },
])("a metric of an experiment that is $state has the published fingerprint", ({ given, hash }) => {
  expect(computeFingerprint(metric, given)).toBe(hash);
  expect(
    computeFingerprint({ ...metric, uuid: "other", name: "Else", currency: "EUR", fingerprint: "x" }, given),
  ).toBe(hash);
});

it("the recipe without stats_config gives the published hash of later releases", async () => {
  const { createHash } = await import("node:crypto");
  const { kind: _, uuid: __, name: ___, ...counted } = metric;
  const hashed = {
    metric: counted,
    start_date: "2025-11-03T09:00:00+00:00",
    stats_method: "bayesian",
    exposure_criteria: { filterTestAccounts: true },
  };
  expect(createHash("sha256").update(canonicalJson(hashed)).digest("hex")).toBe(
    "788e7788f79372340a5d51d8016f40f7863af3b5935ba55d4a80aeffe7c7353b",
  );
});

it.each([
  ["the goal", { ...metric, goal: "decrease" }, {}],
  ["the event", { ...metric, source: { ...metric.source, event: "order_sent" } }, {}],
  ["the launch", metric, { start_date: new Date("2025-11-03T09:00:01Z") }],
  ["the statistics", metric, { stats_config: { method: "frequentist" } }],
  ["who counts", metric, { exposure_criteria: { filterTestAccounts: false } }],
])("%s changes it", (_, changed, given) => {
  const before = { start_date: start, stats_config, exposure_criteria: { filterTestAccounts: true } };
  expect(computeFingerprint(changed, { ...before, ...given })).not.toBe(computeFingerprint(metric, before));
});

it.each([
  [{ b: 1, a: [true, null, "x"] }, '{"a":[true,null,"x"],"b":1}'],
  [
    { é: "ü\u007f", "\u{10000}": 1, "\uffff": 2 },
    '{"\\u00e9":"\\u00fc\\u007f","\\uffff":2,"\\ud800\\udc00":1}',
  ],
  ['"\\/\n', '"\\"\\\\/\\n"'],
  [{ a: undefined, b: 0.95 }, '{"b":0.95}'],
])("%j is written as %s", (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

it("is plain ASCII JSON that parses to the original value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      expect(text).toMatch(/^[\x20-\x7e]*$/);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
