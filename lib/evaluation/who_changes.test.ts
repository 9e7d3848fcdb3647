import { expect, it } from "vitest";
import { compileFlags } from "./compile.ts";
import { evaluateFlag } from "./evaluate.ts";
import type { FlagFilters, Subject } from "./types.ts";
import { accumulate, startWhoChanges, summarise, whoChanges } from "./who_changes.ts";

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
