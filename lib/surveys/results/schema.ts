import { z } from "zod";
import { pageQuery } from "#lib/platform/http/paging.ts";
import { answerConditions, day, resultsFilters, seconds, wholeNumber } from "./filters-schema.ts";

/** Query parameters that open the rows behind a figure, to be added to its filters. */
const rows = z.record(z.string(), z.string()).meta({
  description: "Add these parameters to the filters, and `responses/` counts exactly this figure.",
});

export const count = z.number().int();

/** A count with the parameters of its rows. */
export const counted = z.object({ count, rows }).meta({ id: "CountedRows" });

/**
 * A count as part of a total, with Wilson's 95% interval for the share. Shares are fractions, null for a
 * total of 0.
 */
const share = z
  .object({
    count,
    of: count.meta({ description: "The total it is a share of." }),
    share: z.number().nullable().meta({ description: "count / of, from 0 to 1; null where `of` is 0." }),
    lower: z.number().nullable(),
    upper: z.number().nullable(),
    rows,
  })
  .meta({ id: "ShareOfRows" });

/** An estimate with its 95% interval; null bounds with too few answers. */
const estimate = z
  .object({ value: z.number(), lower: z.number().nullable(), upper: z.number().nullable() })
  .meta({ id: "EstimateWithInterval" });

const funnelStep = z
  .object({
    step: z.enum(["shown", "dismissed", "left", "answered", "completed"]),
    count,
    people: count.meta({ description: "Distinct persons." }),
    rows: rows.meta({ description: "Opens the events or responses." }),
    people_rows: rows.meta({ description: "Opens one row per person." }),
  })
  .meta({ id: "SurveyFunnelStep" });

/** A share whose count may exceed its total: one view can lead to two responses. */
const rate = z
  .object({
    rate: z.enum([
      "response_rate",
      "dismissal_rate",
      "completion_rate",
      "people_response_rate",
      "people_dismissal_rate",
    ]),
    count,
    of: count,
    percent: z.number().meta({ description: "100 × count / of, with two decimals; 0 if `of` is 0." }),
    lower: z
      .number()
      .nullable()
      .meta({ description: "Wilson's interval in percent; null if the rate exceeds 100." }),
    upper: z.number().nullable(),
  })
  .meta({ id: "SurveyRate" });

const dayFigures = z
  .object({
    date: z.string().meta({ description: "Day in UTC, YYYY-MM-DD. Days without events are included." }),
    shown: counted,
    dismissed: counted,
    answered: counted,
    completed: counted,
  })
  .meta({ id: "SurveyDayFigures" });

const iterationFigures = z
  .object({
    iteration: count.meta({ description: "Number of the iteration; 0 for none." }),
    start_date: z.string().nullable(),
    shown: counted,
    dismissed: counted,
    answered: counted,
    completed: counted,
  })
  .meta({ id: "SurveyIterationFigures" });

const ratingFigures = z
  .object({
    scale: count,
    histogram: z.array(
      z.object({
        value: count,
        bucket: z.string().meta({ description: "negative … positive, or detractors … promoters." }),
        ...share.shape,
      }),
    ),
    buckets: z.array(z.object({ bucket: z.string(), ...share.shape })),
    total: count.meta({ description: "Answers on the scale: what the shares are of." }),
    rows: rows.meta({
      description: "Opens the responses with these answers: those of mean, median and score.",
    }),
    off_scale: counted.meta({ description: "Answers that are not a whole number on the scale; excluded." }),
    mean: estimate.nullable(),
    median: z.number().nullable(),
    standard_deviation: z
      .number()
      .nullable()
      .meta({ description: "With n - 1; null for fewer than two answers." }),
    nps: z
      .object({
        ...estimate.shape,
        text: z.string().meta({ description: "The score as displayed: one decimal." }),
        formula: z.string(),
      })
      .nullable()
      .meta({ description: "Net promoter score in points; only for the scale 0 to 10." }),
  })
  .meta({ id: "SurveyRatingFigures" });

