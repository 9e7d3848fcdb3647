import { describe, expect, it } from "vitest";
import { momentOf, parseDateValue, parseMoment } from "./dates.ts";
import { caretRange, parseVersion, tildeRange, wildcardRange } from "./semver.ts";

describe("dates", () => {
  it.each([
    ["2024-06-01", "2024-06-01T00:00:00.000Z"],
    ["2024-06-01T10:20", "2024-06-01T10:20:00.000Z"],
    ["2024-06-01 10:20:30", "2024-06-01T10:20:30.000Z"],
    ["2024-06-01 10:20:30 UTC", "2024-06-01T10:20:30.000Z"],
    ["2024-06-01T10:20:30.25+02:00", "2024-06-01T08:20:30.250Z"],
    ["2024-06-01T10:20:30-0530", "2024-06-01T15:50:30.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2024", "2024-01-01T00:00:00.000Z"],
    ["2024-06", "2024-06-01T00:00:00.000Z"],
    [" 0099-01-01 ", "0099-01-01T00:00:00.000Z"],
    [1_717_236_000, "2024-06-01T10:00:00.000Z"],
    [1_717_236_000_000, "2024-06-01T10:00:00.000Z"],
  ])("reads %j", (text, expected) => {
    expect(new Date(parseMoment(text) ?? Number.NaN).toISOString()).toBe(expected);
  });

  it.each([
    "2023-02-29",
    "2024-13-01",
    "2024-00-10",
    "2024-06-31",
    "2024-6-1",
    "June 1",
    "",
    "24:00",
    "2024-06T10:00",
    1e21,
    null,
    true,
    {},
  ])("refuses %j", (value) => {
    expect(parseMoment(value)).toBeNull();
  });

  it.each([
    ["-2h", "2026-03-31T08:30:00.000Z"],
    ["30d", "2026-03-01T10:30:00.000Z"],
    ["-1w", "2026-03-24T10:30:00.000Z"],
    ["-1m", "2026-02-28T10:30:00.000Z"],
    ["-13m", "2025-02-28T10:30:00.000Z"],
    ["-2y", "2024-03-31T10:30:00.000Z"],
    ["-9999d", "1998-11-14T10:30:00.000Z"],
  ])("counts %s back from now", (text, expected) => {
    const date = parseDateValue(text);
    expect(date && new Date(momentOf(date, Date.parse("2026-03-31T10:30:00Z"))).toISOString()).toBe(expected);
  });

  it.each(["-10000d", "-5x", "d", "--1d", "1.5d"])("refuses the span %s", (text) => {
    expect(parseDateValue(text)).toBeNull();
  });
});

describe("versions", () => {
  it.each([
    ["1.2.3", [1, 2, 3]],
    [" V1.2 ", [1, 2, 0]],
    ["1..3", [1, 0, 3]],
    ["1.2.3-rc.1+build", [1, 2, 3]],
    ["1.2.3.4", [1, 2, 3]],
    ["vv1.2.3", null],
    ["01.2.3", null],
    ["1.x", null],
    [".1", null],
    ["", null],
  ])("reads %j", (text, expected) => {
    expect(parseVersion(text)).toEqual(expected);
  });

  it.each([
    [tildeRange("1.2.3"), [1, 2, 3], [1, 3, 0]],
    [caretRange("1.2.3"), [1, 2, 3], [2, 0, 0]],
    [caretRange("0.2.3"), [0, 2, 3], [0, 3, 0]],
    [caretRange("0.0.3"), [0, 0, 3], [0, 0, 4]],
    [wildcardRange("1.*"), [1, 0, 0], [2, 0, 0]],
    [wildcardRange("v1.2.*"), [1, 2, 0], [1, 3, 0]],
  ])("range %#", (range, lower, upper) => {
    expect(range).toEqual({ lower, upper });
  });

  it.each(["*", "", "a.*", "1.b.*"])("refuses the wildcard %j", (text) => {
    expect(wildcardRange(text)).toBeNull();
  });
});
