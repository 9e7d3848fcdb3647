export type SearchParams = Record<string, string | string[] | undefined>;

/** The first value of a parameter; empty where it is absent. */
export const one = (value: string | string[] | undefined): string =>
  (Array.isArray(value) ? value[0] : value) ?? "";

/** A whole number of at least `least`; `least` for anything else. */
export function whole(value: string | string[] | undefined, least: number): number {
  const number = Number(one(value));
  return Number.isSafeInteger(number) && number > least ? number : least;
}

type Value = string | number | undefined;

/** A URL with the non-empty parameters. */
export function withQuery(path: string, params: Record<string, Value | readonly Value[]>): string {
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(params))
    for (const value of [values].flat())
      if (value !== undefined && value !== "") query.append(name, String(value));
  return query.size > 0 ? `${path}?${query}` : path;
}