const choiceFigures = z
  .object({
    multiple: z.boolean(),
    choices: z.array(
      z.object({
        choice: z.string().meta({ description: "Its current text." }),
        choice_id: z.string().meta({ description: "As in `choice_ids` of the question." }),
        ...share.shape,
      }),
    ),
    former: z
      .array(z.object({ choice: z.string().meta({ description: "Its last text." }), ...share.shape }))
      .meta({ description: "Choices that the question no longer has but that have answers." }),
    other: z
      .object({
        ...share.shape,
        label: z.string().nullable().meta({ description: "The open choice as it appears in the list." }),
        texts: z.array(z.object({ text: z.string(), count })).meta({
          description: "The most frequent free texts in the latest 5,000 responses, at most 50.",
        }),
      })
      .nullable()
      .meta({
        description: "Texts that match no choice; null if the question has no open choice and no such texts.",
      }),
    shares_sum: z.number().meta({ description: "Sum of all shares; 1 if they add up." }),
    shares_note: z.string().meta({ description: "Whether the shares add up, and if not, why." }),
  })
  .meta({ id: "SurveyChoiceFigures" });

const questionFigures = z
  .object({
    question_id: z.string(),
    question_index: count,
    question: z.string(),
    type: z.string(),
    reached: counted.meta({ description: "Responses whose path includes this question." }),
    answered: share.meta({ description: "Of those that reached it." }),
    skipped: counted.meta({ description: "Reached it and continued without an answer." }),
    left: counted.meta({ description: "Unfinished responses that stopped at this question." }),
    rating: ratingFigures.nullable(),
    choice: choiceFigures.nullable(),
    definition: z.string(),
  })
  .meta({ id: "SurveyQuestionFigures" });

const edge = z
  .object({
    from: z.union([count, z.literal("start")]).meta({ description: "Index of the question." }),
    to: z
      .union([count, z.enum(["end", "left"])])
      .meta({ description: "Index of the next question; end: completed; left: stopped there." }),
    ...share.shape,
  })
  .meta({ id: "SurveyEdgeFigures" });

const durations = z
  .object({
    timed: counted.meta({
      description: "Completed responses with more than one event: those whose duration is known.",
    }),
    median_seconds: z
      .number()
      .nullable()
      .meta({ description: "The 50th percentile; null if no duration is known." }),
    percentiles: z
      .array(
        z.object({
          percent: count.meta({ description: "10, 25, 50, 75 or 90." }),
          seconds: z.number().meta({
            description:
              "Exact: the shortest duration that at least this share of responses did not exceed; where exactly this share did not, the mean of it and the next longer one.",
          }),
          ...counted.shape,
        }),
      )
      .meta({ description: "Empty if no duration is known. `rows` opens the responses in the middle." }),
    buckets: z.array(
      z.object({
        from_seconds: count,
        to_seconds: count.nullable().meta({ description: "Exclusive; null: no upper limit." }),
        ...counted.shape,
      }),
    ),
  })
  .meta({ id: "SurveyDurations" });

export const surveyResults = z
  .object({
    survey_id: z.string(),
    as_of: z.string().meta({ description: "When the figures were computed." }),
    filtered: z.boolean().meta({ description: "Whether a filter other than dates applies." }),
    source: z
      .enum(["summaries", "rows"])
      .meta({ description: "Stored as events arrive, or counted from rows for these filters." }),
    matched: count.meta({ description: "Responses that match the filters." }),
    total: count.meta({ description: "Responses without any filter." }),
    archived: counted.meta({ description: "Responses archived by hand: excluded from all figures." }),
    first_day: z.string().nullable().meta({ description: "First day with any event of the survey." }),
    last_day: z.string().nullable(),
    definitions: z
      .array(z.object({ figure: z.string(), text: z.string() }))
      .meta({ description: "Definitions of the figures." }),
    funnel: z.array(funnelStep),
    rates: z.array(rate),
    over_time: z.array(dayFigures),
    iterations: z.array(iterationFigures).meta({ description: "Empty if no event names an iteration." }),
    questions: z.array(questionFigures),
    edges: z.array(edge),
    durations,
  })
  .meta({ id: "SurveyResults" });

/** Progress of what figures wait for. */

