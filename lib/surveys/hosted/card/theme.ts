import { type Colord, colord, extend } from "colord";
import a11y from "colord/plugins/a11y";
import names from "colord/plugins/names";
import type { Json } from "#lib/engines/json.ts";

extend([names, a11y]);

/** The look of a survey: CSS custom properties, or none if it follows the reader's light or dark mode. */
export type Theme = { properties: string; scheme: "light" | "dark" | "light dark" };

/** Parses a colour; null if it is none. What is written comes from here, so that it cannot contain anything else. */
export function parseColour(text: unknown): Colord | null {
  if (typeof text !== "string" || text.length > 100) return null;
  const colour = colord(text.trim().toLowerCase());
  return colour.isValid() ? colour : null;
}

const colourAt = (appearance: Json, name: string): Colord | null => parseColour(appearance[name]);

/** Contrast that WCAG requires for text. */
export const READABLE = 4.5;

/** A colour as it appears on an opaque one. */
function over(top: Colord, below: Colord): Colord {
  const [{ r, g, b, a }, back] = [top.rgba, below.rgba];
  const mixed = (one: number, other: number) => Math.round(one * a + other * (1 - a));
  return colord({ r: mixed(r, back.r), g: mixed(g, back.g), b: mixed(b, back.b) });
}

/** Contrast of a text with its background, 1 to 21; the background is taken for opaque. */
export function contrastOf(text: Colord, background: Colord): number {
  const opaque = background.alpha(1);
  return over(text, opaque).contrast(opaque);
}

const [WHITE, NEARLY_BLACK, BLACK] = [colord("#ffffff"), colord("#16181d"), colord("#000000")];

/** White or near black, whichever reads better; black where neither can be read. */
function inkOn(background: Colord): Colord {
  const best = contrastOf(WHITE, background) > contrastOf(NEARLY_BLACK, background) ? WHITE : NEARLY_BLACK;
  return contrastOf(best, background) >= READABLE ? best : BLACK;
}

/** The wanted text colour if it is readable on its background, else one that is. */
const legible = (wanted: Colord | null, background: Colord) =>
  wanted && contrastOf(wanted, background) >= READABLE ? wanted : inkOn(background);

const GENERIC =
  /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-(serif|sans-serif|monospace|rounded))$/;

