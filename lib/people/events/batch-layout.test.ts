import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BatchLayout } from "./batch-layout.ts";

const MANY = 1_000;

function layoutOf(text: string, { step = 1_000_000, most = MANY, start = 0 } = {}): BatchLayout {
  const layout = new BatchLayout(Buffer.from(text), start, most);
  while (layout.scan(step));
  return layout;
}

/** The texts between which the events' places are, without blanks around. */
const eventsOf = (text: string, layout: BatchLayout) =>
  layout.events.map(({ start, end }) => Buffer.from(text).subarray(start, end).toString().trim());

/** Lists and objects count, names do not. */
function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const inner = Object.values(value).reduce((sum: number, each) => sum + valuesIn(each), 0);
  // An empty list or object counts as if something were in it.
  return 1 + Math.max(1, inner);
}

describe("the events of a request", () => {
  it.each<{ text: string; events: string[] | null }>([
    { text: "[1,2,3]", events: ["1", "2", "3"] },
    { text: " [ 1 , 2 ] ", events: ["1", "2"] },
    { text: "[]", events: [] },
    { text: "[ \n\t\r]", events: [] },
    { text: "[!]", events: ["!"] },
    { text: "[[1,2],[3]]", events: ["[1,2]", "[3]"] },
    { text: '[{"a":[1,2],"b":{"c":3}},{}]', events: ['{"a":[1,2],"b":{"c":3}}', "{}"] },
    { text: '["a,b","]","\\"],","\\\\"]', events: ['"a,b"', '"]"', '"\\"],"', '"\\\\"'] },
    { text: '{"batch":[1,2]}', events: ["1", "2"] },
    { text: '{ "batch" : [ 1 ] }', events: ["1"] },
    { text: '{"api_key":"t","batch":[1],"sent_at":"x"}', events: ["1"] },
    { text: '{"a":{"b":1,"c":[2]},"batch":[1]}', events: ["1"] },
    { text: '{"batch":[1],"c":[2,3]}', events: ["1"] },
    { text: '{"batch":[]}', events: [] },
    { text: '{"batch":[ ]}', events: [] },
    // Of a name given twice the last one counts.
    { text: '{"batch":[1,2],"batch":[3]}', events: ["3"] },
    { text: '{"batch":[[1],{"batch":[2]}]}', events: ["[1]", '{"batch":[2]}'] },
    // Names may be written with escapes.
    { text: '{"\\u0062atch":[1]}', events: ["1"] },
    { text: '{"\\u0062\\u0061\\u0074\\u0063\\u0068":[1]}', events: ["1"] },
    { text: '{"\\u0062\\u0061\\u0074\\u0063\\u0068\\u0021":[1]}', events: null },
    { text: '{"b\\atch":[1]}', events: null },
    { text: '{"batch\\"":[1]}', events: null },
    { text: '{"Batch":[1],"batches":[2],"batc":[3],"":[4]}', events: null },
    // Somewhere else it is no list of events.
    { text: '{"a":"batch","b":[1]}', events: null },
    { text: '{"a":{"batch":[1]}}', events: null },
    { text: '{"batch":{"a":[1]}}', events: null },
    { text: '{"batch":{"a":1},"b":[1]}', events: null },
    { text: '{"batch":1,"b":[1]}', events: null },
    { text: '{"batch":"batch","b":[1]}', events: null },
    { text: '{"event":"e","properties":{"list":[1,2]}}', events: null },
    { text: '"[1]"', events: null },
    { text: "7", events: null },
    { text: "", events: null },
  ])("$text are $events", ({ text, events }) => {
    for (const step of [1, 2, 3, 1_000]) {
      const layout = layoutOf(text, { step });
      expect(layout.list === null ? null : eventsOf(text, layout)).toEqual(events);
      expect(layout.count).toBe(events?.length ?? 0);
      expect(layout.isTorn).toBe(false);
    }
  });

  it("are found in any JSON, however much is read at once", () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const around = fc.dictionary(fc.constantFrom("a", "bat", '"batch"', "x]", "\\"), value);
    fc.assert(
      fc.property(fc.array(value), around, fc.integer({ min: 1, max: 40 }), (batch, outer, step) => {
        for (const [whole, space] of [
          [batch, 0],
          [{ ...outer, batch }, 0],
          [{ batch, ...outer }, 2],
        ] as const) {
          const text = JSON.stringify(whole, null, space);
          const layout = layoutOf(text, { step });
          const data = JSON.parse(text);
          expect(eventsOf(text, layout).map((each) => JSON.parse(each))).toEqual(
            JSON.parse(JSON.stringify(batch)),
          );
          const { start, end } = layout.list ?? { start: 0, end: 0 };
          const list = JSON.parse(Buffer.from(text).subarray(start, end).toString());
          expect(list).toEqual(JSON.parse(JSON.stringify(batch)));
          expect(layout.values).toBe(valuesIn(data));
          expect(layout.events.map(({ values }) => values)).toEqual(list.map(valuesIn));
        }
      }),
    );
  });

  it("are counted to the end, and their places noted up to a limit", () => {
    const layout = layoutOf("[1,2,3,4]", { most: 2 });
    expect(layout.count).toBe(4);
    expect(eventsOf("[1,2,3,4]", layout)).toEqual(["1", "2"]);
  });

  it("are looked for from where the JSON begins", () => {
    expect(eventsOf("[9][1,2]", layoutOf("[9][1,2]", { start: 3 }))).toEqual(["1", "2"]);
  });

  it("do not begin again behind their list", () => {
    for (const text of ["[1],2,3", "[1] , [2,3]", '{"batch":[1]},2'])
      expect(eventsOf(text, layoutOf(text))).toEqual(["1"]);
    expect(layoutOf("[1],2,3").count).toBe(1);
  });
});

describe("a list of events", () => {
  it.each<[string, boolean]>([
    ["[1,2]", false],
    ['{"batch":[1]}', false],
    ['{"batch":[1]', false],
    ["[1,2", true],
    ["[1,[2]", true],
    ["[1}", true],
    ['{"batch":[1}', true],
    ['{"batch":[1}]', true],
    ['["a]', true],
    ["{}", false],
    ['{"a":[1}', false],
  ])("in %s is torn: %s", (text, torn) => {
    expect(layoutOf(text).isTorn).toBe(torn);
  });
});
