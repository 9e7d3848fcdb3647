import { describe, expect, it } from "vitest";
import {
  type Envelope,
  EVENT_BYTES_LIMIT,
  EVENT_TOO_LARGE,
  EVENT_TOO_MANY_VALUES,
  type IngestEvent,
  instantOf,
  parseEvent,
} from "./event.ts";

const NOW = Date.UTC(2026, 4, 1, 12);
const DAY = 86_400_000;
const plain: Envelope = { now: NOW, sentAt: null, historical: false, unnamed: null };

function parsed(fields: Record<string, unknown>, envelope: Partial<Envelope> = {}): IngestEvent {
  const event = parseEvent({ event: "seen", distinct_id: "u", ...fields }, { ...plain, ...envelope });
  if (typeof event === "string") throw new Error(event);
  return event;
}

const refusal = (fields: Record<string, unknown>, envelope: Partial<Envelope> = {}) => {
  const result = parseEvent({ event: "seen", distinct_id: "u", ...fields }, { ...plain, ...envelope });
  return typeof result === "string" ? result : null;
};

describe("a moment", () => {
  const noon = Date.UTC(2026, 0, 2, 3, 4, 5);

  it.each<[unknown, number]>([
    ["2026-01-02T03:04:05Z", noon],
    ["2026-01-02T03:04:05z", noon],
    ["2026-01-02T03:04:05", noon],
    ["2026-01-02 03:04:05", noon],
    ["2026-01-02 03:04:05Z", noon],
    ["  2026-01-02T03:04:05Z\n", noon],
    ["2026-01-02T03:04:05.678Z", noon + 678],
    ["2026-01-02T03:04:05.678901", noon + 678],
    ["2026-01-02T05:04:05+02:00", noon],
    ["2026-01-02T05:04:05+0200", noon],
    ["2026-01-01T21:34:05-05:30", noon],
    ["2026-01-02T03:04", Date.UTC(2026, 0, 2, 3, 4)],
    ["2026-01-02", Date.UTC(2026, 0, 2)],
    ["2026-02", Date.UTC(2026, 1)],
    ["+012026-01-02T00:00:00Z", Date.UTC(12026, 0, 2)],
    // Numbers below 1e11 are seconds.
    [0, 0],
    [1_700_000_000, 1_700_000_000_000],
    [1.5, 1_500],
    [-1, -1_000],
    [99_999_999_999, 99_999_999_999_000],
    [100_000_000_000, 100_000_000_000],
    [-100_000_000_000, -100_000_000_000],
    [1_700_000_000_000, 1_700_000_000_000],
    [1_700_000_000_000.6, 1_700_000_000_001],
    [8.64e15, 8.64e15],
  ])("is read from %j", (value, at) => {
    expect(instantOf(value)).toBe(at);
  });

  it.each([
    ["yesterday"],
    [""],
    ["2026"],
    ["20260102"],
    ["1700000000"],
    ["2026-13-01"],
    ["2026-01-02T25:00:00Z"],
    ["2026-01-02T"],
    ["2026-01-02T03"],
    ["on 2026-01-02"],
    ["2026-01-02 or so"],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [8.64e15 + 2],
    [-8.64e15 - 2],
    [null],
    [undefined],
    [true],
    [{}],
    [["2026-01-02"]],
  ])("is not read from %j", (value) => {
    expect(instantOf(value)).toBeNull();
  });
});

