import { z } from "zod";
import { resultsFilters } from "./filters-schema.ts";
import { count, counted } from "./schema.ts";

export const crosstabQuery = resultsFilters.extend({
  question_a: z
    .string()
    .min(1)
    .max(400)
    .meta({ description: "Id of the question whose answers are the rows." }),
  question_b: z
    .string()
    .min(1)
    .max(400)
    .meta({ description: "Id of the question whose answers are the columns." }),
  ratings: z
    .enum(["buckets", "values"])
    .default("buckets")
    .meta({ description: "Ratings by bucket (detractors …) or by value." }),
});

const category = z.object({ key: z.string(), label: z.string(), ...counted.shape });

/** A cross-tabulation. */
export const crosstab = z
  .object({
    as_of: z.string(),
    total: count.meta({ description: "Responses that answer both questions." }),
    row_question: z.object({ question_id: z.string(), question: z.string(), multiple: z.boolean() }),
    column_question: z.object({ question_id: z.string(), question: z.string(), multiple: z.boolean() }),
    row_categories: z.array(category),
    column_categories: z.array(category),
    cells: z
      .array(
        z.array(
          z.object({
            ...counted.shape,
            expected: z.number().nullable().meta({ description: "If the two questions were independent." }),
            row_share: z.number().nullable(),
            column_share: z.number().nullable(),
            small: z.boolean().meta({ description: "Fewer than 5 responses: interpret with care." }),
            p_value: z
              .number()
              .nullable()
              .meta({ description: "Of this cell against the rest, Holm's correction over all cells." }),
            direction: z.enum(["more", "fewer", "none"]).meta({
              description: "Compared with the expected count; none unless p_value is below 0.05.",
            }),
          }),
        ),
      )
      .meta({ description: "One row per row category, one cell per column category." }),
    test: z
      .object({
        name: z.enum(["chi_square", "fisher"]),
        statistic: z.number().nullable(),
        degrees_of_freedom: count.nullable(),
        p_value: z.number(),
        cramers_v: z.number().nullable().meta({ description: "Strength from 0 to 1." }),
      })
      .nullable()
      .meta({ description: "Of the whole table; null if it cannot be computed, see notes." }),
    notes: z.array(z.string()).meta({ description: "What to keep in mind when reading it." }),
  })
  .meta({ id: "SurveyCrosstab" });

export const statementsQuery = resultsFilters.extend({
  question_id: z.string().min(1).max(400).meta({ description: "Id of the question." }),
});

/** A summary of the answers to a question, in statements that open their rows. */
export const statements = z
  .object({
    as_of: z.string(),
    answers: count.meta({ description: "Answers that were read." }),
    total: count.meta({ description: "Answers that there are." }),
    most: count.meta({ description: "If there are more answers, only the latest are read." }),
    notes: z
      .array(z.string())
      .meta({ description: "Caveats: how many answers were read, which model sentences were discarded." }),
    statements: z.array(
      z.object({
        kind: z.enum(["overall", "share", "theme", "difference"]),
        text: z.string(),
        quotes: z
          .array(z.object({ response_id: z.string(), text: z.string() }))
          .meta({ description: "Typical answers among those that support it." }),
        worded: z.boolean().meta({ description: "Whether a model worded it." }),
        ...counted.shape,
      }),
    ),
  })
  .meta({ id: "SurveyStatements" });

export type Statements = z.output<typeof statements>;
export type Crosstab = z.output<typeof crosstab>;
