import { PostHogAgentToolkit } from "@posthog/agent-toolkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listenOnLoopback } from "#testing/loopback.ts";
import { type SdkService, startSdkService } from "#testing/sdk.ts";

/** The experiment tools that agents are given, unmodified, over a loopback port. */
let service: SdkService;
let host = "";
let close = async () => {};

beforeAll(async () => {
  service = await startSdkService();
  const listening = await listenOnLoopback((request) => service.handle(request));
  host = listening.address;
  close = listening.close;
});

afterAll(async () => {
  await close();
  await service.close();
});

/** Calls a tool as an agent does: found by its name, its input parsed by its own schema. */
async function use(name: string, input: Record<string, unknown> = {}) {
  const kit = new PostHogAgentToolkit({ posthogApiToken: service.key, posthogApiBaseUrl: host });
  const tool = (await kit.getTools()).find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const { content } = await tool.handler(kit.getContext(), tool.schema.parse(input));
  const text: string = content[0].text;
  return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text;
}

const checkout = {
  name: "Checkout by agent",
  description: "A shorter form is finished by more people",
  feature_flag_key: "agent-checkout",
  primary_metrics: [
    { name: "Paid", metric_type: "funnel", event_name: "visited", funnel_steps: ["visited", "paid"] },
    { name: "Orders", metric_type: "mean", event_name: "paid", properties: { plan: "pro" } },
  ],
  secondary_metrics: [
    {
      name: "Per visit",
      metric_type: "ratio",
      event_name: "paid",
      properties: { denominator_event: "visited" },
    },
  ],
  variants: [
    { key: "control", rollout_percentage: 50 },
    { key: "short", name: "Short form", rollout_percentage: 50 },
  ],
  minimum_detectable_effect: 10,
};

describe("experiments", () => {
  let id = 0;

  it("are created as drafts, with a flag of their own", async () => {
    const made = await use("experiment-create", checkout);
    id = made.id;
    expect(made).toMatchObject({
      name: checkout.name,
      feature_flag_key: "agent-checkout",
      type: "product",
      parameters: { minimum_detectable_effect: 10, feature_flag_variants: checkout.variants },
      metrics: [{ metric_type: "funnel" }, { metric_type: "mean", source: { properties: { plan: "pro" } } }],
      metrics_secondary: [{ metric_type: "ratio", denominator: { event: "visited" } }],
      saved_metrics_ids: null,
    });
    expect((await service.valuesFor({ distinct_id: "u" }))["agent-checkout"]).toBe(false);
  });

  it("are read one by one and all together", async () => {
    expect(await use("experiment-get", { experimentId: id })).toMatchObject({ id, name: checkout.name });
    for (let i = 0; i < 3; i += 1)
      await use("experiment-create", { ...checkout, name: `More ${i}`, feature_flag_key: `more-${i}` });
    const all = await use("experiment-get-all");
    expect(all.map((one: { id: number }) => one.id)).toContain(id);
    expect(all).toHaveLength(4);
  });

  it("are launched, and then their flag splits people", async () => {
    const launched = await use("experiment-update", { experimentId: id, data: { launch: true } });
    expect(launched.start_date).toMatch(/^\d{4}-/);
    const values = await Promise.all(
      Array.from(
        { length: 40 },
        async (_, i) => (await service.valuesFor({ distinct_id: `p${i}` }))["agent-checkout"],
      ),
    );
    expect(new Set(values)).toEqual(new Set(["control", "short"]));
  });

  it("have results, of what was really sent", async () => {
    const at = new Date().toISOString();
    const batch = Array.from({ length: 200 }, (_, i) => {
      const variant = i % 2 === 0 ? "control" : "short";
      const call = {
        event: "$feature_flag_called",
        distinct_id: `q${i}`,
        timestamp: at,
        properties: { $feature_flag: "agent-checkout", $feature_flag_response: variant },
      };
      const did = (event: string, properties = {}) => ({
        event,
        distinct_id: `q${i}`,
        timestamp: new Date(Date.now() + 1).toISOString(),
        properties,
      });
      const paid = i % 20 < (variant === "control" ? 2 : 6);
      return [call, did("visited"), ...(paid ? [did("paid", { plan: "pro" })] : [])];
    }).flat();
    const sent = await service.api("POST", "/batch/", { api_key: service.token, batch }, { key: null });
    expect(sent.status, sent.text).toBe(200);
    const results = await use("experiment-results-get", { experimentId: id, refresh: true });
    expect(results.experiment).toMatchObject({ id, status: "running", variants: checkout.variants });
    expect(results.exposures.total_exposures).toMatchObject({ control: 100, short: 100 });
    const [funnel, orders] = results.metrics.primary.results.map(({ data }: { data: unknown }) => data);
    expect(funnel.baseline).toMatchObject({ key: "control", number_of_samples: 100 });
    expect(orders.baseline).toMatchObject({ key: "control", number_of_samples: 100, sum: 10 });
    expect(orders.variant_results).toMatchObject([
      { key: "short", number_of_samples: 100, sum: 30, sum_squares: 30 },
    ]);
    expect(results.metrics.secondary.count).toBe(1);
  });

  it("are renamed, concluded, restarted and archived", async () => {
    const change = (data: Record<string, unknown>) => use("experiment-update", { experimentId: id, data });
    expect(await change({ name: "Renamed", minimum_detectable_effect: 12 })).toMatchObject({
      name: "Renamed",
      parameters: { minimum_detectable_effect: 12 },
    });
    expect(await change({ conclude: "won", conclusion_comment: "It works" })).toMatchObject({
      conclusion: "won",
      conclusion_comment: "It works",
      end_date: expect.any(String),
    });
    expect(await change({ restart: true })).toMatchObject({ conclusion: null, end_date: null });
    expect(await change({ archive: true })).toMatchObject({ archived: true });
    const all = await use("experiment-get-all");
    expect(all.map((one: { id: number }) => one.id)).not.toContain(id);
  });

  it("are deleted, and gone then", async () => {
    await use("experiment-delete", { experimentId: id });
    await expect(use("experiment-get", { experimentId: id })).rejects.toThrow();
  });

  it("are refused on a flag without variants", async () => {
    await service.createFlag("no-variants");
    await expect(
      use("experiment-create", { ...checkout, feature_flag_key: "no-variants" }),
    ).rejects.toThrow();
  });
});
