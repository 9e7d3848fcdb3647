import { describe, expect, it } from "vitest";
import type { Flag } from "#lib/flags/feature_flags/cache.ts";
import { flagKeysOf } from "./record.ts";
import type { SurveyRow } from "./store.ts";
import { blank, changed, changesOf } from "./writing.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
const STORED = blank({ project_id: 1, user_id: 1, now: NOW });

describe("the keys of a survey's flags", () => {
  const flags = new Map([1, 2, 3, 4].map((id) => [id, { id, key: `flag-${id}` } as Flag]));
  const ids = {
    linked_flag_id: 1,
    targeting_flag_id: 2,
    internal_targeting_flag_id: 3,
    internal_response_sampling_flag_id: 4,
  };

  it("are those of the flags it names, null for none and for one that is gone", () => {
    expect(flagKeysOf({ ...STORED, ...ids }, flags)).toEqual({
      linked_flag_key: "flag-1",
      targeting_flag_key: "flag-2",
      internal_targeting_flag_key: "flag-3",
      internal_response_sampling_flag_key: "flag-4",
    });
    for (const nothing of [STORED, { ...STORED, ...ids }])
      expect(Object.values(flagKeysOf(nothing, new Map()))).toEqual([null, null, null, null]);
  });
});

describe("what a change of a survey changes", () => {
  const write = (before: object | null, after: object | null, targeting_flag_id: number | null = null) => ({
    ids: { targeting_flag_id, internal_targeting_flag_id: null, internal_response_sampling_flag_id: null },
    touched: [],
    filters: { before: before as never, after: after as never },
  });
  const fieldsOf = (before: Partial<SurveyRow>, after: Partial<SurveyRow>, written = write(null, null)) =>
    changesOf({ ...STORED, ...before }, { ...STORED, ...after }, written).map(({ field, before, after }) => [
      field,
      before,
      after,
    ]);

  it("is recorded for each field, moments as texts", () => {
    expect(fieldsOf({}, {})).toEqual([]);
    expect(fieldsOf({ name: "a" }, { name: "b", start_date: NOW, responses_limit: 5 })).toEqual([
      ["name", "a", "b"],
      ["start_date", null, "2026-03-10T12:00:00Z"],
      ["responses_limit", null, 5],
    ]);
    const other = { end_date: NOW, current_iteration_start_date: NOW, response_sampling_start_date: NOW };
    expect(fieldsOf(other, {}).map(([field, before]) => [field, before])).toEqual([
      ["end_date", "2026-03-10T12:00:00Z"],
      ["current_iteration_start_date", "2026-03-10T12:00:00Z"],
      ["response_sampling_start_date", "2026-03-10T12:00:00Z"],
    ]);
    expect(fieldsOf({}, { updated_at: new Date(0), internal_targeting_flag_id: 5 })).toEqual([]);
  });

  it("tells of targeting by its filters, of a removed flag by the flag, of another flag by its id", () => {
    const [one, two] = [{ groups: [1] }, { groups: [2] }];
    expect(fieldsOf({ targeting_flag_id: 1 }, {}, write(one, two, 1))).toEqual([
      ["targeting_flag_filters", one, two],
    ]);
    expect(fieldsOf({ targeting_flag_id: 1 }, {}, write(one, null))).toEqual([["targeting_flag", one, null]]);
    expect(fieldsOf({}, {}, write(null, one, 2))).toEqual([["targeting_flag_filters", null, one]]);
    expect(fieldsOf({ targeting_flag_id: 1 }, {}, write(one, one, 2))).toEqual([["targeting_flag_id", 1, 2]]);
    expect(fieldsOf({ targeting_flag_id: 1 }, {}, write(one, one, 1))).toEqual([]);
  });

  it("leaves what is not sent, and makes dates and plans again", () => {
    const before = { ...STORED, name: "Kept", description: "Old" };
    const after = changed(before, { description: "New", name: undefined }, new Date(5), false);
    expect(after).toMatchObject({
      name: "Kept",
      description: "New",
      updated_at: new Date(5),
      questions: null,
    });
    const recurring = changed(
      before,
      {
        start_date: NOW,
        iteration_count: 2,
        iteration_frequency_days: 1,
        response_sampling_start_date: NOW,
        response_sampling_interval_type: "day",
        response_sampling_interval: 1,
        response_sampling_limit: 3,
      },
      NOW,
      false,
    );
    expect(recurring).toMatchObject({
      iteration_start_dates: ["2026-03-10T12:00:00Z", "2026-03-11T12:00:00Z"],
      current_iteration: 1,
      current_iteration_start_date: NOW,
    });
    expect(JSON.parse(recurring.response_sampling_daily_limits ?? "")).toEqual([
      { date: "2026-03-10T12:00:00Z", daily_response_limit: 3, rollout_percentage: 100 },
    ]);
    expect(changed(recurring, { appearance: null, questions: null }, NOW, false)).toMatchObject({
      appearance: null,
      questions: null,
    });
  });

  it("remembers the texts of choices, but for those that nobody has seen", () => {
    const question = (text: string) => ({
      id: "q",
      question: "?",
      type: "single_choice" as const,
      choices: [text],
      choice_ids: ["x"],
    });
    const before = changed(STORED, { questions: [question("A")] }, new Date(1), true);
    const texts = (forgets: boolean) =>
      changed(before, { questions: [question("B")] }, new Date(2), forgets).choice_history?.q?.[0]?.texts.map(
        ({ text }) => text,
      );
    expect([texts(false), texts(true)]).toEqual([["A", "B"], ["B"]]);
    expect(changed(before, { name: "Other" }, new Date(2), true).choice_history).toEqual(
      before.choice_history,
    );
  });
});
