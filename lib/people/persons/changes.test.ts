import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isChangedBy, type Properties, PropertyDraft, personChangeOf } from "./changes.ts";

const LIMIT = 512 * 1024;
const change = (given: object = {}) => ({ set: null, set_once: null, unset: null, ...given });
const changeOf = (event: string, distinct_id: string, properties: Properties = {}) =>
  personChangeOf({ event, distinct_id, properties });
const mergeOf = (event: string, distinct_id: string, properties: Properties) =>
  changeOf(event, distinct_id, properties)?.merge ?? null;

describe("what an event does to persons", () => {
  it.each<[string, Properties]>([
    ["without properties", {}],
    ["with other properties", { plan: "pro", alias: "b", $anon_distinct_id: "b" }],
    ["with empty changes", { $set: {}, $set_once: {}, $unset: [] }],
    ["with changes that are lists", { $set: ["a"], $set_once: ["b"], $unset: { a: 1 } }],
    ["with changes that are null", { $set: null, $set_once: null, $unset: null }],
    ["with changes that are texts", { $set: "a", $set_once: "b", $unset: "c" }],
    ["with only names to remove that are no texts", { $unset: [1, null, {}] }],
  ])("is nothing for an event %s", (_, properties) => {
    expect(changeOf("signed up", "a", properties)).toBeNull();
  });

  it.each<[Properties, object]>([
    [{ $set: { plan: "pro" } }, { set: { plan: "pro" } }],
    [{ $set_once: { plan: "pro" } }, { set_once: { plan: "pro" } }],
    [{ $unset: ["plan", 7, null, "age"] }, { unset: ["plan", "age"] }],
    [
      { $set: { a: 1 }, $set_once: [], $unset: ["b"] },
      { set: { a: 1 }, unset: ["b"] },
    ],
  ])("is read from %j", (properties, told) => {
    expect(changeOf("signed up", "a", properties)).toEqual({
      ...change(told),
      merge: null,
      identifies: false,
    });
  });

  it("is to identify the person of $identify, with or without another id", () => {
    expect(changeOf("$identify", "a")).toEqual({ ...change(), merge: null, identifies: true });
    expect(changeOf("$identify", "a", { $anon_distinct_id: "b" })).toMatchObject({
      merge: { other: "b", force: false },
      identifies: true,
    });
    expect(changeOf("$create_alias", "a", { alias: "b" })?.identifies).toBe(false);
  });
});

describe("a merge", () => {
  it.each([
    ["$identify", { $anon_distinct_id: "b" }, { other: "b", force: false }],
    ["$create_alias", { alias: "b" }, { other: "b", force: false }],
    ["$merge_dangerously", { alias: "b" }, { other: "b", force: true }],
    ["$identify", { alias: "b" }, null],
    ["$create_alias", { $anon_distinct_id: "b" }, null],
    ["$merge_dangerously", { $anon_distinct_id: "b" }, null],
    ["$pageview", { alias: "b", $anon_distinct_id: "b" }, null],
  ])("is asked for by %s with %j: %j", (event, properties, merge) => {
    expect(mergeOf(event, "a", properties)).toEqual(merge);
  });

  it.each([
    ["a number", 17, "17"],
    ["blanks around it", "  b ", "b"],
    ["400 characters", "x".repeat(400), "x".repeat(400)],
    ["401 characters", "x".repeat(401), null],
    ["nothing but blanks", "   ", null],
    ["an empty text", "", null],
    ["null", null, null],
    ["true", true, null],
    ["a list", ["b"], null],
    ["the event's own distinct id", "a", null],
    ["the event's own distinct id between blanks", " a ", null],
  ])("takes another id that is %s as the id that it stands for, or not at all", (_, alias, other) => {
    expect(mergeOf("$create_alias", "a", { alias })?.other ?? null).toBe(other);
  });

  it.each([
    ...[
      "anonymous",
      "anonymous_id",
      "distinct_id",
      "distinctid",
      "email",
      "false",
      "guest",
      "id",
      "nan",
      "nil",
    ],
    ...["none", "not_authenticated", "null", "undefined", "true", "unknown", "user", "[object object]"],
    ...["00000000-0000-0000-0000-000000000000", "0", "-1"],
  ])("is never made with %s, which many clients send by mistake", (shared) => {
    for (const id of [shared, shared.toUpperCase(), ` ${shared} `]) {
      expect(mergeOf("$create_alias", "a", { alias: id })).toBeNull();
      expect(mergeOf("$merge_dangerously", id, { alias: "b" })).toBeNull();
      expect(changeOf("$identify", id, { $anon_distinct_id: "b" })).toBeNull();
    }
  });

  it.each(["1", "users", "my email", "anonymous-7", ""])("is made with %j, which is one person's", (id) => {
    expect(mergeOf("$create_alias", id, { alias: "b" })).toEqual({ other: "b", force: false });
  });
});

