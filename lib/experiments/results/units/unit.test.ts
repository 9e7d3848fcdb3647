import { describe, expect, it } from "vitest";
import { MULTIPLE, phasedSampleRatio } from "#lib/engines/statistics/sample-ratio.ts";
import { type Hit, RECOMPUTE, type UnitHistory } from "#lib/experiments/metric_kinds/kind.ts";
import { listFindings } from "#lib/experiments/results/answer/health.ts";
import { hitAt, plannedMetric, planWith } from "#testing/experiment-plans.ts";
import { createIncrement } from "./unit.ts";

const END = 1_000_000;

const hit = (at: number, position = at) => hitAt(at, { position });

describe("new steps of an ordered funnel", () => {
  const increment = createIncrement(
    planWith({ end: END, metrics: [plannedMetric({ type: "funnel", sources: [0, 1] })] }),
  );
  const unit = { variant: "test", first_at: 100, values: [{ value: 0, other: 0, covariate: 0, mark: 0 }] };
  const folded = (first: Hit, second: Hit) => {
    const history: UnitHistory = { exposures: [], hits: [[first], [second]] };
    return increment(unit, [first, second], history, 100);
  };

  it("are added to those that are known", () => {
    expect(folded(hit(200), hit(201))).toEqual([{ value: 1, other: 2, covariate: 0, mark: 0 }]);
  });

  it("are recomputed where two happen at the same moment: their order is unknown", () => {
    expect(folded(hit(200, 1), hit(200, 2))).toBe(RECOMPUTE);
  });
});

describe("units with several variants", () => {
  const codes = (handling: "exclude" | "first_seen", multiple: number) =>
    listFindings({
      units: new Map([
        ["control", 500],
        ["test", 500 - multiple],
        [MULTIPLE, multiple],
      ]),
      split: { phases: [], check: phasedSampleRatio([]) },
      handling,
      isRunning: true,
      isFlagActive: true,
      unit: "person",
    }).map(({ code, severity }) => [code, severity]);

  it("cause a warning from one in 200 on, where they are excluded", () => {
    expect(codes("exclude", 4)).toEqual([]);
    expect(codes("exclude", 5)).toEqual([["multiple_variants", "warning"]]);
    expect(codes("exclude", 50)).toEqual([["multiple_variants", "error"]]);
  });

  it("are fine where their first variant counts", () => {
    expect(codes("first_seen", 50)).toEqual([]);
  });
});
