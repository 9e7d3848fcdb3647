/** What is written around the drawing in a file: the chart has to explain itself without its page. */
export type PictureText = {
  title: string;
  caption: string;
  legend: readonly { name: string; color: string }[];
};

const KEPT = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "opacity",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
] as const;

const FONT = "Inter, system-ui, -apple-system, 'Segoe UI', sans-serif";
const PAD = 20;
const LINE = 17;

/** Any CSS colour as #rrggbb or rgba(): other programs than browsers know neither oklch nor our tokens. */
function plainColor(color: string, pen: CanvasRenderingContext2D): string {
  pen.clearRect(0, 0, 1, 1);
  pen.fillStyle = "#000";
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 255] = pen.getImageData(0, 0, 1, 1).data;
  const hex = [red, green, blue].map((each) => each.toString(16).padStart(2, "0")).join("");
  return alpha === 255 ? `#${hex}` : `rgba(${red},${green},${blue},${(alpha / 255).toFixed(3)})`;
}

function newPen(): CanvasRenderingContext2D {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error("This browser cannot create images.");
  return pen;
}

/** What the page alone needs: areas for the pointer, rings of the focus. */
const ONLY_PAGE = "[data-only-page]";

/** Whether an element is part of the drawing itself: points too small to be drawn are not. */
function isDrawn(source: Element, style: CSSStyleDeclaration): boolean {
  if (source.matches(ONLY_PAGE)) return false;
  if (source.matches("[data-point]") && !source.querySelector("path, rect, text")) return false;
  const isSeen = style.display !== "none" && style.visibility !== "hidden";
  return isSeen || source.closest("defs") !== null;
}

function keepStyles(style: CSSStyleDeclaration, copy: SVGElement, pen: CanvasRenderingContext2D): void {
  for (const property of KEPT) {
    const value = style.getPropertyValue(property);
    if (!value || (property === "stroke-dasharray" && value === "none")) continue;
    const color = (property === "fill" || property === "stroke") && value !== "none";
    copy.setAttribute(property, color && !value.startsWith("url") ? plainColor(value, pen) : value);
  }
}

/**
 * A copy with the styles that the page's stylesheets give each element, and without what only the page needs;
 * null of what is not drawn. Links become groups: a file leads nowhere.
 */
function copyOf(source: Element, pen: CanvasRenderingContext2D): SVGElement | null {
  const style = getComputedStyle(source);
  if (!isDrawn(source, style)) return null;
  const copy = svgElement(source.localName === "a" ? "g" : source.localName, {});
  for (const { name, value } of source.attributes) if (DRAWS.test(name)) copy.setAttribute(name, value);
  keepStyles(style, copy, pen);
  for (const child of source.childNodes) {
    const twin = child instanceof Element ? copyOf(child, pen) : null;
    if (twin) copy.append(twin);
    else if (child.nodeType === Node.TEXT_NODE) copy.append(child.textContent ?? "");
  }
  return copy;
}

/** Attributes that say what is drawn and where; what they name is for the page's reader. */
const DRAWS =
  /^(?:[dxy]|[xy][12]|d[xy]|c[xy]|r|r[xy]|width|height|viewBox|points|transform|clip-path|id|offset)$/;

function svgElement(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Lines of at most `width` px in the pen's font. */
function wrapped(text: string, width: number, pen: CanvasRenderingContext2D): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && pen.measureText(`${last} ${word}`).width <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

type Place = { x: number; y: number };
type Part = { elements: SVGElement[]; height: number };
type Tone = (name: string) => string;

function textPart(lines: readonly string[], height: number, style: Record<string, string | number>): Part {
  const elements = lines.map((line, i) =>
    svgElement("text", { x: PAD, y: (i + 1) * height - 4, ...style }, line),
  );
  return { elements, height: lines.length * height };
}

/** Names beside their colours, in as many lines as they need. */
function legendPart({ legend }: PictureText, width: number, pen: CanvasRenderingContext2D, tone: Tone): Part {
  const at: Place = { x: PAD, y: 0 };
  const elements = legend.flatMap(({ name, color }) => {
    const size = 15 + pen.measureText(name).width;
    if (at.x > PAD && at.x + size > PAD + width) Object.assign(at, { x: PAD, y: at.y + LINE });
    const { x, y } = at;
    at.x += size + 18;
    return [
      svgElement("rect", { x, y: y + 4, width: 10, height: 10, rx: 2, fill: tone(color) }),
      svgElement("text", { x: x + 15, y: y + 13, "font-size": 12, fill: tone("--muted") }, name),
    ];
  });
  return { elements, height: legend.length > 0 ? at.y + LINE + 7 : 0 };
}

function drawingPart(chart: SVGSVGElement, pen: CanvasRenderingContext2D): Part & { width: number } {
  const { width, height } = chart.getBoundingClientRect();
  const drawing = copyOf(chart, pen);
  if (!drawing) throw new Error("There is nothing to draw.");
  for (const [key, value] of Object.entries({ x: PAD, y: 0, width, height }))
    drawing.setAttribute(key, String(value));
  return { elements: [drawing], width, height: height + 10 };
}

/** The drawing with its title, legend and caption, as an SVG that needs no stylesheet. */
export function pictureOf(chart: SVGSVGElement, text: PictureText): SVGSVGElement {
  const pen = newPen();
  const page = getComputedStyle(document.documentElement);
  const tone: Tone = (name) => plainColor(resolved(name, page), pen);
  const drawing = drawingPart(chart, pen);
  const linesOf = (words: string, font: string) => {
    pen.font = `${font} ${FONT}`;
    return wrapped(words, drawing.width, pen);
  };
  const title = textPart(linesOf(text.title, "600 15px"), 20, {
    "font-size": 15,
    "font-weight": 600,
    fill: tone("--ink"),
  });
  const caption = textPart(linesOf(text.caption, "12px"), LINE, { "font-size": 12, fill: tone("--muted") });
  const parts = [title, legendPart(text, drawing.width, pen, tone), drawing, caption];
  const root = rootOf(drawing.width, parts);
  root.prepend(svgElement("title", {}, text.title), svgElement("desc", {}, text.caption));
  root.querySelector("rect")?.setAttribute("fill", tone("--surface"));
  return root;
}

/** Parts below one another on a ground. */
function rootOf(inner: number, parts: readonly Part[]): SVGSVGElement {
  const width = inner + 2 * PAD;
  const height = parts.reduce((sum, part) => sum + part.height, 2 * PAD + 8);
  const root = svgElement("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    "font-family": FONT,
  }) as SVGSVGElement;
  root.append(svgElement("rect", { width, height }));
  let top = PAD;
  for (const [i, { elements, height: size }] of parts.entries()) {
    const group = svgElement("g", { transform: `translate(0 ${top})` });
    group.append(...elements);
    root.append(group);
    top += size + (i === 0 ? 8 : 0);
  }
  return root;
}

/** A token or a `var(--token)` as its colour in the current theme. */
function resolved(name: string, page: CSSStyleDeclaration): string {
  const probe = document.createElement("span");
  probe.style.color = name.startsWith("--") ? `var(${name})` : name;
  document.body.append(probe);
  const color = getComputedStyle(probe).color || page.color;
  probe.remove();
  return color;
}

export const serializeSvg = (picture: SVGSVGElement): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}`;

/** The picture in twice its size, for slides and sharp screens. */
export async function pngOf(picture: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  const width = Number(picture.getAttribute("width"));
  const height = Number(picture.getAttribute("height"));
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(serializeSvg(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * 2);
  canvas.height = Math.ceil(height * 2);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("This browser could not create the image.");
  return blob;
}
