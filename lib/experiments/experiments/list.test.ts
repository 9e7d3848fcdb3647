import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createExperiment, done, FLAGS, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
const made: Record<string, { id: number; feature_flag: { id: number } }> = {};
beforeAll(async () => {
  service = await startService();
  const make = async (name: string, fields: Record<string, unknown>) => {
    made[name] = await createExperiment(service, { name, ...fields });
  };
  await make("Draft", {});
  await make("running", { start_date: "2026-01-05T00:00:00Z" });
  await make("Stopped early", { start_date: "2026-01-01T00:00:00Z", end_date: "2026-01-03T00:00:00Z" });
  await make("stopped late", { start_date: "2026-01-02T00:00:00Z", end_date: "2026-03-01T00:00:00Z" });
  await make("paused", { start_date: "2026-01-06T00:00:00Z" });
  await make("Archived", { archived: true });
  await make("deleted", {});
  const flag = `${FLAGS}${made.paused?.feature_flag.id}/`;
  await done(service.api("PATCH", flag, { active: false }));
  await done(service.api("PATCH", `${ROOT}${made.deleted?.id}/`, { deleted: true }));
  await done(service.api("PATCH", `${ROOT}${made.running?.id}/`, { description: "Touched last" }));
});
afterAll(() => service.close());

const NEWEST_FIRST = ["paused", "stopped late", "Stopped early", "running", "Draft"];

describe("the list", () => {
  it.each([
    ["", NEWEST_FIRST],
    ["order=", NEWEST_FIRST],
    ["order=created_at", [...NEWEST_FIRST].reverse()],
    ["order=-updated_at&limit=1", ["running"]],
    ["order=-name", ["stopped late", "Stopped early", "running", "paused", "Draft"]],
    ["order=start_date", ["Stopped early", "stopped late", "running", "paused", "Draft"]],
    ["order=end_date", ["Stopped early", "stopped late", "paused", "running", "Draft"]],
    ["order=-end_date", ["stopped late", "Stopped early", "paused", "running", "Draft"]],
    ["order=-duration", ["running", "paused", "stopped late", "Stopped early", "Draft"]],
    ["order=-status", ["stopped late", "Stopped early", "paused", "running", "Draft"]],
    ["archived=TRUE", ["Archived"]],
    ["archived=no", NEWEST_FIRST],
    ["status=DRAFT", ["Draft"]],
    ["status=Complete", ["stopped late", "Stopped early"]],
    ["status=", NEWEST_FIRST],
    ["status=stopped&search=late", ["stopped late"]],
    ["search=+early+", ["Stopped early"]],
    ["search=++", NEWEST_FIRST],
    ["search=%25", []],
    ["search=deleted", []],
    ["created_by_id=1&status=running", ["running"]],
    ["created_by_id=&feature_flag_id=", NEWEST_FIRST],
    ["created_by_id=0", []],
    ["feature_flag_id=2147483647", []],
    ["limit=2&offset=3", ["running", "Draft"]],
    ["offset=5", []],
  ])("%s", async (query, names) => {
    const { results } = await done(service.api("GET", `${ROOT}?${query}`));
    expect(results.map(({ name }: { name: string }) => name)).toEqual(names);
  });

  it("of one flag holds the experiments on it", async () => {
    const { count, results } = await done(
      service.api("GET", `${ROOT}?feature_flag_id=${made.running?.feature_flag.id}`),
    );
    expect([count, results[0].id]).toEqual([1, made.running?.id]);
  });

  it("counts what it is narrowed down to, whatever the page", async () => {
    const page = await done(service.api("GET", `${ROOT}?status=stopped&limit=1`));
    expect(page).toMatchObject({ count: 2, previous: null, next: expect.stringContaining("status=stopped") });
  });

  it.each([
    ["created_by_id=1.5", "created_by_id"],
    ["created_by_id=-1", "created_by_id"],
    ["created_by_id=0x1", "created_by_id"],
    ["feature_flag_id=2147483648", "feature_flag_id"],
    ["feature_flag_id=1e3", "feature_flag_id"],
    ["order=description", "order"],
    ["order=--name", "order"],
  ])("refuses %s", async (query, attr) => {
    const { status, json } = await service.api("GET", `${ROOT}?${query}`);
    expect([status, json.code, json.attr]).toEqual([400, "invalid_input", attr]);
    expect(json.detail).toContain(attr === "order" ? "created_at, updated_at, name" : "a whole number");
  });
});
