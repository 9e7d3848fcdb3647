import type { QuestionOf } from "#lib/engines/branching/question.ts";
import { isObject } from "#lib/engines/json.ts";
import { type QuestionKind, SOME } from "./kind.ts";

/** The limits of a text's length. */
export function lengthsOf(validation: unknown): { least: number | null; most: number | null } {
  const rules = Array.isArray(validation) ? validation.filter(isObject) : [];
  const limitOf = (type: string) => {
    const found = rules.find((rule) => rule.type === type)?.value;
    return typeof found === "number" ? found : null;
  };
  return { least: limitOf("min_length"), most: limitOf("max_length") };
}

export const OPEN = {
  name: "Open text",
  summary: "Free text",
  schema: {},
  empty: {},
  problems({ validation }) {
    const { least, most } = lengthsOf(validation);
    if (least === null || most === null || least <= most) return [];
    return [{ field: "validation", message: "The maximum is below the minimum." }];
  },
  canBeInstant: () => false,
  encode: () => SOME,
  figures: () => "texts",
  isMultiple: false,
} satisfies QuestionKind<QuestionOf<"open">>;