function fontOf(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 200) return null;
  const families = value.split(",").map((family) => family.trim().replace(/^(["'])(.*)\1$/, "$2"));
  if (!families.every((family) => /^[\p{L}\d][\p{L}\d _-]{0,60}$/u.test(family))) return null;
  if (families.includes("inherit")) return null;
  return families.map((family) => (GENERIC.test(family) ? family : `"${family}"`)).join(", ");
}

const matching = (value: unknown, pattern: RegExp): string | null =>
  typeof value === "string" && pattern.test(value.trim()) ? value.trim() : null;

/** The colours of a card, each in the custom property of that name. */
export type Colours = Record<
  | "page"
  | "ink"
  | "muted"
  | "line"
  | "control"
  | "field"
  | "on-field"
  | "choice"
  | "on-choice"
  | "chosen"
  | "on-chosen"
  | "accent"
  | "on-accent"
  | "focus",
  Colord
>;

/** The colours of a page of ours, readable whatever was chosen; null if none was. */
export function pageColours(appearance: Json): Colours | null {
  const at = (name: string) => colourAt(appearance, name);
  const background = at("backgroundColor");
  const button = at("submitButtonColor");
  const wanted = [
    background,
    button,
    at("textColor"),
    at("ratingButtonColor"),
    at("ratingButtonActiveColor"),
  ];
  if (wanted.every((colour) => colour === null)) return null;
  const page = background ? background.alpha(1) : colord("#ffffff");
  const ink = legible(at("textColor"), page);
  const onPage = (name: string, otherwise: Colord) => over(at(name) ?? otherwise, page);
  const accent = onPage("submitButtonColor", ink);
  const field = onPage("inputBackground", page.isDark() ? page.lighten(0.06) : WHITE);
  const choice = onPage("ratingButtonColor", field);
  const chosen = onPage("ratingButtonActiveColor", accent);
  const subtle = at("textSubtleColor") ?? at("descriptionTextColor");
  const muted = [subtle, ink.alpha(0.82)].find((colour) => colour && contrastOf(colour, page) >= READABLE);
  return {
    page,
    ink,
    muted: muted ?? ink,
    line: at("borderColor") ?? ink.alpha(0.22),
    control: ink.alpha(0.62),
    field,
    "on-field": legible(at("inputTextColor"), field),
    choice,
    "on-choice": legible(null, choice),
    chosen,
    "on-chosen": legible(null, chosen),
    accent,
    "on-accent": legible(at("submitButtonTextColor"), accent),
    focus: accent.contrast(page) >= 3 ? accent : ink,
  };
}

/** The colours that posthog-js gives a box on somebody's page and the tab that opens it, readable or not. */
export function boxColours(appearance: Json): Colours & Record<"widget" | "on-widget", Colord> {
  const at = (name: string) => colourAt(appearance, name);
  const inkFor = (background: Colord) => colord(background.isDark() ? "#ffffff" : "#020617");
  const page = at("backgroundColor") ?? colord("#eeeded");
  const field = at("inputBackground") ?? colord("#ffffff");
  const accent = at("submitButtonColor") ?? colord("#000000");
  const chosen = at("ratingButtonActiveColor") ?? colord("#000000");
  const ink = at("textColor") ?? inkFor(page);
  const onField = at("inputTextColor") ?? inkFor(field);
  const line = at("borderColor") ?? colord("#c9c6c6");
  const widget = at("widgetColor") ?? colord("#000000");
  return {
    page,
    ink,
    muted: at("textSubtleColor") ?? colord("#939393"),
    line,
    control: line,
    field,
    "on-field": onField,
    choice: at("ratingButtonColor") ?? colord("#ffffff"),
    "on-choice": onField,
    chosen,
    "on-chosen": inkFor(chosen),
    accent,
    "on-accent": at("submitButtonTextColor") ?? inkFor(accent),
    focus: ink,
    widget,
    "on-widget": inkFor(widget),
  };
}

const LENGTH = /^\d{1,4}(\.\d+)?(px|rem|em|%)$/;
const SPACE = /^\d{1,3}px( \d{1,3}px){0,3}$/;
const SHADOW = /^(none|(-?\d{1,3}(px)? ){2,4}(rgba?\([\d., ]{5,40}\)|#[\da-f]{3,8}))$/i;

/** The measures of a box, with the defaults of posthog-js. */
const boxMeasures = ({ maxWidth, boxPadding, boxShadow, borderRadius }: Json) => ({
  width: matching(maxWidth, LENGTH) ?? "300px",
  padding: matching(boxPadding, SPACE) ?? "20px 16px",
  shadow: matching(boxShadow, SHADOW) ?? "0 4px 12px rgba(0, 0, 0, 0.15)",
  radius: matching(borderRadius, LENGTH) ?? "10px",
});

/**
 * The theme of a survey's appearance, for a page of ours or for a box on somebody's page. Invalid colours, fonts and
 * lengths are ignored; on a page, unreadable text colours are replaced.
 */
export function themeOf(appearance: Json, isBox = false): Theme {
  const colours = isBox ? boxColours(appearance) : pageColours(appearance);
  const font = fontOf(appearance.fontFamily);
  const radius = matching(appearance.borderRadius, /^\d{1,2}(\.\d{1,2})?(px|rem|em)$/);
  const properties = {
    ...Object.fromEntries(Object.entries(colours ?? {}).map(([name, colour]) => [name, colour.toHex()])),
    ...(font && { font: `${font}, system-ui, sans-serif` }),
    ...(radius && { radius }),
    ...(isBox && boxMeasures(appearance)),
  };
  const lines = Object.entries(properties).map(([name, value]) => `--${name}: ${value};`);
  const scheme = colours === null ? "light dark" : colours.page.isDark() ? "dark" : "light";
  return { properties: lines.join(" "), scheme };
}
