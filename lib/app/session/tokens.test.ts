import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

type Color = { rgb: [number, number, number]; alpha: number };
type Theme = 0 | 1;

const css = readFileSync(new URL("../../../app/styles/tokens.css", import.meta.url), "utf8");

/** `L C H / alpha` as linear sRGB, by the matrices of CSS Color 4. */
function linear(oklch: string): Color {
  const [L = 0, C = 0, h = 0, alpha = 1] = oklch.split(/[\s/]+/).map(Number);
  const [a, b] = [C * Math.cos((h * Math.PI) / 180), C * Math.sin((h * Math.PI) / 180)];
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb: Color["rgb"] = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return { rgb: rgb.map((part) => Math.min(1, Math.max(0, part))) as Color["rgb"], alpha };
}

const pairs = new Map<string, [Color, Color]>();
for (const [, name = "", light = "", dark = ""] of css.matchAll(
  /--([\w-]+): light-dark\(oklch\(([^)]*)\), oklch\(([^)]*)\)\);/g,
))
  if (!pairs.has(name)) pairs.set(name, [linear(light), linear(dark)]);

function token(name: string, theme: Theme): Color {
  const pair = pairs.get(name);
  if (!pair) throw new Error(`app/styles/tokens.css has no --${name}`);
  return pair[theme];
}

const encode = (x: number) => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
const decode = (x: number) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);

/** A veil over a surface, mixed as browsers do it. */
const over = (veil: Color, under: Color): Color => ({
  rgb: under.rgb.map((part, i) =>
    decode(encode(part) * (1 - veil.alpha) + encode(veil.rgb[i] ?? 0) * veil.alpha),
  ) as Color["rgb"],
  alpha: 1,
});

const luminance = ({ rgb: [r, g, b] }: Color) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

function contrast(one: Color, other: Color): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ["canvas", "page", "surface", "raised", "sunken"];
const tones = ["accent", "success", "warning", "danger", "info"];
const themes: [string, Theme][] = [
  ["light", 0],
  ["dark", 1],
];

describe.each(themes)("colours, %s", (_, theme) => {
  const texts = ["ink", "muted", "faint", ...tones.map((tone) => `${tone}-text`)];
  it.each(texts)("text in %s reads on every surface, also under the pointer", (name) => {
    for (const surface of surfaces) {
      const under = token(surface, theme);
      expect(contrast(token(name, theme), under), surface).toBeGreaterThanOrEqual(4.5);
      expect(
        contrast(token(name, theme), over(token("hover", theme), under)),
        surface,
      ).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(tones)("text reads on the soft fill of %s", (tone) => {
    for (const text of ["ink", "muted", "faint", `${tone}-text`])
      expect(contrast(token(text, theme), token(`${tone}-soft`, theme)), text).toBeGreaterThanOrEqual(4.5);
  });

  it.each([
    ["on-accent", "accent"],
    ["on-accent", "accent-hover"],
    ["on-danger", "danger"],
    ["on-danger", "danger-hover"],
    ["on-inverse", "inverse"],
  ])("%s reads on %s", (text, fill) => {
    expect(contrast(token(text, theme), token(fill, theme))).toBeGreaterThanOrEqual(4.5);
  });

  const signs = ["line-control", "focus", ...tones];
  it.each(signs)("%s stands out from every surface", (name) => {
    for (const surface of ["canvas", "page", "surface", "raised"])
      expect(contrast(token(name, theme), token(surface, theme)), surface).toBeGreaterThanOrEqual(3);
  });

  it("variants stand out from the surface, and neighbours differ in lightness", () => {
    const variants = [1, 2, 3, 4, 5, 6, 7, 8].map((index) => token(`variant-${index}`, theme));
    for (const [index, color] of variants.entries()) {
      expect(contrast(color, token("surface", theme)), `variant ${index + 1}`).toBeGreaterThanOrEqual(3);
      const next = variants[index + 1];
      if (next)
        expect(contrast(color, next), `variants ${index + 1} and ${index + 2}`).toBeGreaterThanOrEqual(1.4);
    }
  });
});
