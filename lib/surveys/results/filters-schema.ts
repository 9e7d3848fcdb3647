import { z } from "zod";

/** A condition on an answer. `value` is a text, a number, or a list of these, one of which must match. */
const ANSWER_OPERATORS = [
  "exact",
  "is_not",
  "icontains",
  "not_icontains",
  "gte",
  "lte",
  "is_set",
  "is_not_set",
  "bucket",
  "former",
  "other",
  "off_scale",
  "reached",
  "skipped",
  "left",
] as const;

const CONDITIONS_MAX = 20;
const VALUES_MAX = 100;

const scalar = z.union([z.string().max(10_000), z.number()]).transform(String);

const answerCondition = z
  .object({
    question_id: z.string().min(1).max(400),
    operator: z.enum(ANSWER_OPERATORS).default("exact"),
    value: z
      .union([scalar.transform((one) => [one]), z.array(scalar).max(VALUES_MAX)])
      .nullish()
      .transform((values) => values ?? []),
  })
  .superRefine(({ operator, value }, context) => {
    const asks = !["is_set", "is_not_set", "other", "off_scale", "reached", "skipped", "left"].includes(
      operator,
    );
    if (asks && value.length === 0)
      context.addIssue({ code: "custom", message: `The operator ${operator} needs a value.` });
    const isNumeric = operator === "gte" || operator === "lte";
    if (isNumeric && !/^-?\d{1,9}$/.test(value[0] ?? ""))
      context.addIssue({ code: "custom", message: `The operator ${operator} needs a whole number.` });
  });

export type AnswerCondition = z.output<typeof answerCondition>;

/** The operators of a condition on a hidden field. */
const FIELD_OPERATORS = ["exact", "is_not", "icontains", "not_icontains", "is_set", "is_not_set"] as const;

/** A condition on a hidden field of a response; with several values, one of which must match, or none. */
const fieldCondition = z
  .object({
    name: z.string().min(1).max(200),
    operator: z.enum(FIELD_OPERATORS).default("exact"),
    value: z
      .union([scalar.transform((one) => [one]), z.array(scalar).max(VALUES_MAX)])
      .nullish()
      .transform((values) => values ?? []),
  })
  .superRefine(({ operator, value }, context) => {
    if (operator !== "is_set" && operator !== "is_not_set" && value.length === 0)
      context.addIssue({ code: "custom", message: `The operator ${operator} needs a value.` });
  });

export type FieldCondition = z.output<typeof fieldCondition>;

/** A query parameter with a JSON list; absent or blank: an empty list. */
const listOf = <Item extends z.ZodType>(item: Item, name: string, description: string) =>
  z
    .string()
    .max(100_000)
    .optional()
    .transform((text, context): z.output<Item>[] => {
      if (!text?.trim()) return [];
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        context.addIssue({ code: "custom", message: `${name} must be JSON.` });
        return z.NEVER;
      }
      const parsed = z.array(item).max(CONDITIONS_MAX).safeParse(value);
      if (parsed.success) return parsed.data;
      const issue = parsed.error.issues[0];
      const at = issue?.path.join(".") ?? "";
      context.addIssue({
        code: "custom",
        message: `${name}${at && ` ${at}`}: ${issue?.message ?? "invalid"}`,
      });
      return z.NEVER;
    })
    .meta({ description });

export const answerConditions = (name: string, description: string) =>
  listOf(answerCondition, name, description);

export const fieldConditions = (name: string, description: string) =>
  listOf(fieldCondition, name, description);

/** Whether a text is a valid day. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text) && text >= "1970-01-01";
}

/** A day of a query, YYYY-MM-DD; absent or blank: null. */
export const day = (description: string) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (!text?.trim()) return null;
      if (isDay(text.trim())) return text.trim();
      context.addIssue({ code: "custom", message: "Must be a day like 2026-03-31." });
      return z.NEVER;
    })
    .meta({ description });

/** A whole number of a query; absent or blank: null. */
export const wholeNumber = (description: string) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (!text?.trim()) return null;
      if (/^\d{1,6}$/.test(text.trim())) return Number(text);
      context.addIssue({ code: "custom", message: "Must be a whole number." });
      return z.NEVER;
    })
    .meta({ description });

/** A duration of a query in seconds, to a tenth; absent or blank: null. */
export const seconds = (description: string) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (!text?.trim()) return null;
      if (/^\d{1,12}(?:\.\d)?$/.test(text.trim())) return Number(text);
      context.addIssue({ code: "custom", message: "Must be a number of seconds like 90 or 16.7." });
      return z.NEVER;
    })
    .meta({ description });

/** The filters of all figures of a results page. */
export const resultsFilters = z.object({
  date_from: day("First day, included: YYYY-MM-DD in UTC."),
  date_to: day("Last day, included."),
  iteration: wholeNumber("Only this iteration; 0: outside any iteration."),
  properties: z.string().max(100_000).optional().meta({
    description: "Conditions on people: a JSON list of property filters, as in flag release conditions.",
  }),
  answers: answerConditions(
    "answers",
    "Conditions on answers, all of which must hold: a JSON list of {question_id, operator, value}. Views and dismissals are then those of the people who gave them.",
  ),
  fields: fieldConditions(
    "fields",
    "Conditions on hidden fields, such as utm_source in the URL of a hosted page: a JSON list of {name, operator, value}, all of which must hold. Views and dismissals are then those of the people whose responses match.",
  ),
});

export type ResultsFilters = z.output<typeof resultsFilters>;
