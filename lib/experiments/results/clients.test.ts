import { PostHogAgentToolkit } from "@posthog/agent-toolkit";
import { PostHog } from "posthog-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { compileFlags } from "#lib/engines/evaluation/compile.ts";
import { evaluateFlag } from "#lib/engines/evaluation/evaluate.ts";
import type { FlagDefinition } from "#lib/engines/evaluation/values/types.ts";
import { analyseMetric } from "#lib/engines/statistics/analyse.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import { metric, source, startResults } from "#testing/experiment-results.ts";
import { listenOnLoopback } from "#testing/loopback.ts";

/** Published clients, unmodified, over a loopback port. */

const PEOPLE = 10_000;
let service: Awaited<ReturnType<typeof startResults>>;
let host = "";
let close = async () => {};

beforeAll(async () => {
  service = await startResults();
  const listening = await listenOnLoopback(service.handle);
  host = listening.address;
  close = listening.close;
});
afterAll(async () => {
  await close();
  await service.close();
});

const names = Array.from({ length: PEOPLE }, (_, i) => `shopper-${i}`);
/** Every third buys, for an amount in cents that follows from the place. */
const amountOf = (i: number) => (i % 3 === 0 ? 5 + (i % 700) / 100 : null);

async function create() {
  return service.create({
    start_date: new Date(Date.now() - 3_600_000).toISOString(),
    metrics: [
      metric({ name: "Bought", metric_type: "funnel", series: [source("bought")] }),
      metric({
        name: "Spent",
        metric_type: "mean",
        source: source("bought", { math: "sum", math_property: "amount" }),
      }),
    ],
  });
}

/** What the engine says of sums that are counted here, from the variants that people really got. */
async function expectedOf(flagKey: string) {
  const { live } = await service.runtime.flags.project(1);
  const compiled = compileFlags({ flags: live as unknown as FlagDefinition[] });
  const sums = new Map<string, { n: number; bought: number; cents: bigint; squares: bigint }>();
  for (const [i, distinct_id] of names.entries()) {
    const variant = String(evaluateFlag(compiled, flagKey, { distinct_id, now: Date.now() })?.value);
    const sum = sums.get(variant) ?? { n: 0, bought: 0, cents: 0n, squares: 0n };
    sums.set(variant, sum);
    sum.n += 1;
    const amount = amountOf(i);
    if (amount === null) continue;
    const cents = BigInt(Math.round(amount * 100));
    sum.bought += 1;
    sum.cents += cents;
    sum.squares += cents * cents;
  }
  return (variant: string) => {
    const { n, bought, cents, squares } = sums.get(variant) ?? { n: 0, bought: 0, cents: 0n, squares: 0n };
    return {
      funnel: { n, sum: bought, sum_squares: bought },
      mean: { n, sum: Number(cents) / 100, sum_squares: Number(squares) / 10_000 },
    };
  };
}

it("posthog-node assigns 10,000 people; results are right to the last digit", async () => {
  const made = await create();
  const flag = made.feature_flag_key;
  const client = new PostHog(service.token, {
    host,
    personalApiKey: service.key,
    flushAt: 2_000,
    flushInterval: 600_000,
    featureFlagsPollingInterval: 3_600_000,
    maxQueueSize: 50_000,
  });
  await client.reloadFeatureFlags();
  for (const [i, distinctId] of names.entries()) {
    const variant = await client.getFeatureFlag(flag, distinctId, { onlyEvaluateLocally: true });
    expect(["control", "test"]).toContain(variant);
    const amount = amountOf(i);
    if (amount !== null) client.capture({ distinctId, event: "bought", properties: { amount } });
  }
  await client.shutdown(60_000);
  const expected = await expectedOf(flag);
  for (const [i, type] of (["funnel", "mean"] as const).entries()) {
    const answer = await service.api("POST", "/api/environments/1/query/", {
      query: { kind: "ExperimentQuery", experiment_id: made.id, metric: made.metrics[i] },
    });
    const { baseline, variant_results } = answer.json;
    const [control, test] = [expected("control")[type], expected("test")[type]];
    expect([baseline.number_of_samples, baseline.sum, baseline.sum_squares]).toEqual([
      control.n,
      control.sum,
      control.sum_squares,
    ]);
    const [variant] = variant_results;
    expect([variant.number_of_samples, variant.sum, variant.sum_squares]).toEqual([
      test.n,
      test.sum,
      test.sum_squares,
    ]);
    const said = analyseMetric(type, control, [test], readSettings(null)).variants[0]?.estimate;
    expect(said?.method).toBe("bayesian");
    expect(variant).toMatchObject({
      significant: said?.significant,
      chance_to_win: said?.method === "bayesian" ? said.chance_to_win : null,
      credible_interval: said?.interval,
    });
  }
});

it("agents read results with their tool", async () => {
  const made = await create();
  const flag = made.feature_flag_key;
  const kit = new PostHogAgentToolkit({ posthogApiToken: service.key, posthogApiBaseUrl: host });
  const tool = (await kit.getTools()).find((one) => one.name === "experiment-results-get");
  if (!tool) throw new Error("There is no such tool.");
  const { content } = await tool.handler(
    kit.getContext(),
    tool.schema.parse({ experimentId: made.id, refresh: true }),
  );
  const [text] = content;
  expect(text.text).toContain("ExperimentExposureQuery");
  expect(text.text).toContain("variant_results");
  expect(text.text).toContain(flag);
});
