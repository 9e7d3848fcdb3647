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
  if (!pen) throw new Error("This browser cannot draw pictures.");
  return pen;
}

/** Writes the styles that the page's stylesheets give each element onto its copy. */
function fixStyles(source: Element, copy: Element, pen: CanvasRenderingContext2D): void {
  const style = getComputedStyle(source);
  for (const name of KEPT) {
    const value = style.getPropertyValue(name);
    if (!value || (name === "stroke-dasharray" && value === "none")) continue;
    const color = (name === "fill" || name === "stroke") && value !== "none" && !value.startsWith("url");
    copy.setAttribute(name, color ? plainColor(value, pen) : value);
  }
  copy.removeAttribute("class");
  copy.removeAttribute("style");
  copy.removeAttribute("tabindex");
  if (style.display === "none" || style.visibility === "hidden") copy.setAttribute("display", "none");
  [...source.children].forEach((child, place) => {
    const twin = copy.children[place];
    if (twin) fixStyles(child, twin, pen);
  });
}

function svgElement(name: string, attributes: Record<string, string | number>, text?: string): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Lines of at most `width` px at 12 px. */
function wrapped(text: string, width: number, pen: CanvasRenderingContext2D): string[] {
  pen.font = `12px ${FONT}`;
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && pen.measureText(`${last} ${word}`).width <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The drawing with its title, legend and caption, as an SVG that needs no stylesheet. */
export function pictureOf(chart: SVGSVGElement, text: PictureText): SVGSVGElement {
  const pen = newPen();
  const { width, height } = chart.getBoundingClientRect();
  const page = getComputedStyle(document.documentElement);
  const tone = (name: string) => plainColor(resolved(name, page), pen);
  const caption = wrapped(text.caption, width, pen);
  const legendHeight = text.legend.length > 0 ? 24 : 0;
  const total = {
    width: width + 2 * PAD,
    height: PAD + 26 + legendHeight + height + 10 + caption.length * LINE + PAD,
  };
  const root = svgElement("svg", {
    xmlns: "http://www.w3.org/2000/svg",
    ...total,
    viewBox: `0 0 ${total.width} ${total.height}`,
    "font-family": FONT,
  }) as SVGSVGElement;
  root.append(svgElement("title", {}, text.title), svgElement("desc", {}, text.caption));
  root.append(svgElement("rect", { ...total, fill: tone("--surface") }));
  const ink = { "font-size": 12, fill: tone("--muted") };
  root.append(
    svgElement(
      "text",
      { x: PAD, y: PAD + 14, "font-size": 15, "font-weight": 600, fill: tone("--ink") },
      text.title,
    ),
  );
  let x = PAD;
  pen.font = `12px ${FONT}`;
  for (const { name, color } of text.legend) {
    root.append(svgElement("rect", { x, y: PAD + 28, width: 10, height: 10, rx: 2, fill: tone(color) }));
    root.append(svgElement("text", { x: x + 15, y: PAD + 37, ...ink }, name));
    x += 15 + pen.measureText(name).width + 18;
  }
  const drawing = chart.cloneNode(true) as SVGSVGElement;
  fixStyles(chart, drawing, pen);
  for (const [key, value] of Object.entries({ x: PAD, y: PAD + 26 + legendHeight, width, height }))
    drawing.setAttribute(key, String(value));
  root.append(drawing);
  caption.forEach((line, place) => {
    const y = PAD + 26 + legendHeight + height + 10 + (place + 1) * LINE - 4;
    root.append(svgElement("text", { x: PAD, y, ...ink }, line));
  });
  return root;
}

/** A token or a `var(--token)` as the colour it stands for in the theme that is on. */
function resolved(name: string, page: CSSStyleDeclaration): string {
  const probe = document.createElement("span");
  probe.style.color = name.startsWith("--") ? `var(${name})` : name;
  document.body.append(probe);
  const color = getComputedStyle(probe).color || page.color;
  probe.remove();
  return color;
}

export const svgText = (picture: SVGSVGElement): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}`;

/** The picture in twice its size, for slides and sharp screens. */
export async function pngOf(picture: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  const width = Number(picture.getAttribute("width"));
  const height = Number(picture.getAttribute("height"));
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(picture))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(width * 2);
  canvas.height = Math.ceil(height * 2);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("This browser could not draw the picture.");
  return blob;
}