describe("whether properties change", () => {
  const stored: Properties = { plan: "pro", tags: ["a", { b: 1 }], gone: null };

  it.each<[boolean, object]>([
    [false, {}],
    [false, { set: { plan: "pro" } }],
    [false, { set: { tags: ["a", { b: 1 }] } }],
    [false, { set: { gone: null } }],
    [true, { set: { plan: "free" } }],
    [true, { set: { plan: "pro", age: 1 } }],
    [true, { set: { tags: ["a", { b: 2 }] } }],
    [true, { set: { age: undefined } }],
    [true, { set: { toString: 1 } }],
    [false, { set_once: { plan: "free", gone: 1 } }],
    [true, { set_once: { plan: "free", age: 1 } }],
    [true, { set_once: { constructor: 1 } }],
    [false, { unset: ["age", "toString"] }],
    [true, { unset: ["age", "plan"] }],
    [true, { unset: ["gone"] }],
  ])("%s by %j", (expected, given) => {
    expect(isChangedBy(stored, change(given))).toBe(expected);
  });
});

describe("properties in the making", () => {
  const applied = (stored: Properties, ...changes: object[]) => {
    const draft = new PropertyDraft(stored);
    for (const given of changes) expect(draft.apply(change(given))).toBe(true);
    return draft.properties;
  };

  it.each<[string, Properties, object[], Properties]>([
    ["$set replaces and adds", { a: 1 }, [{ set: { a: 2, b: 3 } }], { a: 2, b: 3 }],
    ["$set_once only fills what is missing", { a: null }, [{ set_once: { a: 2, b: 3 } }], { a: null, b: 3 }],
    ["$set wins over $set_once", {}, [{ set: { a: 1 }, set_once: { a: 2, b: 2 } }], { a: 1, b: 2 }],
    [
      "$unset comes last",
      { a: 0 },
      [{ set: { a: 1, b: 1 }, set_once: { c: 1 }, unset: ["a", "c"] }],
      { b: 1 },
    ],
    ["what one event sets a later one replaces", {}, [{ set: { a: 1 } }, { set: { a: 2 } }], { a: 2 }],
    ["what one event sets a later one removes", {}, [{ set: { a: 1, b: 1 } }, { unset: ["a"] }], { b: 1 }],
    [
      "what one event sets stays for $set_once",
      {},
      [{ set: { a: 1 } }, { set_once: { a: 2, b: 2 } }],
      { a: 1, b: 2 },
    ],
    [
      "names of Object.prototype are names",
      {},
      [{ set: { toString: 1 } }, { set_once: { valueOf: 2 } }],
      { toString: 1, valueOf: 2 },
    ],
  ])("%s", (_, stored, changes, expected) => {
    expect(applied(stored, ...changes)).toEqual(expected);
  });

  it("keep a property named __proto__ like any other", () => {
    const named = JSON.parse('{"__proto__": {"a": 1}}');
    for (const given of [{ set: named }, { set_once: named }]) {
      const after = applied({ b: 2 }, given);
      expect(JSON.parse(JSON.stringify(after))).toEqual(JSON.parse('{"b": 2, "__proto__": {"a": 1}}'));
      expect(Object.getPrototypeOf(after)).toBe(Object.prototype);
    }
  });

  it("stay the same object until something changes, which leaves the stored one as it was", () => {
    const stored = { plan: "pro" };
    expect(applied(stored, { set: { plan: "pro" } }, { set_once: { plan: "x" } }, { unset: ["age"] })).toBe(
      stored,
    );
    const after = applied(stored, { set: { plan: "free" } }, { set: { age: 3 } }, { unset: ["plan"] });
    expect(after).toEqual({ age: 3 });
    expect(stored).toEqual({ plan: "pro" });
  });

  // {"a":"…"} takes eight characters besides the text.
  const filled = (characters: number) => ({ a: "x".repeat(characters - 8) });

  it("take up to 512 KiB as JSON and not one character more", () => {
    const draft = new PropertyDraft({});
    expect(draft.apply(change({ set: filled(LIMIT + 1) }))).toBe(false);
    expect(draft.properties).toEqual({});
    expect(draft.apply(change({ set: filled(LIMIT) }))).toBe(true);
    expect(draft.apply(change({ set: { b: 1 } }))).toBe(false);
    expect(draft.properties).toEqual(filled(LIMIT));
  });

  it("are refused whole where one change makes them too large, also after others", () => {
    const draft = new PropertyDraft({ b: 1 });
    expect(draft.apply(change({ set: { c: 1 } }))).toBe(true);
    expect(draft.apply(change({ set: filled(LIMIT), unset: ["b"] }))).toBe(false);
    expect(draft.apply(change({ set_once: filled(LIMIT) }))).toBe(false);
    expect(draft.properties).toEqual({ b: 1, c: 1 });
  });

  it("can be replaced by as large ones any number of times, and be emptied", () => {
    const draft = new PropertyDraft({});
    for (const size of [LIMIT / 2, LIMIT - 100, LIMIT - 50, LIMIT / 2, LIMIT])
      expect(draft.apply(change({ set: filled(size) }))).toBe(true);
    expect(draft.apply(change({ unset: ["a"] }))).toBe(true);
    expect(draft.properties).toEqual({});
  });

  it("never exceed the limit however many changes add up", () => {
    const draft = new PropertyDraft({});
    const kept = Array.from({ length: 30 }, (_, n) =>
      draft.apply(change({ set: { [`part-${n}`]: "x".repeat(40_000) } })),
    );
    // A part takes 40,000 characters and up to thirteen of punctuation: thirteen fit.
    expect(kept.filter(Boolean)).toHaveLength(13);
    expect(JSON.stringify(draft.properties).length).toBeLessThanOrEqual(LIMIT);
  });

  it("absorb what another draft has and they have not", () => {
    const draft = new PropertyDraft({ a: 1, b: null });
    const other = new PropertyDraft({ a: 2, b: 2, c: 2 });
    expect(draft.absorb(other)).toBe(true);
    expect(draft.properties).toEqual({ a: 1, b: null, c: 2 });
    expect(other.properties).toEqual({ a: 2, b: 2, c: 2 });
    expect(draft.absorb(new PropertyDraft({ d: "x".repeat(LIMIT) }))).toBe(false);
    expect(draft.properties).toEqual({ a: 1, b: null, c: 2 });
  });

  it("change as isChangedBy says, in any order of changes", () => {
    const name = fc.constantFrom("a", "b", "c", "__proto__");
    const values = fc.option(fc.dictionary(name, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }));
    const any = fc.record({
      set: values,
      set_once: values,
      unset: fc.option(fc.array(name, { maxLength: 2 })),
    });
    fc.assert(
      fc.property(fc.dictionary(name, fc.integer()), fc.array(any, { maxLength: 5 }), (stored, changes) => {
        const draft = new PropertyDraft(stored);
        for (const by of changes) {
          const before = draft.properties;
          const [text, isChanged] = [JSON.stringify(before), isChangedBy(before, by)];
          expect(draft.apply(by)).toBe(true);
          if (!isChanged) expect(JSON.stringify(draft.properties)).toBe(text);
          const last = new Set<string>(by.unset ?? []);
          for (const [key, value] of Object.entries(by.set ?? {}))
            if (!last.has(key)) expect(Object.entries(draft.properties)).toContainEqual([key, value]);
          for (const key of last) expect(Object.hasOwn(draft.properties, key)).toBe(false);
        }
      }),
    );
  });
});