describe("the time of an event", () => {
  const iso = (at: number) => new Date(at).toISOString();

  it.each<{ case: string; fields: Record<string, unknown>; envelope?: Partial<Envelope>; at: number }>([
    { case: "none", fields: {}, at: NOW },
    { case: "null", fields: { timestamp: null }, at: NOW },
    { case: "an empty text", fields: { timestamp: "" }, at: NOW },
    { case: "a timestamp", fields: { timestamp: iso(NOW - 5_000) }, at: NOW - 5_000 },
    { case: "seconds", fields: { timestamp: NOW / 1_000 - 5 }, at: NOW - 5_000 },
    { case: "an offset", fields: { offset: 1_500 }, at: NOW - 1_500 },
    { case: "a part of a millisecond", fields: { offset: 0.4 }, at: NOW },
    { case: "an infinite offset", fields: { offset: Number.POSITIVE_INFINITY }, at: NOW },
    { case: "an offset as text", fields: { offset: "1500" }, at: NOW },
    { case: "both", fields: { timestamp: iso(NOW - 5_000), offset: 1_500 }, at: NOW - 5_000 },
    { case: "no time, but sent_at", fields: {}, envelope: { sentAt: NOW - DAY }, at: NOW },
    {
      case: "a slow clock",
      fields: { timestamp: iso(NOW - DAY - 3_000) },
      envelope: { sentAt: NOW - DAY },
      at: NOW - 3_000,
    },
    {
      case: "a fast clock",
      fields: { timestamp: iso(NOW + 3 * DAY - 3_000) },
      envelope: { sentAt: NOW + 3 * DAY },
      at: NOW - 3_000,
    },
    {
      case: "a minute after its request",
      fields: { timestamp: iso(NOW - DAY + 60_000) },
      envelope: { sentAt: NOW - DAY },
      at: NOW + 60_000,
    },
    {
      case: "more than a minute after its request, which says nothing of the clock",
      fields: { timestamp: iso(NOW - DAY + 60_001) },
      envelope: { sentAt: NOW - DAY },
      at: NOW - DAY + 60_001,
    },
    {
      case: "history",
      fields: { timestamp: iso(NOW - DAY - 3_000) },
      envelope: { sentAt: NOW - DAY, historical: true },
      at: NOW - DAY - 3_000,
    },
    {
      case: "$ignore_sent_at",
      fields: { timestamp: iso(NOW - DAY - 3_000), properties: { $ignore_sent_at: true } },
      envelope: { sentAt: NOW - DAY },
      at: NOW - DAY - 3_000,
    },
    {
      case: "$ignore_sent_at that is not true",
      fields: { timestamp: iso(NOW - DAY - 3_000), properties: { $ignore_sent_at: "no" } },
      envelope: { sentAt: NOW - DAY },
      at: NOW - 3_000,
    },
    { case: "a day ahead", fields: { timestamp: iso(NOW + DAY) }, at: NOW + DAY },
    { case: "more than a day ahead: now", fields: { timestamp: iso(NOW + DAY + 1) }, at: NOW },
    { case: "an offset far ahead: now", fields: { offset: -2 * DAY }, at: NOW },
    { case: "before 1970: 1970", fields: { timestamp: "1969-12-31T23:59:59Z" }, at: 0 },
    { case: "1970", fields: { timestamp: "1970-01-01T00:00:00.001Z" }, at: 1 },
  ])("with $case", ({ fields, envelope, at }) => {
    expect(parsed(fields, envelope).at).toBe(at);
  });

  it.each([["yesterday"], [true], [{}], [" "], [Number.NaN]])("is never %j", (timestamp) => {
    expect(refusal({ timestamp })).toBe("timestamp is not an ISO 8601 date.");
  });
});

describe("the name of an event", () => {
  it.each<[unknown, string | null, string]>([
    ["seen", null, "seen"],
    ["  seen\t", null, "seen"],
    ["s\u0000een", null, "seen"],
    ["n".repeat(200), null, "n".repeat(200)],
    ["seen", "$identify", "seen"],
    [undefined, "$identify", "$identify"],
    [7, "$identify", "$identify"],
  ])("%j, where events without one are called %j, is %j", (event, unnamed, name) => {
    expect(parsed({ event }, { unnamed }).event).toBe(name);
  });

  it.each<[unknown, string | null, string]>([
    [undefined, null, "The event has no name."],
    [7, null, "The event has no name."],
    [" ", null, "The event has no name."],
    ["\u0000", null, "The event has no name."],
    [" ", "$identify", "The event has no name."],
    ["n".repeat(201), null, "The event's name is longer than 200 characters."],
  ])("%j, where events without one are called %j, is refused", (event, unnamed, reason) => {
    expect(refusal({ event }, { unnamed })).toBe(reason);
  });
});

