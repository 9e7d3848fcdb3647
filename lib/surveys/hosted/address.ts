/** What the URL of a survey says about the person who opens it. */
export type Visit = {
  /** Null: the URL does not say who it is. */
  distinct_id: string | null;
  language: string | null;
  embed: boolean;
  /** What shows that it was opened to try it out. */
  preview: string | null;
  /** Suggested answers by place of the question: ratings, or places of choices. */
  prefill: Map<number, number[]>;
  /** Everything else; recorded with the events. */
  properties: Record<string, string | number | boolean>;
};

export const DISTINCT_ID_MAX = 400;
const PROPERTIES_MAX = 50;
const NAME_MAX = 100;
const VALUE_MAX = 500;
const RESERVED = new Set([
  "distinct_id",
  "embed",
  "preview",
  "display_language",
  "auto_submit",
  "token",
  "api_key",
  "uuid",
]);

/** Parses a text as the value it looks like. */
function typed(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  // Not if a number would lose digits, as with a phone number that starts with 0.
  return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
}

const isTrue = (text: string | null) => text !== null && !["", "0", "false"].includes(text.toLowerCase());

export function parseVisit(query: URLSearchParams): Visit {
  const properties = new Map<string, string | number | boolean>();
  const prefill = new Map<number, number[]>();
  for (const [name, value] of query) {
    const [, place] = /^q(\d{1,4})$/.exec(name) ?? [];
    if (place !== undefined) {
      const numbers = /^\d{1,4}$/.test(value) ? [Number(value)] : [];
      prefill.set(Number(place), [...(prefill.get(Number(place)) ?? []), ...numbers]);
    }
    // Names that start with a dollar are reserved.
    else if (name !== "" && !name.startsWith("$") && name.length <= NAME_MAX && !RESERVED.has(name))
      if (properties.size < PROPERTIES_MAX || properties.has(name))
        properties.set(name, typed(value.slice(0, VALUE_MAX)));
  }
  const given = query.get("distinct_id")?.replaceAll("\0", "").trim() ?? "";
  return {
    distinct_id: given !== "" && given.length <= DISTINCT_ID_MAX ? given : null,
    language: query.get("display_language"),
    embed: isTrue(query.get("embed")),
    preview: query.get("preview"),
    prefill,
    properties: Object.fromEntries(properties),
  };
}
