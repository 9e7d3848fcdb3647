import { type Colord, colord, extend } from "colord";
import a11y from "colord/plugins/a11y";
import names from "colord/plugins/names";
import type { Json } from "#lib/engines/json.ts";

extend([names, a11y]);

/** The colours of a page: CSS custom properties, or none if it follows the reader's light or dark mode. */
export type Theme = { properties: string; scheme: "light" | "dark" | "light dark" };

/** Parses a colour. The result is formatted here, so that it cannot contain anything else. */
function colourAt(appearance: Json, name: string): Colord | null {
  const text = appearance[name];
  if (typeof text !== "string" || text.length > 100) return null;
  const colour = colord(text.trim().toLowerCase());
  return colour.isValid() ? colour : null;
}

const INKS = [colord("#ffffff"), colord("#16181d")];

/** White or near black, whichever reads better. */
const inkOn = (background: Colord): Colord =>
  INKS.reduce((best, ink) => (ink.contrast(background) > best.contrast(background) ? ink : best));

/** Contrast that WCAG requires for text. */
const READABLE = 4.5;

/** The wanted text colour if it is readable on its background, else one that is. */
const legible = (wanted: Colord | null, background: Colord) =>
  wanted && wanted.contrast(background) >= READABLE ? wanted : inkOn(background);

const GENERIC =
  /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-(serif|sans-serif|monospace|rounded))$/;

function fontOf(value: unknown): string | null {
  if (typeof value !== "string" || value.length > 200) return null;
  const families = value.split(",").map((family) => family.trim().replace(/^(["'])(.*)\1$/, "$2"));
  if (!families.every((family) => /^[\p{L}\d][\p{L}\d _-]{0,60}$/u.test(family))) return null;
  if (families.includes("inherit")) return null;
  return families.map((family) => (GENERIC.test(family) ? family : `"${family}"`)).join(", ");
}

const radiusOf = (value: unknown) =>
  typeof value === "string" && /^\d{1,2}(\.\d{1,2})?(px|rem|em)$/.test(value.trim()) ? value.trim() : null;

function coloursOf(appearance: Json): { properties: Record<string, string>; scheme: Theme["scheme"] } | null {
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
  const isDark = page.isDark();
  const ink = legible(at("textColor"), page);
  const accent = button ?? ink;
  const field = at("inputBackground") ?? (isDark ? page.lighten(0.06) : colord("#ffffff"));
  const choice = at("ratingButtonColor") ?? field;
  const chosen = at("ratingButtonActiveColor") ?? accent;
  const subtle = at("textSubtleColor") ?? at("descriptionTextColor");
  const properties = {
    page,
    ink,
    muted: subtle && subtle.contrast(page) >= READABLE ? subtle : ink.alpha(0.82),
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
  const texts = Object.entries(properties).map(([name, colour]) => [name, colour.toHex()]);
  return { properties: Object.fromEntries(texts), scheme: isDark ? "dark" : "light" };
}

/**
 * The theme of a survey's appearance. Invalid colours, fonts and lengths are ignored, unreadable text colours
 * replaced.
 */
export function themeOf(appearance: Json): Theme {
  const colours = coloursOf(appearance);
  const font = fontOf(appearance.fontFamily);
  const radius = radiusOf(appearance.borderRadius);
  const properties = {
    ...colours?.properties,
    ...(font && { font: `${font}, system-ui, sans-serif` }),
    ...(radius && { radius }),
  };
  const lines = Object.entries(properties).map(([name, value]) => `--${name}: ${value};`);
  return { properties: lines.join(" "), scheme: colours?.scheme ?? "light dark" };
}
