import type { createTailwindMerge } from "tailwind-merge";

type Config = ReturnType<Parameters<typeof createTailwindMerge>[0]>;

const any = () => true;
const isArbitrary = (value: string) => value.startsWith("[");
const isLength = (value: string) =>
  /^\[-?[\d.]+[a-z%]*\]$/.test(value) || /^\[(?:calc|min|max|clamp)\(/.test(value);
const isNumber = (value: string) => /^[\d.]+$/.test(value);
const isImage = (value: string) => /^\[.*gradient\(/.test(value);
const isArbitraryWidth = (value: string) => isArbitrary(value) && isLength(value);

/** A group of classes of the form `name-value`, whatever the value. */
const values = (...names: string[]) => Object.fromEntries(names.map((name) => [name, [{ [name]: [any] }]]));

const sides = ["x", "y", "t", "r", "b", "l"];
const corners = ["t", "r", "b", "l", "tl", "tr", "br", "bl"];
const borders = sides.map((side) => `border-${side}`);

/** Of `p` or `m`: what the class for all sides replaces, and that for two. */
const conflictsOf = (name: string) => ({
  [name]: sides.map((side) => `${name}${side}`),
  [`${name}x`]: [`${name}r`, `${name}l`],
  [`${name}y`]: [`${name}t`, `${name}b`],
});

/**
 * The kinds of Tailwind classes that the dashboard uses, for `cn`. The package's own list of all kinds weighs more than
 * everything else that a small page loads.
 */
export const CLASS_GROUPS: Config = {
  cacheSize: 500,
  theme: {},
  classGroups: {
    display: [
      "block",
      "inline",
      "inline-block",
      "flex",
      "inline-flex",
      "grid",
      "inline-grid",
      "table",
      "contents",
      "hidden",
    ],
    position: ["static", "fixed", "absolute", "relative", "sticky"],
    visibility: ["visible", "invisible", "collapse"],
    sr: ["sr-only", "not-sr-only"],
    ...values("overflow", "overflow-x", "overflow-y", "overscroll", "inset", "inset-x", "inset-y"),
    ...values("top", "right", "bottom", "left", "z", "order", "basis"),
    "flex-direction": [{ flex: ["row", "row-reverse", "col", "col-reverse"] }],
    "flex-wrap": [{ flex: ["nowrap", "wrap", "wrap-reverse"] }],
    flex: [{ flex: [isNumber, isArbitrary, "auto", "none", "initial"] }],
    grow: [{ grow: ["", any] }],
    shrink: [{ shrink: ["", any] }],
    ...values("grid-cols", "grid-rows", "col-start", "row-start", "gap", "gap-x", "gap-y"),
    "col-start-end": [{ col: [{ span: [any] }] }],
    "row-start-end": [{ row: [{ span: [any] }] }],
    ...values("justify", "justify-items", "items", "self", "place-items", "columns"),
    ...values("p", ...sides.map((side) => `p${side}`), "m", ...sides.map((side) => `m${side}`)),
    ...values("size", "w", "min-w", "max-w", "h", "min-h", "max-h"),
    "font-size": [{ text: ["2xs", "xs", "sm", "base", "touch", "lg", "xl", "2xl", isArbitraryWidth] }],
    "text-alignment": [{ text: ["left", "center", "right", "justify", "start", "end"] }],
    "text-wrap": [{ text: ["wrap", "nowrap", "balance", "pretty"] }],
    "text-color": [{ text: [any] }],
    "font-weight": [{ font: ["normal", "medium", "semibold", "bold"] }],
    "font-family": [{ font: [any] }],
    ...values("leading", "tracking", "line-clamp", "whitespace", "underline-offset", "align"),
    "list-style-type": [{ list: ["disc", "decimal", "none"] }],
    "text-decoration": ["underline", "overline", "line-through", "no-underline"],
    "text-decoration-style": [{ decoration: ["solid", "double", "dotted", "dashed", "wavy"] }],
    "text-decoration-color": [{ decoration: [any] }],
    "text-overflow": ["truncate", "text-ellipsis", "text-clip"],
    break: [{ break: ["normal", "words", "all", "keep"] }],
    "break-inside": [{ "break-inside": [any] }],
    "bg-image": [{ bg: [isImage, "none"] }],
    "bg-color": [{ bg: [any] }],
    rounded: [{ rounded: ["", any] }],
    ...Object.fromEntries(
      corners.map((corner) => [`rounded-${corner}`, [{ [`rounded-${corner}`]: ["", any] }]]),
    ),
    "border-style": [{ border: ["solid", "dashed", "dotted", "double", "hidden", "none"] }],
    "border-w": [{ border: ["", isNumber, isArbitraryWidth] }],
    ...Object.fromEntries(
      borders.flatMap((name) => [
        [`${name}-w`, [{ [name]: ["", isNumber, isArbitraryWidth] }]],
        [`${name}-color`, [{ [name]: [any] }]],
      ]),
    ),
    "border-collapse": [{ border: ["collapse", "separate"] }],
    "border-spacing": [{ "border-spacing": [any] }],
    "border-color": [{ border: [any] }],
    "divide-y": [{ "divide-y": ["", isNumber] }],
    "outline-style": [{ outline: ["solid", "dashed", "dotted", "double", "none", "hidden"] }],
    "outline-offset": [{ "outline-offset": [any] }],
    "outline-w": [{ outline: ["", isNumber, isArbitraryWidth] }],
    "outline-color": [{ outline: [any] }],
    "ring-w": [{ ring: ["", isNumber] }],
    "ring-w-inset": ["ring-inset"],
    "ring-color": [{ ring: [any] }],
    shadow: [{ shadow: ["", "none", "xs", "card", "pop", "modal"] }],
    ...values("opacity", "animate", "transition", "duration", "ease", "backdrop-blur", "rotate"),
    ...values("translate-x", "translate-y", "cursor", "pointer-events", "select", "touch", "fill"),
    transition: [{ transition: ["", any] }],
    resize: [{ resize: ["", any] }],
    "stroke-w": [{ stroke: [isNumber, isArbitraryWidth] }],
    stroke: [{ stroke: [any] }],
    ...values("accent", "appearance", "field-sizing", "scroll-mt"),
  },
  conflictingClassGroups: {
    overflow: ["overflow-x", "overflow-y"],
    inset: ["inset-x", "inset-y", "right", "left", "top", "bottom"],
    "inset-x": ["right", "left"],
    "inset-y": ["top", "bottom"],
    flex: ["basis", "grow", "shrink"],
    gap: ["gap-x", "gap-y"],
    ...conflictsOf("p"),
    ...conflictsOf("m"),
    size: ["w", "h"],
    "font-size": ["leading"],
    "line-clamp": ["display", "overflow"],
    rounded: corners.map((corner) => `rounded-${corner}`),
    "rounded-t": ["rounded-tl", "rounded-tr"],
    "rounded-r": ["rounded-tr", "rounded-br"],
    "rounded-b": ["rounded-br", "rounded-bl"],
    "rounded-l": ["rounded-tl", "rounded-bl"],
    "border-w": borders.map((name) => `${name}-w`),
    "border-x-w": ["border-r-w", "border-l-w"],
    "border-y-w": ["border-t-w", "border-b-w"],
    "border-color": borders.map((name) => `${name}-color`),
    "border-x-color": ["border-r-color", "border-l-color"],
    "border-y-color": ["border-t-color", "border-b-color"],
  },
  conflictingClassGroupModifiers: { "font-size": ["leading"] },
  postfixLookupClassGroups: [],
  orderSensitiveModifiers: [
    "*",
    "**",
    "after",
    "backdrop",
    "before",
    "details-content",
    "file",
    "first-letter",
    "first-line",
    "marker",
    "placeholder",
    "selection",
  ],
};
