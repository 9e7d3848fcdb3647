import { describe, expect, it } from "vitest";
import { contrastOf, contrastsOf, PRESETS } from "./colours.ts";

describe("the contrast of a survey's texts", () => {
  it.each(PRESETS)("is enough in $name", ({ colours }) => {
    expect(contrastsOf(colours).filter((check) => !check.readable)).toEqual([]);
  });

  it.each([
    { text: "#000000", background: "#ffffff", ratio: 21 },
    { text: "#767676", background: "#ffffff", ratio: 4.54 },
    { text: "#fff", background: "#fff", ratio: 1 },
  ])("of $text on $background is $ratio", ({ text, background, ratio }) => {
    expect(contrastOf(text, background)).toBeCloseTo(ratio, 2);
  });

  it("is too low in one of the public defaults", () => {
    expect(contrastsOf(null).filter((check) => !check.readable)).toMatchObject([
      { what: "Description and scale labels" },
    ]);
  });

  it("is too low for text that is too like its background", () => {
    const checks = contrastsOf({ backgroundColor: "white", textColor: "#999" });
    expect(checks[0]).toMatchObject({ readable: false });
  });
});
