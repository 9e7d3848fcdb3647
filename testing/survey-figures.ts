type Opening = { at: string; count: number; rows: Record<string, string> };

const isNested = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Every figure in a response that says which rows it counts, with its path. */
export function* figuresIn(value: unknown, at = ""): Generator<Opening> {
  if (!isNested(value)) return;
  if (typeof value.count === "number" && isNested(value.rows))
    yield { at, count: value.count, rows: value.rows as Opening["rows"] };
  if (typeof value.people === "number" && isNested(value.people_rows))
    yield { at: `${at}.people`, count: value.people, rows: value.people_rows as Opening["rows"] };
  for (const [name, inner] of Object.entries(value)) yield* figuresIn(inner, `${at}.${name}`);
}
