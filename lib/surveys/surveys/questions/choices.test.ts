import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Question } from "#lib/engines/branching/question.ts";
import {
  assignChoiceIds,
  type ChoiceHistory,
  choiceIdsOf,
  choiceReader,
  findOverfullQuestion,
  findUnknownChoice,
  formerChoices,
  listedChoices,
  nextHistory,
  type RecordedQuestion,
  withRecords,
} from "./choices.ts";

type Sent = Question & {
  id: string;
  choices: string[];
  choice_ids?: (string | null)[];
};
type State = { questions: Question[]; history: ChoiceHistory | null };

/** Saves questions one after another, at the moments 100, 200, … */
function saved(steps: readonly Sent[][], start: State = { questions: [], history: null }): State {
  let made = 0;
  return steps.reduce<State>(({ questions: before, history }, sent, i) => {
    const questions = assignChoiceIds(sent, before, history, () => `new${++made}`);
    return { questions, history: nextHistory(history, before, questions, (i + 1) * 100) };
  }, start);
}

const single = (
  choices: string[],
  choice_ids?: (string | null)[],
  more: { hasOpenChoice?: boolean; translations?: unknown } = {},
): Sent[] => [{ id: "q", type: "single_choice", choices, ...(choice_ids && { choice_ids }), ...more }];

const first = ({ questions, history }: State): RecordedQuestion => withRecords(questions, history)[0] ?? {};

/** What a text means: the choice as it is called now, "former: …", or "own". */
function meant(state: State, text: string, at: number): string {
  const question = first(state);
  const slot = choiceReader(question)(text, at);
  if (slot === null) return "own";
  return slot.startsWith("f")
    ? `former: ${formerChoices(question)[Number(slot.slice(1))]?.text}`
    : String(listedChoices(question)[Number(slot)]?.text);
}

describe("the choice that a text means", () => {
  const A = "a";
  const B = "b";
  const start = single(["Friend", "Foe"], [A, B]);
  it.each<[string, Sent[][], [text: string, at: number, meant: string][]]>([
    [
      "stays where nothing changes",
      [start],
      [
        ["Friend", 50, "Friend"],
        [" Foe ", 50, "Foe"],
        ["x", 50, "own"],
      ],
    ],
    [
      "goes along with a corrected text, and with what cached clients still send",
      [start, single(["A friend", "Foe"], [A, B])],
      [
        ["Friend", 150, "A friend"],
        ["Friend", 250, "A friend"],
        ["A friend", 250, "A friend"],
        ["A friend", 150, "A friend"],
      ],
    ],
    [
      "is the former choice after another one replaced it",
      [start, single(["A friend", "Foe"], [null, B])],
      [
        ["Friend", 150, "former: Friend"],
        ["Friend", 250, "former: Friend"],
        ["A friend", 250, "A friend"],
      ],
    ],
    [
      "is the former choice where a new one has the same text",
      [start, single(["Friend", "Foe"], [null, B])],
      [
        ["Friend", 150, "former: Friend"],
        ["Friend", 250, "Friend"],
      ],
    ],
    [
      "is the choice that had the text then, where two changed places",
      [start, single(["Foe", "Friend"], [A, B])],
      [
        ["Friend", 150, "Foe"],
        ["Friend", 250, "Friend"],
        ["Foe", 150, "Friend"],
      ],
    ],
    [
      "is the one that had it last, where the text was free for a while and then given to another",
      [start, single(["Pal", "Foe"], [A, B]), single(["Pal", "Friend"], [A, B])],
      [
        ["Friend", 150, "Pal"],
        ["Friend", 250, "Pal"],
        ["Friend", 350, "Friend"],
        ["Foe", 350, "Friend"],
      ],
    ],
    [
      "follows a choice to another place, and out and in again",
      [start, single(["Foe", "Friend"], [B, A]), single(["Foe"], [B]), single(["Foe", "Friend"], [B, A])],
      [
        ["Friend", 150, "Friend"],
        ["Foe", 150, "Foe"],
        ["Friend", 350, "Friend"],
      ],
    ],
    [
      "is a new choice's for a text that people typed before",
      [
        single(["Friend", "Other"], [A, B], { hasOpenChoice: true }),
        single(["Friend", "Dog", "Other"], [A, null, B], { hasOpenChoice: true }),
      ],
      [
        ["Dog", 150, "Dog"],
        ["Cat", 150, "own"],
        ["Other", 150, "own"],
      ],
    ],
    [
      "is the same in every language",
      [
        single(["Friend", "Foe"], [A, B], { translations: { de: { choices: ["Freund", "Feind"] } } }),
        single(["A friend", "Foe"], [A, B], {
          translations: { de: { choices: ["Kumpel", "Feind"] }, fr: { choices: ["Ami", "Friend"] } },
        }),
      ],
      [
        ["Freund", 150, "A friend"],
        ["Freund", 250, "A friend"],
        ["Kumpel", 250, "A friend"],
        ["Feind", 250, "Foe"],
        ["Friend", 150, "A friend"],
        ["Friend", 250, "Foe"],
      ],
    ],
    [
      "is not the choice whose text in another language is the same, where one is called so",
      [single(["Gift", "Poison"], [A, B], { translations: { de: { choices: ["Geschenk", "Gift"] } } })],
      [["Gift", 150, "Gift"]],
    ],
    [
      "is the former choice's after it became the open one",
      [start, single(["Friend", "Foe"], [A, B], { hasOpenChoice: true })],
      [["Foe", 150, "former: Foe"]],
    ],
    [
      "is one former choice's, where several had the same last text",
      [start, single(["Foe"], [B]), single(["Friend", "Foe"], [null, B]), single(["Foe"], [B])],
      [
        ["Friend", 150, "former: Friend"],
        ["Friend", 350, "former: Friend"],
      ],
    ],
  ])("%s", (_, steps, cases) => {
    const state = saved(steps);
    expect(cases.map(([text, at]) => [text, at, meant(state, text, at)])).toEqual(cases);
  });

  it("is read as before where a survey was stored before choices had ids", () => {
    const questions = single(["Friend", "Foe", "Other"], undefined, {
      hasOpenChoice: true,
      translations: { de: { choices: ["Freund", "Feind", "Sonstige"] } },
    });
    const state = { questions, history: null };
    expect(["Friend", "Foe", "Other", "Freund"].map((text) => meant(state, text, 1))).toEqual([
      "Friend",
      "Foe",
      "own",
      "own",
    ]);
  });
});

