import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paramsOf } from "#testing/lists.ts";
import { defineList } from "./define-list.ts";
import { choice, day, order, sortBy, text, texts, whole } from "./params.ts";

const list = defineList({
  path: "things",
  pageSize: 20,
  words: { one: "thing", many: "things" },
  filters: {
    search: text(),
    kind: choice("Any", { round: "Round", flat: "Flat" }),
    owner: text(/^\d+$/),
    since: day(),
    labels: texts("label"),
  },
  view: {
    order: order({ name: "asc", made: "desc" }, [
      { value: "-made", label: "Newest first" },
      { value: "name", label: "By name" },
    ]),
  },
});

const EMPTY = { search: "", kind: "", owner: "", since: "", labels: [], order: "-made", offset: 0 } as const;
const empty = list.read({});

describe("the URL of a list", () => {
  it("says what of it the list ignores", () => {
    const known = { search: "x", kind: "flat", label: ["a", "b"], order: "-made", offset: "20", owner: "" };
    expect(list.ignored(known)).toEqual([]);
    const old = { ...known, kind: "square", owner: ["7", "me"], colour: "red", labels: "c", order: "age" };
    expect(list.ignored(old)).toEqual(["kind", "order", "owner", "colour", "labels"]);
  });

  it("says nothing where nothing is chosen", () => {
    expect(empty).toEqual(EMPTY);
    expect(list.address("7", empty)).toBe("/project/7/things");
  });

  it("says what is chosen, and nothing else", () => {
    const query = list.change(empty, { search: "a b", labels: ["x", "y"], order: "name" });
    expect(list.address("7", query)).toBe("/project/7/things?search=a+b&label=x&label=y&order=name");
  });

  it.each([
    ["an unknown choice", { kind: "square" }],
    ["a choice that every object has", { kind: "constructor" }],
    ["what is no number", { owner: "7x" }],
    ["what is no day", { since: "2026-02-31x" }],
    ["a day that no calendar has", { since: "2026-13-01" }],
    ["an unknown order", { order: "-size" }],
    ["an order that every object has", { order: "toString" }],
    ["a page before the first", { offset: "-20" }],
    ["half a page", { offset: "1.5" }],
    ["empty parts of a list", { label: ["", ""] }],
    ["other parameters", { tab: "history" }],
  ])("ignores %s", (_, given) => expect(list.read(given)).toEqual(EMPTY));

  it("takes the first of several values where one is asked for", () => {
    expect(list.read({ search: ["a", "b"], kind: ["flat", "round"] })).toMatchObject({
      search: "a",
      kind: "flat",
    });
  });

  it("is understood whatever it says, and means the same when it is written again", () => {
    const value = fc.oneof(
      fc.constantFrom("round", "7", "2026-01-31", "name", "-name", "40", ""),
      fc.string({ unit: "grapheme" }),
    );
    const names = fc.constantFrom("search", "kind", "owner", "since", "label", "order", "offset");
    fc.assert(
      fc.property(fc.dictionary(names, fc.oneof(value, fc.array(value))), (given) => {
        const query = list.read(given);
        expect(list.read(paramsOf(list.address("7", query)))).toEqual(query);
      }),
    );
  });
});

describe("a change of what a list shows", () => {
  const onPageThree = list.read({ search: "a", offset: "40" });

  it("leads to the first page, unless it is a change of the page", () => {
    expect(list.href("7", onPageThree, { kind: "flat" })).toBe("/project/7/things?search=a&kind=flat");
    expect(list.href("7", onPageThree, {})).toBe("/project/7/things?search=a");
    expect(list.href("7", onPageThree, { offset: 60 })).toBe("/project/7/things?search=a&offset=60");
  });

  it("can take all filters away, and keeps the order", () => {
    const query = list.change(onPageThree, { order: "name", labels: ["x"] });
    expect(list.isFiltered(query)).toBe(true);
    expect(list.clear(query)).toEqual({ ...EMPTY, order: "name" });
    expect(list.isFiltered(list.clear(query))).toBe(false);
  });

  it("may have to stay in a part of the list", () => {
    const parts = defineList({
      path: "things",
      pageSize: 20,
      words: { one: "thing", many: "things" },
      filters: { search: text() },
      view: { columns: text() },
      pages: { part: whole(0), offset: whole(0) },
      pageAfter: (query, change) => ("offset" in change || "columns" in change ? { part: query.part } : {}),
    });
    const query = parts.read({ part: "3", offset: "40" });
    expect(parts.change(query, { offset: 60 })).toMatchObject({ part: 3, offset: 60 });
    expect(parts.change(query, { columns: "a" })).toMatchObject({ part: 3, offset: 0 });
    expect(parts.change(query, { part: 4 })).toMatchObject({ part: 4, offset: 0 });
    expect(parts.change(query, { search: "a" })).toMatchObject({ part: 0, offset: 0 });
  });
});

describe("the header of a column", () => {
  const { order: param } = list.params;

  it.each([
    ["name", "-made", null, "name"],
    ["name", "name", "asc", "-name"],
    ["name", "-name", "desc", "name"],
    ["made", "name", null, "-made"],
    ["made", "-made", "desc", "made"],
    ["made", "made", "asc", "-made"],
  ] as const)("%s in the order %s is %s and leads to %s", (field, current, direction, next) => {
    expect(sortBy(param, current, field)).toEqual({ direction, next });
  });
});
