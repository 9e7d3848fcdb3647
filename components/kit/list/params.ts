import { whole as wholeOf } from "./search-params.ts";

/**
 * A part of what a list shows, as it is in the URL: how it is read from there, and written back. What the URL says
 * may be anything; a value that is not known reads as the empty one, which is left out of the URL.
 */
export type Param<T> = {
  empty: T;
  /** Its name in the URL, where that is another one. */
  name?: string;
  read(values: readonly string[]): T;
  write(value: T): readonly string[];
};

/** A text, such as what is searched for. */
export const text = (pattern?: RegExp): Param<string> => ({
  empty: "",
  read: ([value = ""]) => (!pattern || pattern.test(value) ? value : ""),
  write: (value) => (value ? [value] : []),
});

/** Several texts, each with its own parameter of this name. */
export const texts = (name: string, pattern?: RegExp): Param<string[]> => ({
  empty: [],
  name,
  read: (values) => values.filter((value) => value !== "" && (!pattern || pattern.test(value))),
  write: (values) => values,
});

export type ChoiceOption<V extends string> = { value: V; label: string };

export type ChoiceParam<V extends string> = Param<V | ""> & { options: readonly ChoiceOption<V | "">[] };

/** One of several values, or any. */
export function choice<V extends string>(any: string, labels: Readonly<Record<V, string>>): ChoiceParam<V> {
  const known = Object.entries<string>(labels).map(([value, label]) => ({ value: value as V, label }));
  return {
    empty: "",
    options: [{ value: "", label: any }, ...known],
    read: ([value]) => known.find((each) => each.value === value)?.value ?? "",
    write: (value) => (value ? [value] : []),
  };
}

/** A day, YYYY-MM-DD. */
export const day = (): Param<string> => ({
  empty: "",
  read: ([value = ""]) => (/^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : ""),
  write: (value) => (value ? [value] : []),
});

/** A whole number, at least this one. */
export const whole = (least: number): Param<number> => ({
  empty: least,
  read: ([value]) => wholeOf(value, least),
  write: (value) => (value > least ? [String(value)] : []),
});

/** A list of objects as JSON, of which a malformed one leaves none. */
export const json = <T>(name: string, isItem: (value: unknown) => value is T): Param<T[]> => ({
  empty: [],
  name,
  read([value = "[]"]) {
    try {
      const parsed: unknown = JSON.parse(value);
      return Array.isArray(parsed) && parsed.every(isItem) ? parsed : [];
    } catch {
      return [];
    }
  },
  write: (values) => (values.length > 0 ? [JSON.stringify(values)] : []),
});

type Direction = "asc" | "desc";
export type Order<Field extends string> = Field | `-${Field}`;

export type OrderParam<Field extends string> = Param<Order<Field>> & {
  /** The direction in which each field is sorted first, when its column is selected. */
  by: Readonly<Record<Field, Direction>>;
  /** The orders that can be selected by name. */
  options: readonly ChoiceOption<Order<Field>>[];
  /** What another order is called there. */
  other: string;
};

/** By what a list is sorted; the first of the named orders is the usual one. */
export function order<Field extends string>(
  by: Readonly<Record<Field, Direction>>,
  options: readonly [ChoiceOption<Order<NoInfer<Field>>>, ...ChoiceOption<Order<NoInfer<Field>>>[]],
  other = "Custom order",
): OrderParam<Field> {
  const usual = options[0].value;
  const isKnown = (value: string): value is Order<Field> => Object.hasOwn(by, value.replace(/^-/, ""));
  return {
    empty: usual,
    by,
    options,
    other,
    read: ([value = ""]) => (isKnown(value) ? value : usual),
    write: (value) => (value === usual ? [] : [value]),
  };
}

/** How a list is sorted by a field now, and the order that its header leads to. */
export function sortBy<Field extends string>(param: OrderParam<Field>, current: string, field: Field) {
  const [ascending, descending]: [Order<Field>, Order<Field>] = [field, `-${field}`];
  const direction = current === ascending ? "asc" : current === descending ? "desc" : null;
  const toAscending = direction === null ? param.by[field] === "asc" : direction === "desc";
  return { direction, next: toAscending ? ascending : descending } as const;
}
