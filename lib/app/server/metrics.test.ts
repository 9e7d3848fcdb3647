import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "#testing/service.ts";

const TOKEN = "the-token-of-whoever-monitors";
const FLAGS = "/api/projects/1/feature_flags/";

let service: Service;
beforeAll(async () => {
  service = await startService({ metricsToken: TOKEN });
});
afterAll(() => service.close());

const scrape = async () => {
  const { status, text } = await service.api("GET", "/metrics", undefined, { key: TOKEN });
  expect(status).toBe(200);
  return text;
};

/** The figure of a series, by its name and labels as they are written. */
async function figure(series: string): Promise<number> {
  const lines = (await scrape()).split("\n");
  const found = lines.find((line) => line.startsWith(`${series} `));
  return Number(found?.slice(series.length) ?? 0);
}

/** By how much a figure grows meanwhile. */
async function growth(series: string, work: () => Promise<unknown>): Promise<number> {
  const before = await figure(series);
  await work();
  return (await figure(series)) - before;
}

const flags = (distinct_id: string, headers = {}, query = "") =>
  service.api("POST", `/flags/?v=2${query}`, { token: service.token, distinct_id }, { key: null, headers });

describe("/metrics", () => {
  it("is for whoever has the token", async () => {
    for (const key of [null, service.key, `${TOKEN}x`, TOKEN.slice(1)]) {
      const { status, text } = await service.api("GET", "/metrics", undefined, { key });
      expect([status, text.includes("switchyard_")]).toEqual([401, false]);
    }
    expect(
      (await service.api("GET", `/metrics?personal_api_key=${TOKEN}`, undefined, { key: null })).status,
    ).toBe(401);
    const { headers } = await service.api("GET", "/metrics", undefined, { key: TOKEN });
    expect(headers.get("content-type")).toMatch(/^text\/plain; version=/);
  });

  it("is not there without one", async () => {
    const without = await startService();
    expect((await without.api("GET", "/metrics", undefined, { key: TOKEN })).status).toBe(404);
    await without.close();
  });

  it("counts requests by the pattern of their path, and never by what clients choose", async () => {
    const series = `switchyard_http_requests_total{method="GET",route="/api/projects/:project_id/feature_flags/:id",status="404"}`;
    expect(await growth(series, () => service.api("GET", `${FLAGS}987654321/`))).toBe(1);
    await service.api("GET", "/api/canary-path/");
    await service.api("GET", `/array/phc_canary-token/config`, undefined, { key: null });
    await service.api("GET", `${FLAGS}?search=canary-search`);
    await service.api("CANARY", FLAGS);
    await flags("canary-person", { "user-agent": "canary-agent/1.2.3" });
    const text = await scrape();
    expect(text).not.toMatch(/canary/i);
    expect(text).toContain('route="unknown",status="404"');
    expect(text).toContain('method="other"');
    expect(text).toMatch(
      /^switchyard_http_request_duration_seconds_bucket\{le="0.1",route="\/flags"\} [1-9]/m,
    );
  });

  it("tells how values of flags were found", async () => {
    const answered = (how: string) => `switchyard_flag_evaluations_total{answer="${how}"}`;
    expect(await growth(answered("memory"), () => flags("ann"))).toBe(1);
    const properties = [{ key: "plan", type: "person", operator: "exact", value: ["pro"] }];
    const filters = { groups: [{ properties, rollout_percentage: 100 }] };
    expect((await service.api("POST", FLAGS, { key: "by-plan", filters })).status).toBe(201);
    expect(await growth(answered("stored"), () => flags("ann"))).toBe(1);
    expect(
      await growth('switchyard_cache_uses_total{cache="flags",result="hit"}', () => flags("ann")),
    ).toBeGreaterThan(0);
  });

  it("counts the SDKs that call, and only so many versions", async () => {
    const of = (sdk: string, version: string) =>
      `switchyard_sdk_requests_total{sdk="${sdk}",version="${version}"}`;
    const node = { "user-agent": "posthog-node/5.70.0" };
    expect(await growth(of("posthog-node", "5.70.0"), () => flags("ann", node))).toBe(1);
    const browser = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64)" };
    expect(await growth(of("posthog-js", "1.434.18"), () => flags("ann", browser, "&ver=1.434.18"))).toBe(1);
    for (let i = 0; i < 120; i++) await flags("ann", { "user-agent": `posthog-python/7.${i}.0` });
    await flags("ann", { "user-agent": "posthog-python/a@b.example" });
    const versions = (await scrape()).match(/^switchyard_sdk_requests_total/gm) ?? [];
    expect(versions.length).toBeLessThanOrEqual(105);
    expect(await figure(of("posthog-python", "other"))).toBeGreaterThan(20);
    const refused = async () => {
      const reply = await service.api(
        "POST",
        "/flags/?v=2",
        { token: "phc_wrong", distinct_id: "ann" },
        { key: null, headers: node },
      );
      expect(reply.status).toBe(401);
    };
    expect(await growth(of("posthog-node", "5.70.0"), refused)).toBe(0);
  });

  it("follows events into the database", async () => {
    const uuid = "0197d6a0-0000-7000-8000-000000000001";
    const event = { event: "seen", distinct_id: "ann", uuid, properties: {} };
    const send = () =>
      service.api("POST", "/batch/", { api_key: service.token, batch: [event] }, { key: null });
    expect(await growth('switchyard_events_total{result="stored"}', send)).toBe(1);
    expect(await growth('switchyard_events_total{result="duplicate"}', send)).toBe(1);
    expect(await growth("switchyard_event_batch_size_count", send)).toBe(1);
    expect(await figure("switchyard_events_waiting")).toBe(0);
  });

  it("says what the database, the jobs and the process are doing", async () => {
    await service.db.execute(
      `insert into jobs (name, key, state, attempts, run_at) values
        ('repair', 'a', 'waiting', 2, now() - interval '1 hour'), ('repair', 'b', 'failed', 10, now())`,
    );
    expect(await figure('switchyard_jobs{kind="repair",state="retrying"}')).toBe(1);
    expect(await figure('switchyard_jobs{kind="repair",state="failed"}')).toBe(1);
    expect(await figure('switchyard_job_lag_seconds{kind="repair"}')).toBeGreaterThan(3_500);
    expect(await figure("switchyard_database_up")).toBe(1);
    expect(await figure("switchyard_event_partitions")).toBeGreaterThan(0);
    expect(await figure("switchyard_event_partition_bytes")).toBeGreaterThan(0);
    expect(await figure('switchyard_database_connections{pool="requests",state="idle"}')).toBeGreaterThan(0);
    const text = await scrape();
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m);
    expect(text).toMatch(/^process_resident_memory_bytes /m);
  });
});

