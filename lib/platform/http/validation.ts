import type { z } from "zod";
import { type ApiError, invalid } from "./errors.ts";

type Issue = z.core.$ZodIssue;

const CODES = { invalid_value: "invalid_choice", invalid_union: "invalid_input" } as const;

/** The error that a failed parse leaves as: the first issue, in the order in which the schema names fields. */
export function errorOf(error: Pick<z.ZodError, "issues">): ApiError {
  const issue = error.issues[0];
  if (!issue) return invalid("Invalid input.");
  const attr = issue.path.length > 0 ? issue.path.map(String).join("__") : null;
  const { code, detail } = explain(issue);
  return invalid(detail, attr, code);
}

function explain(issue: Issue): { code: string; detail: string } {
  if (issue.code === "custom") {
    const code = typeof issue.params?.code === "string" ? issue.params.code : "invalid_input";
    return { code, detail: issue.message };
  }
  if (issue.code === "invalid_type") {
    if (issue.input === undefined) return { code: "required", detail: "This field is required." };
    if (issue.input === null) return { code: "null", detail: "This field may not be null." };
    if (issue.expected === "record") return { code: "not_a_dict", detail: "Expected an object." };
    return { code: "invalid_input", detail: `Expected ${issue.expected}.` };
  }
  if (issue.code === "invalid_value" || issue.code === "invalid_union") {
    if (issue.input === undefined) return { code: "required", detail: "This field is required." };
    if (issue.input === null) return { code: "null", detail: "This field may not be null." };
    const shown = typeof issue.input === "string" ? `"${issue.input.slice(0, 100)}"` : "This value";
    return { code: CODES[issue.code], detail: `${shown} is not a valid choice.` };
  }
  return describeSize(issue) ?? { code: "invalid_input", detail: issue.message };
}

function describeSize(issue: Issue): { code: string; detail: string } | null {
  if (issue.code === "too_big") {
    if (issue.origin === "string")
      return {
        code: "max_length",
        detail: `Ensure this field has no more than ${issue.maximum} characters.`,
      };
    if (issue.origin === "number" || issue.origin === "int")
      return { code: "max_value", detail: `Ensure this value is less than or equal to ${issue.maximum}.` };
  }
  if (issue.code === "too_small") {
    if (issue.origin === "string") return { code: "blank", detail: "This field may not be blank." };
    if (issue.origin === "number" || issue.origin === "int")
      return { code: "min_value", detail: `Ensure this value is greater than or equal to ${issue.minimum}.` };
  }
  return null;
}

/** Parses, or throws the API's error for the first thing wrong. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw errorOf(result.error);
}
