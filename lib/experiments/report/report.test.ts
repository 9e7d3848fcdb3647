import { describe, expect, it } from "vitest";
import { sampleReport } from "#testing/experiment-report.ts";
import { bundleEngine } from "./bundle.ts";
import { canonical, type ReportDocument } from "./document.ts";
import engine from "./engine.json" with { type: "json" };
import { reportFile } from "./file.ts";
import { reportBody } from "./page.ts";
import { compareReports, verify } from "./verify.ts";

/** A copy with one member changed by path. */
function changed(report: ReportDocument, path: string, value: unknown): ReportDocument {
  const copy = structuredClone(report) as unknown as Record<string, unknown>;
  const names = path.split("/");
  const last = names.pop() ?? "";
  const index = names.reduce((at, name) => at[name] as Record<string, unknown>, copy);
  expect(index[last]).not.toEqual(value);
  index[last] = value;
  return copy as unknown as ReportDocument;
}

describe("a sealed report", () => {
  const report = sampleReport();

  it("follows from its data", () => {
    const verdict = verify(report);
    expect(verdict).toMatchObject({ verified: true });
    expect(verdict.verified && verdict.numbers).toBeGreaterThan(100);
  });

  it.each([
    ["figures/metrics/0/variants/0/estimate/effect", 0.4, "Purchase, variant short: estimate effect"],
    ["figures/metrics/0/variants/1/estimate/p_holm", 0.001, "Purchase, variant one-page: estimate p holm"],
    ["figures/metrics/1/days/4/variants/short/low", -0.9, "Support requests, 2026-03-05: short low"],
    ["figures/sample_ratio/p_value", 0.5, "sample ratio, p value"],
    ["figures/peeking/actual", 0.05, "peeking, actual"],
    ["data/metrics/a/totals/short/sum", 500, "Purchase, variant short: value"],
    ["data/metrics/b/days/2026-03-03/control/sum", 300, "Support requests, 2026-03-03"],
    ["data/exposures_by_day/2026-03-03/short", 1, "the data under the seal"],
    ["definitions/experiment/name", "Another", "the definitions under the seal"],
    ["definitions/metrics/0/goal", "decrease", "the definitions under the seal"],
    ["definitions/stats_config/bayesian/ci_level", 0.8, "peeking, actual"],
    ["seals/all", "0".repeat(64), "the seal"],
  ])("with another %s is found out", (path, value, where) => {
    const verdict = verify(changed(report, path, value));
    expect(verdict.verified).toBe(false);
    if (!verdict.verified) expect(verdict.difference.where).toContain(where);
  });

  it("differs from a later one in its data and figures, not in its definitions", () => {
    const later = changed(report, "data/metrics/a/totals/short/sum", 500);
    const same = compareReports(report, later).map(({ part, same }) => [part, same]);
    expect(same).toEqual([
      ["definitions", true],
      ["data", false],
      ["engine", true],
      ["figures", true],
    ]);
    const first = compareReports(report, later)[1]?.first;
    expect(first).toEqual({ where: "metrics › a › totals › short › sum", stated: "410", found: "500" });
  });

  it("escapes what people wrote and keeps its data in one element", () => {
    const hostile = changed(report, "definitions/experiment/name", "</script><script>alert(1)</script>");
    const file = reportFile(hostile);
    expect(file).not.toContain("<script>alert");
    expect(file.match(/<\/script>/g)).toHaveLength(2);
    expect(file).toContain("default-src &#39;none&#39;");
  });

  it("says what every figure is, for each method in its own words", () => {
    expect(reportBody(report)).toContain("95% credible interval");
    const frequentist = { method: "frequentist", frequentist: { sequential_testing_enabled: true } };
    const other = changed(report, "definitions/stats_config", frequentist);
    expect(reportBody(other)).toContain("95% confidence sequence");
    expect(reportBody(other)).not.toContain("credible");
  });

  it("explains the CUPED estimator it was created with", () => {
    expect(reportBody(report)).not.toContain("CUPED");
    const config = { method: "bayesian", cuped: { enabled: true } };
    expect(reportBody(changed(report, "definitions/stats_config", config))).toContain(
      "CUPED: Adjusted means",
    );
    const named = { ...config, cuped: { enabled: true, estimator: "public_service" } };
    expect(reportBody(changed(report, "definitions/stats_config", named))).toContain(
      "CUPED: PostHog&#39;s formula",
    );
  });
});

describe("canonical JSON", () => {
  it("is the same whatever the order of members", () => {
    expect(canonical({ b: [1, { d: null, c: "x" }], a: undefined })).toBe('{"b":[1,{"c":"x","d":null}]}');
  });
});

describe("the engine that reports carry", () => {
  it("is built from the current sources:  `npm run build:report` otherwise", async () => {
    expect((await bundleEngine()).sha256).toBe(engine.sha256);
  });
});