describe("the distinct id of an event", () => {
  it.each<{ from: string; fields: Record<string, unknown>; id: string }>([
    {
      from: "the event first",
      fields: {
        distinct_id: "a",
        $distinct_id: "c",
        properties: { distinct_id: "b", $distinct_id: "d" },
      },
      id: "a",
    },
    {
      from: "the properties next",
      fields: {
        distinct_id: null,
        $distinct_id: "c",
        properties: { distinct_id: "b", $distinct_id: "d" },
      },
      id: "b",
    },
    {
      from: "$distinct_id next",
      fields: { distinct_id: undefined, $distinct_id: "c", properties: { $distinct_id: "d" } },
      id: "c",
    },
    {
      from: "$distinct_id of the properties last",
      fields: { distinct_id: undefined, properties: { distinct_id: null, $distinct_id: "d" } },
      id: "d",
    },
    { from: "a number", fields: { distinct_id: 7 }, id: "7" },
    { from: "zero", fields: { distinct_id: 0 }, id: "0" },
    { from: "a text with blanks around", fields: { distinct_id: " a b " }, id: "a b" },
    { from: "a text with NUL", fields: { distinct_id: "a\u0000b" }, id: "ab" },
    { from: "a text of 400 characters", fields: { distinct_id: "x".repeat(400) }, id: "x".repeat(400) },
  ])("is taken from $from", ({ fields, id }) => {
    expect(parsed(fields).distinct_id).toBe(id);
  });

  it.each<[unknown, string]>([
    [undefined, "The event has no distinct_id."],
    [null, "The event has no distinct_id."],
    ["", "The event has no distinct_id."],
    [" \u0000", "The event has no distinct_id."],
    [true, "The event has no distinct_id."],
    [["a"], "The event has no distinct_id."],
    [{ id: "a" }, "The event has no distinct_id."],
    ["x".repeat(401), "distinct_id is longer than 400 characters."],
  ])("is never %j", (distinct_id, reason) => {
    expect(refusal({ distinct_id })).toBe(reason);
  });

  it("that is empty is not looked for elsewhere", () => {
    expect(refusal({ distinct_id: "", $distinct_id: "a" })).toBe("The event has no distinct_id.");
  });
});

describe("the uuid of an event", () => {
  const uuid = "0190a6d5-1111-7000-8000-0000000000ff";

  it.each([
    [uuid],
    [uuid.toUpperCase()],
    [uuid.replaceAll("-", "")],
    [uuid.replaceAll("-", "").toUpperCase()],
  ])("%s is read", (given) => {
    expect(parsed({ uuid: given }).uuid).toBe(uuid);
  });

  it.each([
    [`${uuid}0`],
    [`0${uuid}`],
    [`${uuid.replaceAll("-", "")}0`],
    [`0${uuid.replaceAll("-", "")}`],
    [` ${uuid}`],
    [uuid.replace("f", "g")],
    [uuid.slice(0, -1)],
    [7],
    [false],
    [{}],
  ])("%j is refused", (given) => {
    expect(refusal({ uuid: given })).toBe("uuid is not a UUID.");
  });

  it.each([[undefined], [null], [""]])("is made up of the event's time for %j", (given) => {
    const at = NOW - 3 * DAY;
    const made = () => parsed({ uuid: given, timestamp: new Date(at).toISOString() }).uuid;
    expect(Number.parseInt(made().replaceAll("-", "").slice(0, 12), 16)).toBe(at);
    expect(made()).not.toBe(made());
  });
});

