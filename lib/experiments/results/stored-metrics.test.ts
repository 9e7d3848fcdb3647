import { eq } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planByRule, planFromEvents, planningOf } from "#components/experiments/planning.ts";
import { buildMetricTable } from "#components/experiments/results/metric-table/files.ts";
import { unitOf } from "#components/experiments/results/model.ts";
import { peekSafeSettings, readPeekSafe } from "#components/experiments/results/peeking/peek-safe.ts";
import { readVerdict } from "#components/experiments/running/verdict.ts";
import { findMetricProblem, finishMetric } from "#components/metrics/metric-draft.ts";
import { kindWord, listEvents, metricName, metricText } from "#components/metrics/metric-words.ts";
import type { Json } from "#lib/engines/json.ts";
import { readSettings } from "#lib/engines/statistics/settings.ts";
import { readMetric, readMetricType, UNKNOWN } from "#lib/experiments/metric_kinds/metric-kinds.ts";
import { experiment_saved_metrics, experiments } from "#lib/platform/db/tables/experiments.ts";
import { metric, source, startResults } from "#testing/experiment-results.ts";

/** Stored metrics of every form: what cannot be computed is listed with its problem, and takes nothing down. */

const API = "/api/projects/1/";
const PAID = metric({ metric_type: "funnel", uuid: "paid", name: "Paid", series: [source("order")] });

let service: Awaited<ReturnType<typeof startResults>>;
let experiment: { id: number; feature_flag_key: string };
let saved: { id: number };
beforeAll(async () => {
  service = await startResults();
  saved = (
    await service.api("POST", `${API}experiment_saved_metrics/`, { name: "Saved", query: READABLE[0] })
  ).json;
  experiment = await service.create({
    metrics: [PAID],
    saved_metrics_ids: [{ id: saved.id, metadata: { type: "secondary" } }],
  });
  const exposed = (id: string, variant: string) => ({
    event: "$feature_flag_called",
    id,
    at: 1,
    properties: { $feature_flag: experiment.feature_flag_key, $feature_flag_response: variant },
  });
  await service.send([
    exposed("a", "control"),
    exposed("b", "test"),
    { event: "order", id: "b", at: 2, properties: { amount: 7 } },
  ]);
});
afterAll(() => service.close());

const READABLE: Json[] = [
  metric({ metric_type: "mean", source: source("order") }),
  metric({ metric_type: "mean", source: source("order", { math: "sum", math_property: "amount" }) }),
  metric({ metric_type: "funnel", series: [source("order"), source("paid")], conversion_window: 3 }),
  metric({ metric_type: "ratio", numerator: source("order"), denominator: source(null) }),
  metric({
    metric_type: "retention",
    start_event: source("order"),
    completion_event: source("order"),
    retention_window_start: 1,
    retention_window_end: 7,
    retention_window_unit: "day",
  }),
];

const junk = fc.oneof(
  fc.constantFrom(null, true, "", "mean", "retention", -1, 0, 1.5, 1e308, [], {}, [null], [[]], "hogql"),
  fc.jsonValue({ maxDepth: 2 }),
);
const members = [...new Set(READABLE.flatMap((one) => Object.keys(one)))].concat("goal", "name", "uuid");

/** A readable metric with any of its members replaced. */
const broken = fc
  .tuple(fc.constantFrom(...READABLE), fc.dictionary(fc.constantFrom(...members), junk, { maxKeys: 2 }))
  .map(([one, replaced]): Json => ({ ...one, ...replaced }));

const foreign = fc
  .record({
    kind: fc.constantFrom(
      "ExperimentMetric",
      "ExperimentTrendsQuery",
      "ExperimentFunnelsQuery",
      "Insight",
      null,
    ),
    metric_type: fc.constantFrom(
      "median",
      "unknown",
      "constructor",
      "__proto__",
      "mean ",
      7,
      null,
      ["mean"],
      {},
    ),
  })
  .chain((head) =>
    fc.dictionary(fc.constantFrom(...members), junk).map((rest): Json => ({ ...rest, ...head })),
  );

const stored = fc
  .array(fc.oneof(fc.constantFrom(...READABLE), broken, foreign), { maxLength: 4 })
  .filter((list) => !JSON.stringify(list).includes("\\u0000"));

