import { colord, extend } from "colord";
import a11y from "colord/plugins/a11y";
import names from "colord/plugins/names";
import type { CSSProperties } from "react";
import type { Json } from "#lib/engines/json.ts";

extend([names, a11y]);

/** The default appearance of posthog-js. */
const DEFAULTS = {
  backgroundColor: "#eeeded",
  submitButtonColor: "black",
  ratingButtonColor: "white",
  ratingButtonActiveColor: "black",
  borderColor: "#c9c6c6",
  textSubtleColor: "#939393",
  inputBackground: "white",
  widgetColor: "black",
} as const;

const DARK_INK = "#020617";

/** What WCAG 2.2 asks of text, and of the edges and signs of controls. */
export const READABLE = 4.5;

/** A colour that somebody wrote; null if it is none. */
export function colourOf(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 100) return null;
  const colour = colord(value.trim().toLowerCase());
  return colour.isValid() ? colour.toHex() : null;
}

/** The text colour that posthog-js uses on a colour: black or white. */
const inkOn = (background: string): string => (colord(background).isDark() ? "#ffffff" : DARK_INK);

/** Contrast of two colours, 1 to 21; transparent ones are blended with white. */
export const contrastOf = (text: string, background: string): number =>
  colord(text).contrast(colord(background).alpha(1));

export type Theme = Record<
  | "background"
  | "text"
  | "subtle"
  | "border"
  | "input"
  | "inputText"
  | "rating"
  | "ratingText"
  | "ratingActive"
  | "ratingActiveText"
  | "button"
  | "buttonText"
  | "widget"
  | "widgetText",
  string
>;

/** All colours of a survey, as posthog-js computes them. */
export function themeOf(appearance: Json | null): Theme {
  const at = (name: string) => colourOf(appearance?.[name]);
  const or = (name: keyof typeof DEFAULTS) => at(name) ?? colord(DEFAULTS[name]).toHex();
  const [background, button, input] = [or("backgroundColor"), or("submitButtonColor"), or("inputBackground")];
  const inputText = at("inputTextColor") ?? inkOn(input);
  const active = or("ratingButtonActiveColor");
  const widget = or("widgetColor");
  return {
    background,
    text: at("textColor") ?? inkOn(background),
    subtle: or("textSubtleColor"),
    border: or("borderColor"),
    input,
    inputText,
    rating: or("ratingButtonColor"),
    ratingText: inputText,
    ratingActive: active,
    ratingActiveText: inkOn(active),
    button,
    buttonText: at("submitButtonTextColor") ?? inkOn(button),
    widget,
    widgetText: inkOn(widget),
  };
}

/** A pair of colours that needs contrast. */
export type ContrastCheck = { what: string; ratio: number; readable: boolean };

/** The contrast of all texts of a survey. */
export function contrastsOf(appearance: Json | null): ContrastCheck[] {
  const theme = themeOf(appearance);
  const pairs: [string, keyof Theme, keyof Theme][] = [
    ["Question on the background", "text", "background"],
    ["Description and scale labels", "subtle", "background"],
    ["Button", "buttonText", "button"],
    ["Rating", "ratingText", "rating"],
    ["Selected rating", "ratingActiveText", "ratingActive"],
    ["Answer box", "inputText", "input"],
  ];
  if (appearance?.widgetType === "tab") pairs.push(["Tab text", "widgetText", "widget"]);
  return pairs.map(([what, text, background]) => {
    const ratio = contrastOf(theme[text], theme[background]);
    return { what, ratio, readable: ratio >= READABLE };
  });
}

const length = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{1,4}(\.\d+)?(px|rem|em|%)$/.test(value.trim()) ? value.trim() : undefined;

