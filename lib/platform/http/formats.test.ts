import { describe, expect, it } from "vitest";
import { instant, instantOrNull } from "./instant.ts";
import { moment, momentText, momentTextOrNull, parseMoment } from "./moment-schema.ts";

const utc = (text: string) => parseMoment(text)?.toISOString() ?? null;

describe("a moment in ISO 8601", () => {
  it.each([
    ["2026-03-02", "2026-03-02T00:00:00.000Z"],
    [" 2026-03-02 ", "2026-03-02T00:00:00.000Z"],
    ["2026-03-02T09:08", "2026-03-02T09:08:00.000Z"],
    ["2026-03-02 09:08:07", "2026-03-02T09:08:07.000Z"],
    ["2026-03-02t09:08:07z", "2026-03-02T09:08:07.000Z"],
    ["2026-03-02T09:08:07 Z", "2026-03-02T09:08:07.000Z"],
    ["2026-03-02T09:08:07.5Z", "2026-03-02T09:08:07.500Z"],
    ["2026-03-02T09:08:07,25Z", "2026-03-02T09:08:07.250Z"],
    ["2026-03-02T09:08:07.123999999Z", "2026-03-02T09:08:07.123Z"],
    ["2026-03-02T09:08:07+02:00", "2026-03-02T07:08:07.000Z"],
    ["2026-03-02T09:08:07-0530", "2026-03-02T14:38:07.000Z"],
    ["2026-03-02T09:08:07+02", "2026-03-02T07:08:07.000Z"],
    ["2026-03-02T00:30+23:59", "2026-03-01T00:31:00.000Z"],
    ["2024-02-29", "2024-02-29T00:00:00.000Z"],
    ["2026-12-31T23:59:59Z", "2026-12-31T23:59:59.000Z"],
    ["1000-01-01", "1000-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("%s is %s", (text, expected) => {
    expect(utc(text)).toBe(expected);
  });

  it.each([
    "",
    "soon",
    "2026",
    "2026-3-2",
    "2026-02-29",
    "2026-00-10",
    "2026-13-01",
    "2026-04-31",
    "2026-04-00",
    "2026-03-02T24:00",
    "2026-03-02T09:60",
    "2026-03-02T09:08:60",
    "2026-03-02T09:08+24:00",
    "2026-03-02T09:08+10:60",
    "2026-03-02T09",
    "2026-03-02T09:08:07Zulu",
    "x2026-03-02",
    "0999-12-31",
    "0999-12-31T23:30-01:00",
    "1000-01-01T00:00+01:00",
    "9999-12-31T23:59-01:00",
  ])("%j is none", (text) => {
    expect(parseMoment(text)).toBeNull();
  });

  it("in a body is read as one, or refused in words", () => {
    const schema = moment("When.");
    expect(schema.parse("2026-03-02T09:08:07+02:00")).toEqual(new Date("2026-03-02T07:08:07Z"));
    expect(schema.parse(null)).toBeNull();
    expect(schema.safeParse("soon").error?.issues).toMatchObject([
      { code: "custom", message: "Not a date and time in ISO 8601, like 2026-03-02T09:00:00Z.", path: [] },
    ]);
  });

  it("is written with milliseconds only where there are any", () => {
    expect(momentText(new Date("2026-03-02T09:08:07.000Z"))).toBe("2026-03-02T09:08:07Z");
    expect(momentText(new Date("2026-03-02T09:08:07.010Z"))).toBe("2026-03-02T09:08:07.010Z");
    expect(momentTextOrNull(null)).toBeNull();
    expect(momentTextOrNull(new Date(0))).toBe("1970-01-01T00:00:00Z");
  });

  it("has six decimals in records", () => {
    expect(instant(new Date("2026-03-02T09:08:07.010Z"))).toBe("2026-03-02T09:08:07.010000Z");
    expect(instantOrNull(new Date(0))).toBe("1970-01-01T00:00:00.000000Z");
    expect([instantOrNull(null), instantOrNull(undefined)]).toEqual([null, null]);
  });
});