async function get(path: string) {
  const { status, json, text } = await service.api("GET", API + path);
  expect(status, text).toBe(200);
  return { json, text };
}

/** What pages make of a stored metric. */
function readAsPagesDo(raw: Json): void {
  const { metric: readable } = readMetric(raw);
  expect(kindWord(raw)).not.toBe("");
  expect(metricName(raw)).toEqual(expect.any(String));
  expect(metricText(raw) === "A legacy metric: it is stored, but not computed.").toBe(readable === null);
  if (!readable) expect(listEvents(raw)).toEqual([]);
  expect(findMetricProblem(raw)).toSatisfy((found) => found === null || typeof found === "string");
  const { name: _, ...rest } = finishMetric(raw);
  expect(Object.keys(raw)).toEqual(expect.arrayContaining(Object.keys(rest)));
  const reading = { variants: [], baseline: "control", settings: readSettings(null) };
  const preview = { problem: "It cannot be counted." } as Parameters<typeof planFromEvents>[1];
  expect(planFromEvents(raw, preview, 5, reading)).toBeNull();
  if (readMetricType(raw) !== UNKNOWN) return;
  expect(planningOf(raw)).toBeNull();
  expect(planByRule(raw, 1, 5, reading)).toBeNull();
}

describe("stored metrics of any form", () => {
  it("are read as what they are, by the service and by its pages", () => {
    fc.assert(
      fc.property(stored, (list) => list.forEach(readAsPagesDo)),
      { numRuns: 500 },
    );
  });

  it("are listed with figures, or with the problem instead", async () => {
    await fc.assert(
      fc.asyncProperty(stored, stored, broken, async (primary, secondary, query) => {
        const { db } = service;
        await db
          .update(experiments)
          .set({ metrics: [PAID, ...primary], metrics_secondary: secondary })
          .where(eq(experiments.id, experiment.id));
        await db
          .update(experiment_saved_metrics)
          .set({ query })
          .where(eq(experiment_saved_metrics.id, saved.id));
        const own = `experiments/${experiment.id}/`;
        await get("experiments/");
        await get("experiment_saved_metrics/");
        const { json: record } = await get(own);
        expect(record.metrics).toHaveLength(1 + primary.length);

        const { json: results } = await get(`${own}results/`);
        const raws: Json[] = [PAID, ...primary, ...secondary, query];
        expect(results.metrics).toHaveLength(raws.length);
        for (const [i, found] of results.metrics.entries()) {
          const { metric: readable } = readMetric(raws[i] ?? {});
          expect(found.metric_type).toBe(readable?.metric_type ?? null);
          if (!readable) expect(found.problem).toMatch(/./);
          if (found.problem !== null) expect([found.baseline, found.variants]).toEqual([null, []]);
        }
        const [paid] = results.metrics;
        expect(paid).toMatchObject({ name: "Paid", problem: null, baseline: { sum: 0 } });
        expect(paid.variants[0]).toMatchObject({ key: "test", number_of_samples: 1, sum: 1 });

        expect(
          results.metrics.map((metric: Parameters<typeof unitOf>[0]) => unitOf(metric) === "share"),
        ).toEqual(
          results.metrics.map(({ metric_type }: Json) =>
            ["funnel", "retention"].includes(String(metric_type)),
          ),
        );
        expect(readVerdict(results).lines.length).toBeGreaterThan(0);
        expect(buildMetricTable(results.metrics).rows.length).toBeGreaterThan(1);
        expect(readPeekSafe(results, peekSafeSettings(readSettings(null))).metrics).toHaveLength(raws.length);

        const { json: summaries } = await get(`experiments/results_summaries/?ids=${experiment.id}`);
        expect(summaries.results[0].metric.name).toBe("Paid");
        const { text: report } = await get(`${own}report/`);
        expect(report).toContain("switchyard.experiment_report");
        for (const { uuid, fingerprint } of results.metrics.filter(({ uuid }: Json) => uuid !== "")) {
          const asked = new URLSearchParams({ metric_uuid: uuid, fingerprint });
          await get(`${own}timeseries_results/?${asked}`);
        }
      }),
      { numRuns: 40 },
    );
  });
});