describe("ids of choices", () => {
  const idsAfter = (...steps: Sent[][]) => choiceIdsOf(saved(steps).questions[0] ?? {});

  it.each<[string, Sent[][], string[]]>([
    ["are made where there are none", [single(["A", "B"])], ["new1", "new2"]],
    ["are kept as they are sent", [single(["A", "B"], ["x", "y"])], ["x", "y"]],
    ["follow the text where none are sent", [single(["A", "B"], ["x", "y"]), single(["B", "A"])], ["y", "x"]],
    ["are new for another text", [single(["A", "B"], ["x", "y"]), single(["A", "C"])], ["x", "new1"]],
    [
      "follow a text that the choice had before",
      [single(["A", "B"], ["x", "y"]), single(["A", "C"], ["x", "y"]), single(["A", "B"])],
      ["x", "y"],
    ],
    [
      "come back with the text of a former choice",
      [single(["A", "B"], ["x", "y"]), single(["A"]), single(["A", "B"])],
      ["x", "y"],
    ],
    [
      "are the former choice's only once",
      [single(["A", "B"], ["x", "y"]), single(["A"]), single(["A", "B", "B"])],
      ["x", "y", "new1"],
    ],
    [
      "follow a text to its place where two are the same",
      [single(["A", "A"], ["x", "y"]), single(["A", "A"])],
      ["x", "y"],
    ],
  ])("%s", (_, steps, ids) => {
    expect(idsAfter(...steps)).toEqual(ids);
  });

  it("are the same at every reading of a survey that was stored without them", () => {
    expect(choiceIdsOf({ choices: ["A", "B"] })).toEqual(["c0", "c1"]);
    expect(choiceIdsOf({ choices: ["A", "B"], choice_ids: ["x"] })).toEqual(["c0", "c1"]);
    expect(idsAfter(single(["A", "B"]))).toEqual(["new1", "new2"]);
    const stored = { questions: single(["A", "B"]), history: null };
    expect(choiceIdsOf(saved([single(["B", "C"])], stored).questions[0] ?? {})).toEqual(["c1", "new1"]);
  });

  it("must be those of the question, now or before; a question that is new may bring its own", () => {
    const { questions, history } = saved([single(["A", "B"], ["x", "y"]), single(["A"], ["x"])]);
    expect(findUnknownChoice(single(["A", "B"], ["x", "y"]), questions, history)).toBeNull();
    expect(findUnknownChoice(single(["A", "B"], ["x", null]), questions, history)).toBeNull();
    expect(findUnknownChoice(single(["A", "B"], ["x", "z"]), questions, history)).toEqual({
      place: 0,
      id: "z",
    });
    const other = single(["A"], ["z"]).map((question) => ({ ...question, id: "other" }));
    expect(findUnknownChoice(other, questions, history)).toBeNull();
    const removed = saved([[]], { questions, history });
    expect(findUnknownChoice(single(["A", "B"], ["x", "y"]), removed.questions, removed.history)).toBeNull();
    expect(findUnknownChoice(single(["A"], ["z"]), removed.questions, removed.history)).toEqual({
      place: 0,
      id: "z",
    });
  });

  it("are not followed through more texts than fit", () => {
    const records = Array.from({ length: 5_001 }, (_, i) => ({ text: `${i}`, from: i, until: i + 1 }));
    expect(findOverfullQuestion({ q: [{ id: "x", texts: records }] })).toBe("q");
    expect(findOverfullQuestion({ q: [{ id: "x", texts: records.slice(1) }] })).toBeNull();
  });

  it("cost nothing where a text goes to and fro", () => {
    const steps = Array.from({ length: 20 }, (_, i) => single([i % 2 ? "A" : "B", "C"], ["x", "y"]));
    expect(saved(steps).history?.q?.map(({ texts }) => texts.length)).toEqual([2, 1]);
  });
});

