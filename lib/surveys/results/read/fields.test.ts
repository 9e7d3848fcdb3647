import { afterAll, beforeAll, expect, it } from "vitest";
import { launch, visit } from "#testing/hosted-surveys.ts";
import { type Service, startService } from "#testing/service.ts";
import { ROOT } from "#testing/surveys.ts";

let service: Service;
let id: string;
beforeAll(async () => {
  service = await startService();
  const survey = await launch(service, [{ id: "q", type: "open", question: "Why?" }]);
  id = survey.id;
  for (const [person, query] of VISITS)
    await (await visit(service, id, `?distinct_id=${person}&${query}`)).send({ answer: `As ${person}` });
  await visit(service, id, "?distinct_id=looker&utm_source=mail");
});
afterAll(() => service.close());

const VISITS = [
  ["ann", "utm_source=mail&seats=12"],
  ["bob", "utm_source=mail"],
  ["cy", "utm_source=50%25_off"],
  ["dee", "paid=true"],
] as const;

const get = async (what: string, fields: unknown) =>
  service.api("GET", `${ROOT}${id}/${what}/?fields=${encodeURIComponent(JSON.stringify(fields))}`);

it.each([
  [[{ name: "utm_source", value: "mail" }], ["ann", "bob"]],
  [[{ name: "utm_source", value: ["mail", "50%_off"] }], ["ann", "bob", "cy"]],
  [[{ name: "utm_source", operator: "is_not", value: "mail" }], ["cy", "dee"]],
  [[{ name: "utm_source", operator: "icontains", value: "%_O" }], ["cy"]],
  [[{ name: "utm_source", operator: "icontains", value: "m_il" }], []],
  [[{ name: "utm_source", operator: "not_icontains", value: "MAIL" }], ["cy", "dee"]],
  [[{ name: "utm_source", operator: "is_set", value: [] }], ["ann", "bob", "cy"]],
  [[{ name: "utm_source", operator: "is_not_set" }], ["dee"]],
  [[{ name: "seats", value: 12 }], ["ann"]],
  [[{ name: "paid", value: "true" }], ["dee"]],
  [
    [
      { name: "utm_source", value: "mail" },
      { name: "seats", operator: "is_not_set" },
    ],
    ["bob"],
  ],
  [[{ name: "x' or true --", value: "mail" }], []],
])("the filter %j keeps those whose responses match, in every figure and list", async (fields, people) => {
  const { json: figures } = await get("results", fields);
  const steps = Object.fromEntries(figures.funnel.map(({ step, count }: never) => [step, count]));
  expect([figures.filtered, figures.matched, steps]).toMatchObject([
    true,
    people.length,
    { shown: people.length, answered: people.length, completed: people.length },
  ]);
  const { json: rows } = await get("responses", fields);
  const names = rows.results.map(({ distinct_id }: { distinct_id: string }) => distinct_id);
  expect([rows.count, names.sort()]).toEqual([people.length, people]);
  const { json: exported } = await service.api(
    "GET",
    `${ROOT}${id}/export/?format=json&fields=${encodeURIComponent(JSON.stringify(fields))}`,
  );
  expect(exported).toHaveLength(people.length);
  const { json: shown } = await service.api(
    "GET",
    `${ROOT}${id}/responses/?event=shown&fields=${encodeURIComponent(JSON.stringify(fields))}`,
  );
  expect(shown.count).toBe(people.length);
});

it.each([
  [[{ name: "", value: "mail" }], "fields 0.name"],
  [[{ name: "utm_source" }], "fields 0: The operator exact needs a value."],
  [[{ name: "utm_source", operator: "gte", value: 1 }], "fields 0.operator"],
  [{ name: "utm_source" }, "fields"],
])("the filter %j is refused", async (fields, detail) => {
  const { status, json } = await get("results", fields);
  expect([status, json.attr]).toEqual([400, "fields"]);
  expect(json.detail).toContain(detail);
});

it("the fields that responses have are listed with their most frequent values", async () => {
  const { json } = await service.api("GET", `${ROOT}${id}/fields/`);
  expect(json).toEqual({
    fields: [
      { name: "paid", values: ["true"] },
      { name: "seats", values: ["12"] },
      { name: "utm_source", values: ["mail", "50%_off"] },
    ],
  });
});

it("a condition that needs no value may come with an empty list of values", async () => {
  const answers = JSON.stringify([{ question_id: "q", operator: "is_set", value: [] }]);
  const { status, json } = await service.api(
    "GET",
    `${ROOT}${id}/results/?answers=${encodeURIComponent(answers)}`,
  );
  expect([status, json.matched]).toEqual([200, VISITS.length]);
});