describe("the properties of an event", () => {
  it.each<{ case: string; fields: Record<string, unknown>; properties: Record<string, unknown> }>([
    { case: "absent", fields: {}, properties: {} },
    { case: "null", fields: { properties: null }, properties: {} },
    { case: "as sent", fields: { properties: { a: [1, { b: null }] } }, properties: { a: [1, { b: null }] } },
    { case: "without the token", fields: { properties: { token: "t", a: 1 } }, properties: { a: 1 } },
    {
      case: "with $set and $set_once from beside them",
      fields: { $set: { a: 1 }, $set_once: { b: 2 }, properties: { c: 3 } },
      properties: { c: 3, $set: { a: 1 }, $set_once: { b: 2 } },
    },
    {
      case: "with $set from beside them over their own",
      fields: { $set: { a: 1 }, properties: { $set: { a: 0, b: 2 } } },
      properties: { $set: { a: 1, b: 2 } },
    },
    {
      case: "with $set instead of one that is no object",
      fields: { $set: { a: 1 }, properties: { $set: "x" } },
      properties: { $set: { a: 1 } },
    },
    {
      case: "without a $set that is no object",
      fields: { $set: [1], $set_once: "x", properties: { a: 1, $set: { b: 2 } } },
      properties: { a: 1, $set: { b: 2 } },
    },
    {
      case: "with $unset from beside them",
      fields: { $unset: ["a"], properties: { $unset: ["b"] } },
      properties: { $unset: ["a"] },
    },
    {
      case: "without an $unset that is no list",
      fields: { $unset: "a", properties: { $unset: ["b"] } },
      properties: { $unset: ["b"] },
    },
    {
      case: "without what the database cannot hold",
      fields: { properties: { "a\u0000": "\ud800" } },
      properties: { a: "\ufffd" },
    },
  ])("are stored $case", ({ fields, properties }) => {
    const sent = structuredClone(fields);
    const event = parsed(fields);
    expect(event.properties).toEqual(properties);
    expect(JSON.parse(event.json)).toEqual(properties);
    expect(fields).toEqual(sent);
  });

  it.each([["x"], [7], [[1]], [false]])("are never %j", (properties) => {
    expect(refusal({ properties })).toBe("properties is not an object.");
  });

  const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: nested(levels - 1) });
  const text = (bytes: number, character = "x") => ({
    t: character.repeat((bytes - '{"t":""}'.length) / Buffer.byteLength(character)),
  });
  const tooDeep = "properties is nested deeper than 64 levels.";

  it.each<{ case: string; properties: unknown; reason: string | null }>([
    { case: "64 levels", properties: nested(64), reason: null },
    { case: "65 levels", properties: nested(65), reason: tooDeep },
    { case: "a megabyte", properties: text(EVENT_BYTES_LIMIT), reason: null },
    { case: "a byte more", properties: text(EVENT_BYTES_LIMIT + 1), reason: EVENT_TOO_LARGE },
    { case: "a megabyte of two bytes each", properties: text(EVENT_BYTES_LIMIT, "é"), reason: null },
    { case: "more of two bytes each", properties: text(EVENT_BYTES_LIMIT + 2, "é"), reason: EVENT_TOO_LARGE },
    {
      case: "more of three bytes each",
      properties: text(EVENT_BYTES_LIMIT + 1, "€"),
      reason: EVENT_TOO_LARGE,
    },
    // The object and the list are values, too.
    { case: "10,000 values", properties: { l: new Array(9_998).fill(0) }, reason: null },
    {
      case: "10,001 values",
      properties: { l: new Array(9_999).fill(0) },
      reason: EVENT_TOO_MANY_VALUES,
    },
  ])("of $case: $reason", ({ properties, reason }) => {
    expect(refusal({ properties })).toBe(reason);
  });
});

it.each([[null], [undefined], ["seen"], [7], [["seen"]]])("%j is no event", (raw) => {
  expect(parseEvent(raw, plain)).toBe("The event is not an object.");
});