const SPACE = /^\d{1,3}px( \d{1,3}px){0,3}$/;
const SHADOW = /^(none|(-?\d{1,3}(px)? ){2,4}(rgba?\([\d., ]{5,40}\)|#[\da-f]{3,8}))$/i;

const written = (value: unknown, pattern: RegExp): string | undefined =>
  typeof value === "string" && pattern.test(value.trim()) ? value.trim() : undefined;

/** The box around a survey. */
export function boxStyle(appearance: Json | null): CSSProperties {
  const theme = themeOf(appearance);
  const font = typeof appearance?.fontFamily === "string" ? appearance.fontFamily : "";
  return {
    // Radio buttons and boxes are the browser's own: they follow the survey, not the dashboard.
    colorScheme: colord(theme.background).isDark() ? "dark" : "light",
    backgroundColor: theme.background,
    color: theme.text,
    borderColor: theme.border,
    borderRadius: length(appearance?.borderRadius) ?? "10px",
    maxWidth: length(appearance?.maxWidth) ?? "300px",
    padding: written(appearance?.boxPadding, SPACE) ?? "20px 16px",
    boxShadow: written(appearance?.boxShadow, SHADOW) ?? "0 4px 12px rgba(0, 0, 0, 0.15)",
    ...(/^[\w\s,"'-]{1,200}$/.test(font) && font !== "inherit" && { fontFamily: font }),
  };
}

/** Theme presets, all readable. */
export const PRESETS: readonly { id: string; name: string; colours: Record<string, string> }[] = [
  {
    id: "paper",
    name: "Paper",
    colours: {
      backgroundColor: "#ffffff",
      textColor: "#16181d",
      textSubtleColor: "#5b6068",
      borderColor: "#d5d8dd",
      submitButtonColor: "#16181d",
      submitButtonTextColor: "#ffffff",
      ratingButtonColor: "#f4f5f6",
      ratingButtonActiveColor: "#16181d",
      inputBackground: "#f8f9fa",
      inputTextColor: "#16181d",
    },
  },
  {
    id: "night",
    name: "Night",
    colours: {
      backgroundColor: "#17191f",
      textColor: "#f2f4f7",
      textSubtleColor: "#aab0bb",
      borderColor: "#3a3f4a",
      submitButtonColor: "#f2f4f7",
      submitButtonTextColor: "#17191f",
      ratingButtonColor: "#262a33",
      ratingButtonActiveColor: "#f2f4f7",
      inputBackground: "#20242c",
      inputTextColor: "#f2f4f7",
    },
  },
  {
    id: "signal",
    name: "Signal",
    colours: {
      backgroundColor: "#f4fafa",
      textColor: "#0c2427",
      textSubtleColor: "#41605f",
      borderColor: "#b9d6d5",
      submitButtonColor: "#0b6e72",
      submitButtonTextColor: "#ffffff",
      ratingButtonColor: "#ffffff",
      ratingButtonActiveColor: "#0b6e72",
      inputBackground: "#ffffff",
      inputTextColor: "#0c2427",
    },
  },
  {
    id: "plum",
    name: "Plum",
    colours: {
      backgroundColor: "#faf6fb",
      textColor: "#2b1330",
      textSubtleColor: "#6b4b70",
      borderColor: "#dcc8e0",
      submitButtonColor: "#7a2685",
      submitButtonTextColor: "#ffffff",
      ratingButtonColor: "#ffffff",
      ratingButtonActiveColor: "#7a2685",
      inputBackground: "#ffffff",
      inputTextColor: "#2b1330",
    },
  },
  {
    id: "sand",
    name: "Sand",
    colours: {
      backgroundColor: "#fbf5ea",
      textColor: "#33260f",
      textSubtleColor: "#6d5a37",
      borderColor: "#e0d0b0",
      submitButtonColor: "#a8470f",
      submitButtonTextColor: "#ffffff",
      ratingButtonColor: "#fffdf8",
      ratingButtonActiveColor: "#a8470f",
      inputBackground: "#fffdf8",
      inputTextColor: "#33260f",
    },
  },
  {
    id: "contrast",
    name: "High contrast",
    colours: {
      backgroundColor: "#000000",
      textColor: "#ffffff",
      textSubtleColor: "#ffffff",
      borderColor: "#ffffff",
      submitButtonColor: "#ffe600",
      submitButtonTextColor: "#000000",
      ratingButtonColor: "#000000",
      ratingButtonActiveColor: "#ffe600",
      inputBackground: "#000000",
      inputTextColor: "#ffffff",
    },
  },
];
