import { describe, expect, it } from "vitest";
import { boxColours, parseColour, themeOf } from "./theme.ts";

describe("the theme of a box on somebody's page", () => {
  it.each(["url(https://evil.example/x)", "red; background: url(x)", 7, null, "expression(alert(1))"])(
    "takes %j for no colour",
    (value) => {
      expect(parseColour(value)).toBeNull();
      expect(boxColours({ backgroundColor: value }).page.toHex()).toBe("#eeeded");
    },
  );

  it("lets only lengths and font names through", () => {
    const { properties } = themeOf(
      {
        maxWidth: "calc(1px)",
        boxPadding: "1px; color: red",
        boxShadow: "url(x)",
        borderRadius: "4px",
        fontFamily: "url(x)",
      },
      true,
    );
    expect(properties).toContain(
      "--width: 300px; --padding: 20px 16px; --shadow: 0 4px 12px rgba(0, 0, 0, 0.15);",
    );
    expect(properties).toContain("--radius: 4px;");
    expect(properties).not.toMatch(/--font|url|red/);
  });

  it("shows texts as they were chosen, while a page replaces what nobody can read", () => {
    const appearance = { backgroundColor: "#ffffff", textColor: "#fefefe" };
    expect(themeOf(appearance, true).properties).toContain("--ink: #fefefe;");
    expect(themeOf(appearance).properties).toContain("--ink: #16181d;");
  });

  it("is dark where its background is", () => {
    expect(themeOf({ backgroundColor: "#111111" }, true).scheme).toBe("dark");
    expect(themeOf({}, true).scheme).toBe("light");
    expect(themeOf({}).scheme).toBe("light dark");
  });
});
