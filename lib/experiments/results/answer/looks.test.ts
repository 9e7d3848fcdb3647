import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { experiment_looks } from "#lib/platform/db/tables/experiment_results.ts";
import { addKey } from "#testing/accounts.ts";
import { HOUR, metric, START, source, startResults } from "#testing/experiment-results.ts";

let service: Awaited<ReturnType<typeof startResults>>;
let experiment: { id: number; feature_flag_key: string };
let reader: string;

beforeAll(async () => {
  service = await startResults();
  experiment = await service.create({
    metrics: [metric({ metric_type: "funnel", name: "Paid", series: [source("paid")] })],
  });
  const exposures = Array.from({ length: 12 }, (_, i) => ({
    event: "$feature_flag_called",
    id: `p${i}`,
    at: i,
    properties: {
      $feature_flag: experiment.feature_flag_key,
      $feature_flag_response: i % 2 ? "test" : "control",
    },
  }));
  await service.send(exposures);
  reader = (await addKey(service.db, 1, { scopes: ["experiment:read"] })).value;
});
beforeEach(() => service.db.delete(experiment_looks));
afterAll(() => service.close());

const read = (rest: string) =>
  service.api("GET", `/api/projects/1/experiments/${experiment.id}/${rest}`, undefined, { key: reader });

it("whoever is shown results is named among the looks, once for the same figures", async () => {
  const looks = async () => service.db.select().from(experiment_looks);
  await read("results/?look=false");
  expect(await looks()).toEqual([]);
  for (let i = 0; i < 5; i++) expect((await read("results/")).status).toBe(200);
  expect(await looks()).toMatchObject([{ user_id: 1, exposures: { control: 6, test: 6 }, total: 12 }]);
});

it("an experiment has a bounded number of looks, the newest of which is the last one", async () => {
  await service.db.execute(sql`insert into experiment_looks (experiment_id, user_id, at, total, exposures)
    select ${experiment.id}, 1, ${new Date(START + HOUR).toISOString()}::timestamptz, i, json_build_object('control', i)
      from generate_series(1, 1000) i`);
  await read("results/");
  const looks = await read("looks/");
  expect(looks.json.count).toBe(1_000);
  expect(looks.json.results.at(-1)).toMatchObject({ total: 12, exposures: { control: 6, test: 6 } });
});
