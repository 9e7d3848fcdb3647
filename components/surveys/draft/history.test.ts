import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changesBetween, type History, historyOf, record, redone, undone } from "./history.ts";

type State = { name: string; questions: { text: string; choices?: string[] }[]; limit: number | null };

const start: State = { name: "", questions: [{ text: "Why?" }], limit: null };
const named = (name: string): State => ({ ...start, name });

const back = (history: History<State>) => undone(history) ?? history;

describe("undo", () => {
  it("takes back what was typed into a text without a pause in one step", () => {
    const typed = ["P", "Pu", "Pul"].reduce(
      (all, name, key) => record(all, named(name), key * 400),
      historyOf(start),
    );
    expect(typed.past).toEqual([start]);
    const later = record(typed, named("Pulse"), 5_000);
    expect(back(later).present).toEqual(named("Pul"));
    expect(back(back(later)).present).toEqual(start);
  });

  it("keeps texts apart, and other changes from texts", () => {
    const first = record(historyOf(start), named("A"), 0);
    const second = record(first, { ...named("A"), questions: [{ text: "How?" }] }, 10);
    const third = record(second, { ...second.present, limit: 5 }, 20);
    const fourth = record(third, { ...third.present, limit: 50 }, 30);
    expect([second, third, fourth].map(({ past }) => past.length)).toEqual([2, 3, 4]);
  });

  it("goes on with a text whose first letter changed something else too", () => {
    const first = record(historyOf(start), { ...named("A"), limit: 1 }, 0);
    expect(record(first, { ...named("AB"), limit: 1 }, 100).past).toEqual([start]);
  });

  it("does not see a difference where there is none", () => {
    const history = historyOf(start);
    expect(record(history, structuredClone(start), 0)).toBe(history);
    expect(changesBetween({ a: 1 }, { a: 1, b: undefined })).toEqual([]);
  });

  it("ends at the first state, and redo at the last; a new change forgets what was undone", () => {
    const history = record(record(historyOf(start), named("A"), 0), { ...named("A"), limit: 1 }, 0);
    expect(undone(historyOf(start))).toBeNull();
    expect(redone(history)).toBeNull();
    const changed = record(back(history), named("B"), 9_000);
    expect(changed.future).toEqual([]);
    expect(back(changed).present).toEqual(named("A"));
  });

  it("and redo lead through the same states", () => {
    const state = fc.record({
      name: fc.string(),
      questions: fc.constant<State["questions"]>([]),
      limit: fc.nat(9),
    });
    fc.assert(
      fc.property(fc.array(state, { maxLength: 9 }), fc.nat(9), (states, steps) => {
        const last = states.reduce<History<State>>(
          (all, each, key) => record(all, each, key * 5_000),
          historyOf(start),
        );
        let history = last;
        let taken = 0;
        for (let step = undone(history); step && taken < steps; step = undone(history)) {
          history = step;
          taken++;
        }
        for (let step = redone(history); step; step = redone(history)) history = step;
        expect(history.present).toEqual(last.present);
        expect(history.past).toEqual(last.past);
      }),
    );
  });
});
