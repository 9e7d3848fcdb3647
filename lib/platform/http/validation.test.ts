import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ApiError } from "./errors.ts";
import { errorOf, parse } from "./validation.ts";

function refusal(schema: z.ZodType, value: unknown): object {
  try {
    parse(schema, value);
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, ...error.body };
    throw error;
  }
  throw new Error("It was accepted.");
}

const field = (schema: z.ZodType) => z.object({ a: schema });

describe("what is wrong with a body", () => {
  it.each([
    [field(z.string()), {}, "a", "required", "This field is required."],
    [field(z.string()), { a: null }, "a", "null", "This field may not be null."],
    [field(z.string()), { a: 5 }, "a", "invalid_input", "Expected string."],
    [field(z.record(z.string(), z.number())), { a: 5 }, "a", "not_a_dict", "Expected an object."],
    [field(z.enum(["x", "y"])), {}, "a", "required", "This field is required."],
    [field(z.enum(["x", "y"])), { a: null }, "a", "null", "This field may not be null."],
    [field(z.enum(["x", "y"])), { a: "z" }, "a", "invalid_choice", '"z" is not a valid choice.'],
    [field(z.literal(5)), { a: 6 }, "a", "invalid_choice", "This value is not a valid choice."],
    [
      field(z.enum(["x"])),
      { a: "z".repeat(101) },
      "a",
      "invalid_choice",
      `"${"z".repeat(100)}" is not a valid choice.`,
    ],
    [
      field(z.union([z.string(), z.number()])),
      { a: true },
      "a",
      "invalid_input",
      "This value is not a valid choice.",
    ],
    [field(z.union([z.string(), z.number()])), {}, "a", "required", "This field is required."],
    [field(z.union([z.string(), z.number()])), { a: null }, "a", "null", "This field may not be null."],
    [
      field(z.string().max(3)),
      { a: "abcd" },
      "a",
      "max_length",
      "Ensure this field has no more than 3 characters.",
    ],
    [field(z.string().min(1)), { a: "" }, "a", "blank", "This field may not be blank."],
    [field(z.number().max(3)), { a: 4 }, "a", "max_value", "Ensure this value is less than or equal to 3."],
    [
      field(z.number().min(3)),
      { a: 2 },
      "a",
      "min_value",
      "Ensure this value is greater than or equal to 3.",
    ],
    [
      field(z.int32()),
      { a: 2 ** 40 },
      "a",
      "max_value",
      "Ensure this value is less than or equal to 2147483647.",
    ],
    [
      field(z.int32()),
      { a: -(2 ** 40) },
      "a",
      "min_value",
      "Ensure this value is greater than or equal to -2147483648.",
    ],
    [
      field(z.int()),
      { a: 2 ** 60 },
      "a",
      "max_value",
      `Ensure this value is less than or equal to ${Number.MAX_SAFE_INTEGER}.`,
    ],
    [
      field(z.int()),
      { a: -(2 ** 60) },
      "a",
      "min_value",
      `Ensure this value is greater than or equal to ${Number.MIN_SAFE_INTEGER}.`,
    ],
    [
      field(z.string().regex(/x/)),
      { a: "y" },
      "a",
      "invalid_input",
      "Invalid string: must match pattern /x/",
    ],
    [
      field(z.array(z.string().max(1))),
      { a: ["b", "cd"] },
      "a__1",
      "max_length",
      "Ensure this field has no more than 1 characters.",
    ],
    [z.string(), 5, null, "invalid_input", "Expected string."],
    [z.object({ b: z.string(), a: z.string() }), {}, "b", "required", "This field is required."],
  ] as const)("%# is named", (schema, value, attr, code, detail) => {
    expect(refusal(schema, value)).toEqual({ status: 400, type: "validation_error", attr, code, detail });
  });

  it("keeps the words of a schema's own check, and its code where it has one", () => {
    const own = (params?: Record<string, unknown>) =>
      field(z.string().refine(() => false, { message: "Not this one.", ...(params && { params }) }));
    expect(refusal(own(), { a: "x" })).toMatchObject({ code: "invalid_input", detail: "Not this one." });
    expect(refusal(own({ code: "taken" }), { a: "x" })).toMatchObject({
      code: "taken",
      detail: "Not this one.",
    });
    expect(refusal(own({ code: 5 }), { a: "x" })).toMatchObject({ code: "invalid_input" });
  });

  it("keeps the parser's words for what has none here", () => {
    const { detail, code } = refusal(field(z.array(z.string()).max(1)), { a: ["b", "c"] }) as Record<
      string,
      string
    >;
    expect(code).toBe("invalid_input");
    expect(detail).toMatch(/Too big/);
    expect(refusal(field(z.array(z.string()).min(1)), { a: [] })).toMatchObject({ code: "invalid_input" });
    expect(refusal(field(z.url()), { a: "x" })).toMatchObject({
      code: "invalid_input",
      detail: "Invalid URL",
    });
  });

  it("is said even where nothing particular is", () => {
    expect(errorOf(new z.ZodError([])).body).toMatchObject({ code: "invalid_input", attr: null });
  });

  it("is nothing where the body is right", () => {
    expect(parse(field(z.string().trim()), { a: " b " })).toEqual({ a: "b" });
  });
});
