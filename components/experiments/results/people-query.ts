import type { PeopleQuery } from "./links.ts";

const KINDS = ["exposed", "multiple", "converted", "step", "sum", "denominator"] as const;

type Given = Record<string, string | string[] | undefined>;

const textOf = (value: Given[string]) => (typeof value === "string" && value !== "" ? value : undefined);

const wholeOf = (value: Given[string]) => {
  const text = textOf(value);
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
};

/** The people that a URL requests, everybody exposed if it says nothing; null if the query is unknown. */
export function readPeopleQuery(given: Given): PeopleQuery | null {
  const kind = KINDS.find((name) => name === (given.kind ?? "exposed"));
  if (!kind) return null;
  const metric_uuid = textOf(given.metric_uuid);
  if (kind !== "exposed" && kind !== "multiple" && !metric_uuid) return null;
  const [variant, step, offset] = [textOf(given.variant), wholeOf(given.step), wholeOf(given.offset)];
  return {
    kind,
    ...(variant !== undefined && { variant }),
    ...(metric_uuid !== undefined && { metric_uuid }),
    ...(step !== undefined && { step }),
    ...(offset !== undefined && { offset }),
  };
}

/** The rows in words. */
export function describePeople({ kind, variant, step }: PeopleQuery, metric: string | null): string {
  const where = variant === undefined ? "" : ` in ${variant}`;
  const what = metric ?? "the metric";
  switch (kind) {
    case "exposed":
      return `Exposed${where}`;
    case "multiple":
      return "Exposed to several variants";
    case "converted":
      return `${what}: counted${where}`;
    case "step":
      return `${what}: step ${step ?? 1}${where}`;
    case "sum":
      return `${what}: values${where}`;
    case "denominator":
      return `${what}: denominator${where}`;
  }
}
