import { expect, it } from "vitest";
import { bodyOf, newDraft } from "./survey-draft.ts";
import { bodyAsOf } from "./versions.ts";

const current = bodyOf(
  newDraft({ name: "Third", description: "New" }, [{ id: "a", type: "open", question: "Why not?" }]),
);
const filters = { groups: [{ properties: [], rollout_percentage: 50 }] };
const change = (field: string, before: unknown) => ({ field, before });
const entry = (id: string, changes: ReturnType<typeof change>[] | null) => ({
  id,
  activity: "updated",
  detail: { changes },
});

const log = [
  entry("4", [change("name", "Second"), change("start_date", null), change("targeting_flag", filters)]),
  entry("3", [
    change("questions", [{ id: "a", type: "open", question: "Why?" }]),
    change("description", null),
  ]),
  entry("2", [change("name", "First"), change("questions", null)]),
  entry("1", null),
];

it.each([
  ["4", current],
  ["3", { ...current, name: "Second", targeting_flag_filters: filters }],
  [
    "2",
    {
      ...current,
      name: "Second",
      targeting_flag_filters: filters,
      description: "",
      questions: [{ id: "a", type: "open", question: "Why?" }],
    },
  ],
  ["1", { ...current, name: "First", targeting_flag_filters: filters, description: "", questions: [] }],
])("a survey is read as it was after entry %s of its log", (id, body) => {
  expect(bodyAsOf(current, log, id)).toEqual(body);
});

it("a survey is not read as of an entry that is not in its log", () => {
  expect(bodyAsOf(current, log, "5")).toBeNull();
});
