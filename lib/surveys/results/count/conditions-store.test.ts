import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CodedQuestion } from "#lib/surveys/results/ingest/answer-codes.ts";
import { type Service, startService } from "#testing/service.ts";
import { answersSql, isChosen, type PlacedCondition } from "./conditions-store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const rating: CodedQuestion = { id: "nps", type: "rating", scale: 10 };
const records = [
  { id: "w", texts: [{ text: "Web", from: null, until: null }] },
  { id: "a", texts: [{ text: "App", from: null, until: null }] },
  { id: "f", texts: [{ text: "Fax machine", from: null, until: 1_000 }] },
];
const choice: CodedQuestion = {
  id: "how",
  type: "single_choice",
  choices: ["Web", "App"],
  choice_ids: ["w", "a"],
  choice_records: records,
};
const several: CodedQuestion = { ...choice, type: "multiple_choice" };
const open: CodedQuestion = { id: "why", type: "open" };

const conditionOn = (
  question: CodedQuestion,
  operator: PlacedCondition["operator"],
  ...value: string[]
): PlacedCondition => ({ question_id: String(question.id), operator, value, index: 0, question });

type StoredRow = { codes: string[]; path: number[]; completed: boolean; answers: object };

/** The places of the rows for which a condition holds. */
async function placesWith(rows: readonly StoredRow[], condition: PlacedCondition): Promise<number[]> {
  const numbered = JSON.stringify(rows.map((row, place) => ({ ...row, place })));
  const found = await service.db.execute<{ place: number }>(sql`
    select r.place from jsonb_to_recordset(${numbered}::jsonb) as r(place int, codes text[], path smallint[],
      completed boolean, answers jsonb) where ${answersSql([condition])} order by r.place`);
  return found.rows.map(({ place }) => place);
}

const RECORDED: Record<string, string> = { "0": "Web", "1": "App", f0: "Fax machine", o: "Zzz" };

/** The codes for which a condition holds; those with a star were recorded with a text that it asks for. */
async function matching(codes: readonly string[], condition: PlacedCondition): Promise<string[]> {
  const { question, operator, value } = condition;
  const asked = operator.endsWith("contains") ? `x ${value[0]} x` : (value.at(-1) ?? "").trim();
  const textFor = (part: string) =>
    part.endsWith("*") ? asked : question.type === "open" ? "fine" : (RECORDED[part] ?? part);
  const rows = codes.map((code) => {
    const texts = code === "" ? [] : code.split(",").map(textFor);
    const answer = question.type === "multiple_choice" ? texts : texts[0];
    const answers = texts.length > 0 ? { [String(question.id)]: answer } : {};
    return { codes: [code.replace("*", "")], path: [0], completed: true, answers };
  });
  return (await placesWith(rows, condition)).map((place) => codes[place] ?? "");
}

const RATINGS = ["", "0", "6", "7", "9", "10", "?"];
const PICKED = ["", "0", "1", "f0", "o", "o*"];
const PICKED_SEVERAL = ["", "0", "1", "0,1", "1,f0", "1,o", "0,o*", "o*"];
const WRITTEN = ["", "1", "1*"];

