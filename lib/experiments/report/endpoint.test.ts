import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addKey } from "#testing/accounts.ts";
import { metric, source, startResults } from "#testing/experiment-results.ts";
import type { ReportDocument } from "./document.ts";
import { computeFigures } from "./figures.ts";
import { computeSeals, digestOf } from "./seal.ts";
import { verify } from "./verify.ts";

const DAYS = 6;
const PEOPLE = 400;

let service: Awaited<ReturnType<typeof startResults>>;
let id: number;

const documentIn = (file: string): ReportDocument => {
  const [, json] = /<script type="application\/json" id="document">(.*?)<\/script>/s.exec(file) ?? [];
  return JSON.parse(json ?? "");
};

/** Everyone is exposed once; of the variant more convert, and convert to more. */
function history(flag: string) {
  return Array.from({ length: PEOPLE }, (_, i) => {
    const variant = i % 2 === 0 ? "control" : "test";
    const at = ((i * 24 * DAYS) / PEOPLE) * 0.95;
    const converts = i % (variant === "test" ? 3 : 5) === 0;
    const called = { $feature_flag: flag, $feature_flag_response: variant };
    return [
      { event: "$feature_flag_called", id: `p${i}`, at, properties: called },
      ...(converts ? [{ event: "paid", id: `p${i}`, at: at + 1, properties: { amount: 10 + (i % 7) } }] : []),
    ];
  }).flat();
}

beforeAll(async () => {
  service = await startResults();
  const start = new Date(Date.UTC(2026, 2, 2, 9));
  const made = await service.create({
    start_date: start.toISOString(),
    end_date: new Date(start.getTime() + DAYS * 24 * 3_600_000).toISOString(),
    metrics: [
      metric({ metric_type: "funnel", name: "Paid", goal: "increase", series: [source("paid")] }),
      metric({
        metric_type: "mean",
        name: "Amount",
        goal: "increase",
        source: source("paid", { math: "sum", math_property: "amount" }),
      }),
    ],
  });
  id = made.id;
  await service.send(history(made.feature_flag_key));
});
afterAll(() => service.close());

const path = () => `/api/projects/1/experiments/${id}/report/`;

