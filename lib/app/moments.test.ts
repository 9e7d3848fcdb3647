import { afterAll, beforeAll, expect, it } from "vitest";
import { eventOf } from "#testing/events.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
let flag: number;
beforeAll(async () => {
  service = await startService();
  await service.runtime.events.write(1, [eventOf("signed up", "anna")]);
  flag = (await service.api("POST", "/api/projects/1/feature_flags/", { key: "flag" })).json.id;
});
afterAll(() => service.close());

/** The moments of queries, by path. */
const QUERIES = [
  ["activity_log/", "date_from"],
  ["activity_log/", "date_to"],
  ["surveys/stats/", "date_from"],
  ["surveys/stats/", "date_to"],
] as const;

/** The moments of bodies, each with what else the request needs; FLAG stands for the id of a flag. */
const BODIES = [
  ["feature_flags/", "created_at", { key: "new" }],
  ["feature_flags/FLAG/pins/", "until", { distinct_id: "anna", value: true }],
  ["feature_flags/evaluate/", "at", { id: "FLAG", distinct_id: "anna" }],
  [
    "scheduled_changes/",
    "scheduled_at",
    { model_name: "FeatureFlag", record_id: "FLAG", payload: { operation: "update_status", value: true } },
  ],
  ["experiments/", "start_date", { name: "New", feature_flag_key: "new" }],
  ["surveys/", "start_date", { name: "New", type: "popover", questions: [{ type: "open", question: "?" }] }],
] as const;

/** Before the first and after the last year that the database's texts can name. */
const IMPOSSIBLE = ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59-02:00"];

it.each(IMPOSSIBLE.flatMap((text) => QUERIES.map(([path, field]) => [path, field, text] as const)))(
  "GET %s refuses %s=%s",
  async (path, field, text) => {
    const reply = await service.api(
      "GET",
      `/api/projects/1/${path}?${new URLSearchParams({ [field]: text }).toString()}`,
    );
    expect([reply.status, reply.json.attr]).toEqual([400, field]);
  },
);

it.each(
  IMPOSSIBLE.flatMap((text) => BODIES.map(([path, field, more]) => [path, field, text, more] as const)),
)("POST %s refuses %s %s", async (path, field, text, more) => {
  const url = `/api/projects/1/${path.replace("FLAG", String(flag))}`;
  const body = JSON.parse(JSON.stringify({ ...more, [field]: text }).replace('"FLAG"', String(flag)));
  const reply = await service.api("POST", url, body);
  expect([reply.status, reply.json.attr], reply.text).toEqual([400, field]);
});