const texts = ["A", "B", "C", "D"] as const;
const edit = fc.record({
  choices: fc.uniqueArray(fc.constantFrom(...texts), { minLength: 1, maxLength: 4 }),
  /** Which of the ids so far each one takes; none makes a new choice. */
  ids: fc.array(fc.nat(5), { minLength: 4, maxLength: 4 }),
  withIds: fc.boolean(),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** An edit as the API takes it: ids that the question has had, each once, or none. */
function sentBy({ choices, ids, withIds }: Edit, { questions, history }: State): Sent[] {
  if (!withIds) return single(choices);
  const known = [...new Set([...choiceIdsOf(questions[0] ?? {}), ...(history?.q ?? []).map(({ id }) => id)])];
  const taken = new Set<string>();
  const given = choices.map((_, i) => {
    const id = known[ids[i] ?? 0];
    if (id === undefined || taken.has(id)) return null;
    taken.add(id);
    return id;
  });
  return single(choices, given);
}

/** Ids of the choice that a text means; several where former choices are called the same. */
function idsMeant(state: State, text: string, at: number): string[] {
  const question = first(state);
  const slot = choiceReader(question)(text, at);
  if (slot === null) return [];
  return slot.startsWith("f")
    ? (formerChoices(question)[Number(slot.slice(1))]?.ids ?? [])
    : [listedChoices(question)[Number(slot)]?.id ?? ""];
}

describe("any sequence of edits", () => {
  const start = saved([single(["A", "B", "C"], ["a", "b", "c"])]);
  /** Edits at 200, 300, …; the state after each. */
  const states = (edits: readonly Edit[]): State[] => {
    let made = 0;
    const all = [start];
    for (const [i, each] of edits.entries()) {
      const { questions: before, history } = all.at(-1) ?? start;
      const sent = sentBy(each, { questions: before, history });
      const questions = assignChoiceIds(sent, before, history, () => `new${++made}`);
      all.push({ questions, history: nextHistory(history, before, questions, 200 + i * 100) });
    }
    return all;
  };

  it("leaves every answer with the choice that was picked", () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 6 }), (edits) => {
        const all = states(edits);
        for (const [i, { questions }] of all.entries()) {
          const at = 150 + i * 100;
          for (const { id, text } of listedChoices(questions[0] ?? {}))
            for (const later of all.slice(i)) expect(idsMeant(later, text, at)).toContain(id);
        }
      }),
    );
  });

  it("never takes an answer from a choice, whenever it was recorded", () => {
    fc.assert(
      fc.property(
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...texts),
        fc.nat(900),
        (edits, text, time) => {
          const all = states(edits);
          const place = all.findIndex((_, i) => 200 + i * 100 > time);
          for (let i = Math.max(0, place); i < all.length - 1; i += 1) {
            const [before, after] = [all[i], all[i + 1]];
            if (!before || !after || time >= 200 + i * 100) continue;
            const was = idsMeant(before, text, time);
            if (was.length > 0) expect(idsMeant(after, text, time).some((id) => was.includes(id))).toBe(true);
          }
        },
      ),
    );
  });

  it("gives each choice one id, and each id one choice", () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 6 }), (edits) => {
        for (const { questions } of states(edits)) {
          const question = questions[0] ?? {};
          const ids = question.choice_ids as string[];
          expect(ids).toHaveLength((question.choices as string[]).length);
          expect(new Set(ids).size).toBe(ids.length);
        }
      }),
    );
  });
});

describe("a former choice", () => {
  it("is called by the text that it had last, also where it had that text twice", () => {
    const steps = [single(["A"], ["a"]), single(["B"], ["a"]), single(["A"], ["a"]), single(["C"], [null])];
    expect(formerChoices(first(saved(steps)))).toEqual([{ text: "A", ids: ["a"] }]);
  });
});
