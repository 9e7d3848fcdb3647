import { z } from "zod";
import { endOfDay, parseMoment } from "./dates.ts";

const isDateOnly = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text.trim());

/** One end of a time window, included in it: absent or blank for none. */
const bound = (end: "first" | "last", description: string) =>
  z
    .string()
    .optional()
    .transform((text, context) => {
      if (!text?.trim()) return null;
      const date = parseMoment(text);
      if (date) return end === "last" && isDateOnly(text) ? endOfDay(date) : date;
      context.addIssue({ code: "custom", message: "Must be a date or time in ISO 8601. Encode a + as %2B." });
      return z.NEVER;
    })
    .meta({ description });

export const statsQuery = z
  .object({
    date_from: bound(
      "first",
      "Start of the period, included: an ISO 8601 date or timestamp, in UTC unless it has an offset.",
    ),
    date_to: bound(
      "last",
      "End of the period, included. A date without a time counts the whole day, as it does in `results/`.",
    ),
  })
  .refine(({ date_from, date_to }) => !date_from || !date_to || date_from <= date_to, {
    message: "date_from must not be after date_to.",
  });

export const summaryQuery = z.object({
  question_id: z
    .string()
    .optional()
    .meta({ description: "Id of the question; takes precedence over the index." }),
  question_index: z
    .string()
    .optional()
    .transform((text) => (text && /^\d{1,6}$/.test(text.trim()) ? Number(text) : null))
    .meta({ description: "Index of the question, from 0." }),
});

const eventFigures = z.object({
  total_count: z.number().int(),
  unique_persons: z.number().int(),
  first_seen: z.string().nullable(),
  last_seen: z.string().nullable(),
  total_count_only_seen: z
    .number()
    .int()
    .meta({ description: "Of the views: neither dismissed nor answered." }),
  unique_persons_only_seen: z.number().int(),
});

const rates = z
  .object({
    response_rate: z.number(),
    dismissal_rate: z.number(),
    unique_users_response_rate: z.number(),
    unique_users_dismissal_rate: z.number(),
  })
  .meta({ description: "Percent of views, two decimals; 0 without views. May exceed 100." });

const stats = z.object({
  "survey shown": eventFigures,
  "survey dismissed": eventFigures.meta({ description: "Dismissed before any answer." }),
  "survey sent": eventFigures.meta({ description: "Responses; one sent in steps counts once." }),
});

export const surveyStats = z
  .object({
    stats,
    rates,
    survey_id: z.string(),
    start_date: z.string().nullable(),
    end_date: z.string().nullable(),
  })
  .meta({ id: "SurveyStats" });

export const allSurveyStats = z
  .object({ stats: z.union([stats, z.object({}).strict()]), rates })
  .meta({ id: "AllSurveyStats" });

export const responsesCount = z
  .record(z.string(), z.number().int())
  .meta({ description: "Responses by survey id; surveys without responses are omitted." });

export const surveySummary = z
  .object({
    content: z.string().meta({ description: "The summary as Markdown." }),
    response_count: z.number().int().meta({ description: "Answers that were read." }),
    total_count: z
      .number()
      .int()
      .meta({ description: "Answers in total; if more than read, the latest were read." }),
    generated_at: z.string(),
    cached: z.boolean(),
    notes: z
      .array(z.string())
      .meta({ description: "Caveats: how many answers were read, which model sentences were discarded." }),
    statements: z.array(
      z.object({
        kind: z.enum(["overall", "share", "theme", "difference"]),
        text: z.string(),
        count: z.number().int().meta({ description: "How many responses support it." }),
        response_ids: z
          .array(z.string())
          .min(1)
          .meta({ description: "Those responses: the uuids of their events." }),
        quotes: z
          .array(z.object({ response_id: z.string(), text: z.string() }))
          .meta({ description: "Typical answers among them." }),
        worded: z.boolean().meta({ description: "Whether a model worded it." }),
        rows: z
          .record(z.string(), z.string())
          .meta({ description: "Parameters with which `responses/` returns them." }),
      }),
    ),
  })
  .meta({ id: "SurveySummary" });
