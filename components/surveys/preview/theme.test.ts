import { describe, expect, it } from "vitest";
import { boxStyle, colourOf, contrastOf, contrastsOf, PRESETS, themeOf } from "./theme.ts";

describe("the theme of a survey", () => {
  it.each(PRESETS)("$name can be read", ({ colours }) => {
    expect(contrastsOf(colours).filter((check) => !check.readable)).toEqual([]);
  });

  it.each([
    { text: "#000000", background: "#ffffff", ratio: 21 },
    { text: "#767676", background: "#ffffff", ratio: 4.54 },
    { text: "#fff", background: "#fff", ratio: 1 },
  ])("measures $text on $background as $ratio", ({ text, background, ratio }) => {
    expect(contrastOf(text, background)).toBeCloseTo(ratio, 2);
  });

  it("says what of the public defaults cannot be read", () => {
    expect(contrastsOf(null).filter((check) => !check.readable)).toMatchObject([
      { what: "Description and scale labels" },
    ]);
  });

  it("warns of text that is too like its background", () => {
    const checks = contrastsOf({ backgroundColor: "white", textColor: "#999" });
    expect(checks[0]).toMatchObject({ readable: false });
  });

  it.each(["url(https://evil.example/x)", "red; background: url(x)", 7, null, "expression(alert(1))"])(
    "takes %j for no colour",
    (value) => {
      expect(colourOf(value)).toBeNull();
      expect(themeOf({ backgroundColor: value }).background).toBe("#eeeded");
    },
  );

  it("lets only lengths and font names through", () => {
    const style = boxStyle({ maxWidth: "calc(1px)", borderRadius: "4px", fontFamily: "url(x)" });
    expect(style).toMatchObject({ maxWidth: "300px", borderRadius: "4px" });
    expect(style).not.toHaveProperty("fontFamily");
  });
});
