/** Text that is HTML already. */
export class Markup {
  readonly html: string;

  constructor(html: string) {
    this.html = html;
  }
}

type Part = Markup | string | number | null | false | undefined | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");

function partOf(part: Part): string {
  if (part instanceof Markup) return part.html;
  if (part === null || part === undefined || part === false) return "";
  return Array.isArray(part) ? part.map(partOf).join("") : escaped(String(part));
}

/** A template whose values are escaped, lists joined, null and false left out. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(texts.map((text, i) => text + (i < parts.length ? partOf(parts[i]) : "")).join(""));
