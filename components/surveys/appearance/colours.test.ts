import { colord } from "colord";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contrastOf } from "#lib/surveys/hosted/card/theme.ts";
import { contrastsOf, PRESETS } from "./colours.ts";

const TYPES = ["popover", "external_survey"] as const;

describe("the contrast of a survey's texts", () => {
  it.each(TYPES.flatMap((type) => PRESETS.map((preset) => ({ type, ...preset }))))(
    "is enough in $name of a survey of type $type",
    ({ type, colours }) => {
      expect(contrastsOf(type, colours)?.filter((check) => !check.readable || check.replaced)).toEqual([]);
    },
  );

  it.each([
    { text: "#000000", background: "#ffffff", ratio: 21 },
    { text: "#767676", background: "#ffffff", ratio: 4.54 },
    { text: "#fff", background: "#fff", ratio: 1 },
    { text: "#00000000", background: "#fff", ratio: 1 },
    { text: "#00000080", background: "#fff", ratio: 3.95 },
  ])("of $text on $background is $ratio", ({ text, background, ratio }) => {
    expect(contrastOf(colord(text), colord(background))).toBeCloseTo(ratio, 1);
  });

  it("is too low in one of the public defaults", () => {
    expect(contrastsOf("popover", null)?.filter((check) => !check.readable)).toMatchObject([
      { what: "Description and scale labels" },
    ]);
  });

  it("is too low for text that is too like its background", () => {
    const checks = contrastsOf("popover", { backgroundColor: "white", textColor: "#999" });
    expect(checks?.[0]).toMatchObject({ readable: false, replaced: false });
  });
});

describe("the contrast of a hosted page", () => {
  it("is that of the reader's light or dark mode where no colour was chosen", () => {
    expect(contrastsOf("external_survey", null)).toBeNull();
    expect(contrastsOf("external_survey", { placeholder: "Type…" })).toBeNull();
  });

  it("is enough where a colour that nobody can read was chosen, and says which is replaced", () => {
    const appearance = { backgroundColor: "white", textColor: "#999", inputTextColor: "#222" };
    const replaced = contrastsOf("external_survey", appearance)?.filter((check) => check.replaced);
    expect(replaced).toEqual([
      { what: "Question on the background", replaced: true, ratio: 17.75, readable: true },
    ]);
  });

  const colour = fc.tuple(fc.integer({ min: 0, max: 0xffffff }), fc.constantFrom("", "00", "80", "ff"));
  const written = colour.map(([rgb, alpha]) => `#${rgb.toString(16).padStart(6, "0")}${alpha}`);
  const appearances = fc.record(
    {
      backgroundColor: written,
      textColor: written,
      textSubtleColor: written,
      submitButtonColor: written,
      submitButtonTextColor: written,
      ratingButtonColor: written,
      ratingButtonActiveColor: written,
      inputBackground: written,
      inputTextColor: written,
    },
    { requiredKeys: [] },
  );

  it("is enough for every text, whatever was chosen", () => {
    fc.assert(
      fc.property(appearances, (appearance) => {
        const checks = contrastsOf("external_survey", appearance) ?? [];
        expect(checks.filter((check) => !check.readable)).toEqual([]);
      }),
    );
  });
});