describe("an experiment's report", () => {
  it("is a file whose figures, as the service shows them, follow from its data", async () => {
    const reply = await service.api("GET", path());
    expect(reply.status, reply.text.slice(0, 300)).toBe(200);
    expect(reply.headers.get("content-disposition")).toBe('attachment; filename="checkout-report.html"');
    const report = documentIn(reply.text);
    expect(verify(report)).toMatchObject({ verified: true });
    expect(report.data.exposures).toEqual({ control: 200, test: 200 });
    expect(report.figures.metrics).toHaveLength(2);
    expect(report.figures.metrics[0]?.variants[0]?.estimate?.effect).toBeGreaterThan(0);
  });

  it("is logged with its seal when recorded, once for the same data", async () => {
    const sealed = async () => {
      const log = await service.api("GET", `/api/projects/1/experiments/${id}/activity/`);
      return log.json.results.filter((entry: { activity: string }) => entry.activity === "sealed");
    };
    await service.api("GET", path());
    expect(await sealed()).toEqual([]);
    for (let i = 0; i < 2; i++) {
      const recorded = await service.api("POST", path());
      expect(recorded.status).toBe(201);
      expect(recorded.headers.get("content-disposition")).toContain("-report.html");
      const entries = await sealed();
      expect(entries).toHaveLength(1);
      expect(entries[0].detail.changes[0].after).toBe(documentIn(recorded.text).seals.all);
    }
    const { value: key } = await addKey(service.db, 1, { scopes: ["experiment:read"] });
    expect((await service.api("POST", path(), undefined, { key })).status).toBe(403);
    expect((await service.api("GET", path(), undefined, { key })).status).toBe(200);
  });

  it("is signed by the instance: a copy that is altered and sealed again is recognized", async () => {
    const check = async (report: ReportDocument) => {
      const { definitions, seals } = report;
      const body = {
        experiment_id: definitions.experiment.id,
        digest: digestOf(report),
        signature: seals.signature ?? "",
        seal: seals.all,
      };
      const reply = await service.api("POST", "/api/projects/1/experiments/check_report/", body);
      expect(reply.status, reply.text).toBe(200);
      return reply.json;
    };
    const report = documentIn((await service.api("GET", path())).text);
    expect(await check(report)).toEqual({ signed: true, recorded_at: expect.any(String) });
    expect(await check({ ...report, definitions: { ...report.definitions, unit: "company" } })).toEqual({
      signed: false,
      recorded_at: null,
    });

    const data = { ...report.data, exposures: { ...report.data.exposures, test: 201 } };
    const seals = { ...report.seals, ...computeSeals(report.definitions, data) };
    const figures = computeFigures(report.definitions, data);
    const forged: ReportDocument = { ...report, data, figures, seals };
    expect(verify(forged)).toMatchObject({ verified: true });
    expect(await check(forged)).toEqual({ signed: false, recorded_at: null });
    const { signature: _, ...unsigned } = report.seals;
    expect(await check({ ...report, seals: unsigned })).toMatchObject({ signed: false });
    expect(await check({ ...report, made_at: "2020-01-01T00:00:00.000Z" })).toMatchObject({ signed: false });
  });

  it("keeps the split, the plan at launch and what was shipped, and still follows from its data", async () => {
    const made = await service.create({ name: "Record", description: "More orders" });
    await service.send(history(made.feature_flag_key));
    const one = `/api/projects/1/experiments/${made.id}/`;
    const flag = `/api/projects/1/feature_flags/${made.feature_flag.id}/`;
    const shares = (control: number, test: number) => ({
      filters: {
        ...made.feature_flag.filters,
        multivariate: {
          variants: [
            { key: "control", rollout_percentage: control },
            { key: "test", rollout_percentage: test },
          ],
        },
      },
    });
    await service.api("PATCH", flag, shares(80, 20));
    const late = Array.from({ length: 200 }, (_, i) => ({
      event: "$feature_flag_called",
      id: `late-${i}`,
      at: (Date.now() - Date.UTC(2026, 2, 2, 9)) / 3_600_000,
      properties: {
        $feature_flag: made.feature_flag_key,
        $feature_flag_response: i % 5 === 0 ? "test" : "control",
      },
    }));
    await service.send(late);
    await service.api("PATCH", one, { description: "Fewer complaints" });
    const ended = { end_date: new Date().toISOString(), conclusion: "won", shipped_variant: "test" };
    expect((await service.api("PATCH", one, ended)).status).toBe(200);
    await service.api("PATCH", flag, shares(1, 99));
    const { text } = await service.api("GET", `${one}report/`);
    const report = documentIn(text);
    expect(verify(report)).toMatchObject({ verified: true });
    expect(report.definitions.experiment).toMatchObject({
      description: "Fewer complaints",
      conclusion: "won",
      shipped_variant: "test",
      launch_plan: { description: "More orders", changes: [{ field: "description" }] },
    });
    expect(report.definitions.phases.map((phase) => phase.shares)).toEqual([
      { control: 50, test: 50 },
      { control: 80, test: 20 },
    ]);
    expect(report.figures.sample_ratio).toEqual({
      p_value: 1,
      mismatch: false,
      expected: { control: 360, test: 240 },
      phases: [1, 1],
    });
    for (const words of ["Changed after launch", "Phases of the split", "Shipped to everybody"])
      expect(text).toContain(words);
    const [first, second] = report.definitions.phases;
    const phases = first && second ? [first, { ...second, shares: first.shares }] : [];
    const forged = { ...report, definitions: { ...report.definitions, phases } };
    expect(verify(forged)).toMatchObject({ verified: false });
  });

  it("is refused before the launch and for unknown experiments", async () => {
    const draft = await service.create({ start_date: null, name: "Draft" });
    const reply = await service.api("GET", `/api/projects/1/experiments/${draft.id}/report/`);
    expect(reply.status).toBe(400);
    expect(reply.json.detail).toContain("not started");
    expect((await service.api("GET", "/api/projects/1/experiments/999999/report/")).status).toBe(404);
    expect((await service.api("GET", path(), undefined, { key: null })).status).toBe(401);
  });
});