describe("what is said about the metrics", () => {
  const file = (path: string) => readFileSync(join(import.meta.dirname, "..", "..", "..", path), "utf8");
  const namesIn = (text: string, pattern: RegExp) =>
    new Set([...text.matchAll(pattern)].map(([name]) => name));
  const OWN = /\bswitchyard_\w+/g;

  it("is true: the dashboard for Grafana asks for nothing else", async () => {
    const { panels } = JSON.parse(file("deploy/grafana.json")) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const known = namesIn(await scrape(), /^# TYPE \S+/gm);
    const isKnown = (name: string) =>
      [name, name.replace(/_(bucket|sum|count)$/, "")].some((each) => known.has(`# TYPE ${each}`));
    const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(asked.length).toBeGreaterThan(20);
    const named = asked.flatMap((expr) => [...namesIn(expr, /\b(switchyard|process|nodejs)_\w+/g)]);
    expect(named.filter((name) => !isKnown(name))).toEqual([]);
  });

  it("is complete: all are in the handbook and on the dashboard", async () => {
    const served = [...namesIn(await scrape(), /(?<=^# TYPE )switchyard_\w+/gm)];
    const handbook = namesIn(file("docs/operations.md"), OWN);
    const dashboard = [...namesIn(file("deploy/grafana.json"), OWN)].map((name) =>
      name.replace(/_bucket$/, ""),
    );
    expect(served.filter((name) => !handbook.has(name))).toEqual([]);
    expect(served.filter((name) => !dashboard.includes(name))).toEqual([]);
  });
});