describe("a condition on answers", () => {
  it.each<[PlacedCondition["operator"], string[], string[]]>([
    ["exact", ["9"], ["9"]],
    ["exact", [" 9 ", "0"], ["0", "9"]],
    ["exact", ["?", "", "6"], ["6"]],
    ["is_not", ["9"], ["0", "6", "7", "10", "?"]],
    ["gte", ["7"], ["7", "9", "10"]],
    ["gte", ["8"], ["9", "10"]],
    ["gte", ["-3"], ["0", "6", "7", "9", "10"]],
    ["lte", ["6"], ["0", "6"]],
    ["lte", ["0"], ["0"]],
    ["bucket", ["detractors"], ["0", "6"]],
    ["bucket", ["passives", "promoters"], ["7", "9", "10"]],
    ["bucket", [""], []],
    ["is_set", [], ["0", "6", "7", "9", "10", "?"]],
    ["is_not_set", [], [""]],
    ["off_scale", [], ["?"]],
    ["other", [], []],
    ["former", ["Fax machine"], []],
  ])("%s %j of a rating holds for the answers %j", async (operator, value, codes) => {
    expect(await matching(RATINGS, conditionOn(rating, operator, ...value))).toEqual(codes);
  });

  it.each<[PlacedCondition["operator"], string[], string[]]>([
    ["exact", ["Web"], ["0"]],
    ["exact", ["Web", "Fax machine"], ["0", "f0"]],
    ["exact", ["By letter"], ["o*"]],
    ["exact", ["App", "By letter"], ["1", "o*"]],
    ["is_not", ["Web"], ["1", "f0", "o", "o*"]],
    ["is_not", ["By letter"], ["0", "1", "f0", "o"]],
    ["icontains", ["E"], ["0", "f0", "o*"]],
    ["icontains", ["pp", "fax"], ["1", "f0", "o*"]],
    ["not_icontains", ["E"], ["1", "o"]],
    ["is_set", [], ["0", "1", "f0", "o", "o*"]],
    ["is_not_set", [], [""]],
    ["former", ["Fax machine"], ["f0"]],
    ["former", ["Web"], []],
    ["other", [], ["o", "o*"]],
    ["off_scale", [], []],
    ["gte", ["0"], []],
  ])("%s %j of a choice holds for the answers %j", async (operator, value, codes) => {
    expect(await matching(PICKED, conditionOn(choice, operator, ...value))).toEqual(codes);
  });

  it.each<[PlacedCondition["operator"], string[], string[]]>([
    ["exact", ["App"], ["1", "0,1", "1,f0", "1,o"]],
    ["exact", ["Fax machine"], ["1,f0"]],
    ["exact", ["By letter"], ["0,o*", "o*"]],
    ["exact", ["Web", "By letter"], ["0", "0,1", "0,o*", "o*"]],
    ["is_not", ["App"], ["0", "0,o*", "o*"]],
    ["icontains", ["web"], ["0", "0,1", "0,o*", "o*"]],
    ["not_icontains", ["web"], ["1", "1,f0", "1,o"]],
    ["former", ["Fax machine"], ["1,f0"]],
    ["other", [], ["1,o", "0,o*", "o*"]],
  ])("%s %j of several choices holds for the answers %j", async (operator, value, codes) => {
    expect(await matching(PICKED_SEVERAL, conditionOn(several, operator, ...value))).toEqual(codes);
  });

  it.each<[PlacedCondition["operator"], string[]]>([
    ["exact", ["1*"]],
    ["is_not", ["1"]],
    ["icontains", ["1*"]],
    ["not_icontains", ["1"]],
    ["is_set", ["1", "1*"]],
    ["is_not_set", [""]],
    ["other", []],
    ["off_scale", []],
  ])("%s of an open question holds for %j", async (operator, codes) => {
    expect(await matching(WRITTEN, conditionOn(open, operator, "slow"))).toEqual(codes);
  });
});

describe("a condition on the way through the survey", () => {
  const ways: Record<string, StoredRow> = {
    finished: { path: [0, 1], completed: true, codes: ["9", ""], answers: {} },
    answeredFinished: { path: [0, 1], completed: true, codes: ["9", "1"], answers: {} },
    waiting: { path: [0, 1], completed: false, codes: ["9", ""], answers: {} },
    answeredLeft: { path: [0, 1], completed: false, codes: ["9", "1"], answers: {} },
    elsewhere: { path: [0, 2], completed: true, codes: ["9", "", "1"], answers: {} },
    further: { path: [0, 1, 2], completed: false, codes: ["9", "", ""], answers: {} },
    nowhere: { path: [], completed: false, codes: ["", "", ""], answers: {} },
  };

  it.each<[PlacedCondition["operator"], string[]]>([
    ["reached", ["finished", "answeredFinished", "waiting", "answeredLeft", "further"]],
    ["left", ["waiting", "answeredLeft"]],
    ["skipped", ["finished", "further"]],
  ])("%s holds for %j", async (operator, names) => {
    const places = await placesWith(Object.values(ways), { ...conditionOn(open, operator), index: 1 });
    expect(places.map((place) => Object.keys(ways)[place])).toEqual(names);
  });
});

it("a response is chosen if its person is in the list, however long the list is", async () => {
  const scope = { project_id: 1, survey_id: "s" };
  const responses = JSON.stringify(
    [1, 2, 3].map((person_id) => ({ ...scope, person_id, archived: false, latest: true })),
  );
  const authors = async (persons: string | null) => {
    const filter = { date_from: null, date_to: null, iteration: null, answers: [], fields: [], persons };
    const { rows } = await service.db.execute<{ person_id: number }>(sql`
      select r.person_id from jsonb_to_recordset(${responses}::jsonb) as r(project_id int, survey_id text,
        person_id bigint, archived boolean, latest boolean) where ${isChosen(scope, filter)} order by 1`);
    return rows.map(({ person_id }) => Number(person_id));
  };
  const others = Array.from({ length: 30_000 }, (_, i) => i + 100);
  expect(await authors("{3,1}")).toEqual([1, 3]);
  expect(await authors(`{${[3, ...others, 1].join(",")}}`)).toEqual([1, 3]);
  expect(await authors(null)).toEqual([1, 2, 3]);
});
