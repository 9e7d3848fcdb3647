import { expect, it } from "vitest";
import type { FlagFilters, Subject } from "#lib/engines/evaluation/values/types.ts";
import { compileFlags } from "./compile.ts";
import { evaluateFlag } from "./evaluate.ts";
import { accumulate, startWhoChanges, summarise, whoChanges } from "./who-changes.ts";

const compile = (filters: FlagFilters) => compileFlags({ flags: [{ key: "f", active: true, filters }] });
const people: Subject[] = Array.from({ length: 400 }, (_, i) => ({ distinct_id: `id-${i}`, now: 0 }));
const isOn = (filters: FlagFilters) =>
  people.filter((p) => evaluateFlag(compile(filters), "f", p)?.value === true).length;

const ten = { groups: [{ rollout_percentage: 10 }] };
const half = { groups: [{ rollout_percentage: 50 }] };

it("counts who comes in when a rollout grows, and that nobody leaves", () => {
  const result = whoChanges(compile(ten), compile(half), "f", people);
  const [few, many] = [isOn(ten), isOn(half)];
  expect(result).toMatchObject({ total: 400, changed: many - few });
  expect(new Set(result.cells)).toEqual(
    new Set([
      { before: false, after: false, count: 400 - many },
      { before: false, after: true, count: many - few },
      { before: true, after: true, count: few },
    ]),
  );
});

it("takes a new flag for one that was off", () => {
  const result = whoChanges(null, compile(half), "f", people);
  expect(result.changed).toBe(isOn(half));
  expect(result.cells.map((cell) => cell.before)).toEqual([null, null]);
});

it("lists the most frequent change first", () => {
  const most = { groups: [{ rollout_percentage: 90 }] };
  const counts = whoChanges(compile(ten), compile(most), "f", people).cells.map(({ count }) => count);
  expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  expect(new Set(counts).size).toBe(3);
  const backwards = whoChanges(compile(most), compile(ten), "f", people).cells.map(({ count }) => count);
  expect(backwards).toEqual(counts);
  const isOnAtTen = (person: Subject) => evaluateFlag(compile(ten), "f", person)?.value === true;
  const rareFirst = [...people.filter(isOnAtTen), ...people.filter((person) => !isOnAtTen(person))];
  expect(whoChanges(null, compile(ten), "f", rareFirst).cells.map(({ after }) => after)).toEqual([
    false,
    true,
  ]);
});

it("finds a renamed flag by its former key, and a flag that is gone was on for nobody", () => {
  const [person] = people as [Subject];
  const renamed = startWhoChanges(compile({ groups: [{}] }), compile({ groups: [{}] }), "f", "old");
  expect(accumulate(renamed, person)).toBe(true);
  expect(summarise(renamed)).toEqual({
    total: 1,
    changed: 1,
    cells: [{ before: null, after: true, count: 1 }],
  });
  const never = startWhoChanges(null, compile({ groups: [] }), "f");
  expect(accumulate(never, person)).toBe(false);
  expect(summarise(never)).toMatchObject({ total: 1, changed: 0 });
});

it("tells variants from each other", () => {
  const variants = (key: string) =>
    compile({ groups: [{}], multivariate: { variants: [{ key, rollout_percentage: 100 }] } });
  expect(whoChanges(variants("true"), compile({ groups: [{}] }), "f", people)).toEqual({
    total: 400,
    changed: 400,
    cells: [{ before: "true", after: true, count: 400 }],
  });
});

it("can be added up one by one", () => {
  const state = startWhoChanges(compile(ten), compile(half), "f");
  for (const person of people.slice(0, 100)) accumulate(state, person);
  expect(summarise(state).total).toBe(100);
  for (const person of people.slice(100)) accumulate(state, person);
  expect(summarise(state)).toEqual(whoChanges(compile(ten), compile(half), "f", people));
});
