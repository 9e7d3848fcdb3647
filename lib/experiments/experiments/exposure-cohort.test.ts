import { afterAll, beforeAll, expect, it } from "vitest";
import { createExperiment, done, ROOT } from "#testing/experiments.ts";
import { type Service, startService } from "#testing/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const START = "2026-01-05T00:00:00Z";
const send = (id: number) => service.api("POST", `${ROOT}${id}/create_exposure_cohort_for_experiment/`, {});
async function leafFor(parameters: unknown, start_date = START) {
  const made = await createExperiment(service, { start_date, parameters });
  const { cohort } = await done(send(made.id));
  return { made, cohort, leaf: cohort.filters.properties.values[0].values[0] };
}

it.each([
  ["no parameters", null],
  ["parameters without a filter", { note: 1 }],
  ["a filter of null", { custom_exposure_filter: null }],
  ["a filter that is a list", { custom_exposure_filter: [{ id: "seen" }] }],
  ["a filter of nothing", { custom_exposure_filter: { events: [], actions: [] } }],
  ["a filter of odd forms", { custom_exposure_filter: { events: "seen", actions: [3] } }],
])("with %s, calls of the flag count as exposure", async (_, parameters) => {
  const { made, leaf } = await leafFor(parameters);
  expect(leaf).toEqual({
    type: "behavioral",
    value: "performed_event",
    negation: false,
    explicit_datetime: "2026-01-05T00:00:00+00:00",
    key: "$feature_flag_called",
    event_type: "events",
    event_filters: [
      { key: "$feature_flag", value: [made.feature_flag_key], operator: "exact", type: "event" },
    ],
  });
});

const condition = (type?: string) => ({ key: "plan", value: "pro", ...(type && { type }) });

it.each([
  ["an event", { events: [{ id: "seen" }] }, "seen", "events", []],
  ["every event", { events: [{ id: null }] }, null, "events", []],
  ["an action", { actions: [{ id: 3 }] }, 3, "actions", []],
  ["an action by its number as a text", { actions: [{ id: "3" }] }, 3, "actions", []],
  ["both: the event", { events: [{ id: "seen" }], actions: [{ id: 3 }] }, "seen", "events", []],
  [
    "conditions: those on the event",
    {
      events: [
        {
          id: "seen",
          properties: [
            ...["event", "feature", "element", "person", "cohort", "group"].map(condition),
            condition(),
            "plan",
          ],
        },
      ],
    },
    "seen",
    "events",
    [condition("event"), condition("feature"), condition("element"), condition()],
  ],
  [
    "conditions on an action",
    { actions: [{ id: 3, properties: [condition("event"), condition("person")] }] },
    3,
    "actions",
    [condition("event")],
  ],
])(
  "with a filter of its own that says %s, that counts",
  async (_, filter, key, event_type, event_filters) => {
    const { leaf } = await leafFor({ custom_exposure_filter: filter });
    expect(leaf).toMatchObject({ key, event_type, event_filters });
  },
);

it.each([["one"], [""], ["  "], [1.5], [undefined]])("an action named %j is refused", async (id) => {
  const made = await createExperiment(service, {
    start_date: START,
    parameters: { custom_exposure_filter: { actions: [{ id, name: "paid" }] } },
  });
  const { status, json } = await send(made.id);
  expect([status, json.code]).toEqual([400, "invalid_input"]);
  expect((await done(service.api("GET", `${ROOT}${made.id}/`))).exposure_cohort).toBeNull();
});

it("the moment of the launch is written with its offset, and with fractions where there are any", async () => {
  const { leaf } = await leafFor({}, "2026-01-05T00:00:00.250Z");
  expect(leaf.explicit_datetime).toBe("2026-01-05T00:00:00.250+00:00");
});

it("the cohort's name is cut where the experiment's is too long", async () => {
  const name = "x".repeat(400);
  const made = await createExperiment(service, { name, start_date: START });
  const { cohort } = await done(send(made.id));
  expect(cohort.name).toBe(`Users exposed to experiment "${name}`.slice(0, 400));
});

it("is recorded in the experiment's log as an update, and makes a version", async () => {
  const { made, cohort } = await leafFor({});
  const log = await done(service.api("GET", `${ROOT}${made.id}/activity/`));
  expect(log.results[0]).toMatchObject({
    activity: "updated",
    scope: "Experiment",
    detail: { changes: [{ field: "exposure_cohort", before: null, after: cohort.id }] },
  });
  expect((await done(service.api("GET", `${ROOT}${made.id}/`))).version).toBe(2);
});

it("says why it is not made", async () => {
  const draft = await createExperiment(service);
  expect((await send(draft.id)).json.detail).toContain("not been launched");
  const { made } = await leafFor({});
  expect((await send(made.id)).json.detail).toContain("already");
  await done(service.api("PATCH", `${ROOT}${made.id}/`, { deleted: true }));
  expect((await send(made.id)).status).toBe(404);
  expect((await send(987_654)).status).toBe(404);
});