export const responsesQuery = resultsFilters.extend({
  ...pageQuery,
  event: z
    .enum(["answered", "completed", "unfinished", "shown", "dismissed", "left", "abandoned"])
    .default("answered")
    .meta({
      description:
        "Which rows: responses (answered: all of them), or events: shown, dismissed (before any answer), quit (dismissed after some answers) or abandoned.",
    }),
  unit: z
    .enum(["rows", "people"])
    .default("rows")
    .meta({ description: "people: one row per person, the latest." }),
  day: day("Only rows of this day in UTC; with `day_to`, from this day on."),
  day_to: day("With `day`: up to this day, included."),
  of_iteration: wholeNumber("Only rows of this iteration; 0: outside any iteration."),
  from: z
    .string()
    .regex(/^(?:start|\d{1,4})$/)
    .optional()
    .meta({ description: "With `to`: responses that went from this question (index, or start)." }),
  to: z
    .string()
    .regex(/^(?:end|left|\d{1,4})$/)
    .optional()
    .meta({ description: "With `from`: to this one (index, end or left)." }),
  seconds_from: seconds("Only completed responses that took at least this many seconds, to a tenth."),
  seconds_to: seconds("Only completed responses that took at most this many seconds, to a tenth."),
  figure: answerConditions("figure", "Further conditions on answers: those of the figure that is opened."),
  statement_of: z
    .string()
    .max(400)
    .optional()
    .meta({ description: "With `statement`: id of the question whose answers it is about." }),
  statement: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional()
    .meta({ description: "Only the responses that support a statement, see `statements/`." }),
  search: z
    .string()
    .max(200)
    .optional()
    .meta({ description: "A text that some answer contains, ignoring case." }),
  archived: z
    .enum(["exclude", "only"])
    .default("exclude")
    .meta({ description: "only: the archived responses." }),
});

export const responseFields = z
  .object({ fields: z.array(z.object({ name: z.string(), values: z.array(z.string()) })) })
  .meta({ id: "SurveyResponseFields" });

const responseAnswer = z.object({
  question_id: z.string(),
  question_index: count,
  question: z.string(),
  type: z.string(),
  value: z.unknown().meta({ description: "As it was sent: number, text or list of texts." }),
  counted_as: z.unknown().meta({
    description: "The same with the current texts of its choices, as in figures and exports.",
  }),
});

export const responseRow = z
  .object({
    uuid: z
      .string()
      .meta({ description: "Time of the event; of a response sent in steps, that of the latest." }),
    event: z.string(),
    timestamp: z.string(),
    distinct_id: z.string(),
    person: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .meta({ description: "The person, if one is stored." }),
    iteration: count.nullable(),
    completed: z.boolean().nullable().meta({ description: "null: not a response." }),
    archived: z.boolean(),
    seconds: z
      .number()
      .nullable()
      .meta({ description: "From the first event to the last, to a tenth; null if there is only one." }),
    path: z.array(count).meta({ description: "Indexes of the questions in the order they were seen." }),
    ended: z.enum(["end", "left"]).nullable(),
    answers: z.array(responseAnswer),
  })
  .meta({ id: "SurveyResponse" });

/** The page of rows. `count` is the figure. */
export const responseList = z
  .object({
    count: count.meta({ description: "How many rows there are in all: the figure." }),
    next: z.string().nullable(),
    previous: z.string().nullable(),
    results: z.array(responseRow),
  })
  .meta({ id: "SurveyResponses" });

export const exportQuery = responsesQuery.omit({ limit: true, offset: true, unit: true }).extend({
  format: z.enum(["csv", "coded_csv", "codebook", "json"]).default("csv").meta({
    description:
      "csv (RFC 4180, answers as they read), coded_csv (for analysis: a column for each choice of a multiple choice, choices by their ids), codebook (what the columns and values of coded_csv mean) or json (a list). Hidden fields, such as utm_source in the address of a hosted survey, are columns too; in json they are in `fields`.",
  }),
});

export type SurveyResults = z.output<typeof surveyResults>;
export type QuestionFigures = z.output<typeof questionFigures>;
export type RatingFigures = z.output<typeof ratingFigures>;
export type ChoiceFigures = z.output<typeof choiceFigures>;
export type EdgeFigures = z.output<typeof edge>;
export type ShareOfRows = z.output<typeof share>;
export type ResponseRow = z.output<typeof responseRow>;
export type ResponsesQuery = z.output<typeof responsesQuery>;
