import type { z } from "zod";
import type { surveyCreate } from "#lib/surveys/surveys/schema.ts";
import { CHECKOUT, EFFORT, FEATURES, HEALTH, NPS, RESEARCH } from "./questions.ts";

const DAY_MS = 86_400_000;

/** A survey of the demo, ready to be created, with how people respond to it. */
export type DemoSurvey = z.input<typeof surveyCreate> & {
  name: string;
  questions: Record<string, unknown>[];
  /** How many days ago it was created. */
  made: number;
  /** How many people see it on a working day; 0: it is not running. */
  audience: number;
  /** Shares of viewers who answer, and who dismiss it; the others ignore it. */
  answering: number;
  dismissing: number;
  /** Of those who answer: the share that continues after each question. */
  patience: number;
  /** Length of an iteration in days. */
  iteration_days?: number;
};

type Part = Partial<DemoSurvey> & Pick<DemoSurvey, "name" | "type" | "questions">;

const survey = (part: Part): DemoSurvey => ({
  made: 90,
  audience: 0,
  answering: 0.35,
  dismissing: 0.4,
  patience: 0.93,
  ...part,
});

/** The surveys of the demo, one in every state. @param now milliseconds since the epoch */
export function demoSurveys(now: number): DemoSurvey[] {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  const at = (days: number) => new Date(today + days * DAY_MS + 9 * 3_600_000).toISOString();
  return [
    survey({
      name: "Product NPS",
      description: "How likely people are to recommend us, and why.",
      type: "popover",
      questions: NPS,
      start_date: at(-88),
      enable_partial_responses: true,
      audience: 62,
      appearance: { position: "right", submitButtonColor: "#4f46e5", thankYouMessageHeader: "Thank you!" },
      conditions: { seenSurveyWaitPeriodInDays: 30 },
    }),
    survey({
      name: "Checkout satisfaction",
      description: "Asked right after a purchase, until the new checkout was everywhere.",
      type: "popover",
      questions: CHECKOUT,
      start_date: at(-75),
      end_date: at(-12),
      audience: 34,
      answering: 0.45,
      conditions: { url: "/checkout/done", urlMatchType: "icontains" },
    }),
    survey({
      name: "What should we build next?",
      description: "The tab at the edge of the window.",
      type: "widget",
      questions: FEATURES,
      schedule: "always",
      start_date: at(-80),
      audience: 26,
      answering: 0.5,
      dismissing: 0.2,
      patience: 0.88,
      enable_partial_responses: true,
      appearance: { widgetType: "tab", widgetLabel: "Ideas?", widgetColor: "#0f766e" },
    }),
    survey({
      name: "Onboarding effort",
      description: "Spread over eight weeks, so that no day brings too many answers.",
      type: "popover",
      questions: EFFORT,
      start_date: at(-40),
      made: 41,
      audience: 22,
      response_sampling_start_date: at(-40),
      response_sampling_interval_type: "week",
      response_sampling_interval: 8,
      response_sampling_limit: 1_200,
    }),
    survey({
      name: "Research panel: how teams work",
      description: "Sent to the panel by e-mail.",
      type: "external_survey",
      questions: RESEARCH,
      start_date: at(-60),
      made: 64,
      audience: 16,
      answering: 0.62,
      dismissing: 0.08,
      patience: 0.95,
      enable_partial_responses: true,
    }),
    survey({
      name: "Cancellation interview",
      description: "Asked by our own dialog when somebody ends a subscription.",
      type: "api",
      questions: [
        {
          id: "cancel-reason",
          type: "single_choice",
          question: "Why are you leaving?",
          choices: [
            "Too expensive",
            "Missing features",
            "Too slow",
            "We stopped the project",
            "Something else",
          ],
          hasOpenChoice: true,
        },
        { id: "cancel-more", type: "open", question: "What would have kept you?", optional: true },
      ],
      start_date: at(-85),
      audience: 7,
      answering: 0.8,
      dismissing: 0.15,
    }),
    survey({
      name: "Monthly health check",
      description: "The same four questions every month.",
      type: "popover",
      questions: HEALTH,
      schedule: "recurring",
      start_date: at(-84),
      iteration_count: 6,
      iteration_frequency_days: 30,
      current_iteration: 3,
      iteration_days: 30,
      audience: 24,
      answering: 0.4,
    }),
    survey({
      name: "Is this chart useful?",
      description: "A thumb up or down under every chart; stopped once it had enough answers.",
      type: "popover",
      questions: [
        { id: "thumbs", type: "rating", question: "Is this chart useful?", display: "emoji", scale: 2 },
      ],
      start_date: at(-50),
      end_date: at(-22),
      responses_limit: 500,
      made: 52,
      audience: 30,
      answering: 0.55,
      dismissing: 0.1,
    }),
    survey({
      name: "Winter pricing feedback",
      description: "Archived: the prices it asked about are gone.",
      type: "popover",
      questions: [
        {
          id: "fair",
          type: "rating",
          question: "How fair do you find the new prices?",
          display: "number",
          scale: 5,
          lowerBoundLabel: "Unfair",
          upperBoundLabel: "Very fair",
        },
        { id: "fair-why", type: "open", question: "What makes you say so?", optional: true },
      ],
      start_date: at(-89),
      end_date: at(-60),
      archived: true,
      audience: 20,
    }),
    survey({
      name: "Mobile app: first impressions",
      description: "Starts with the release.",
      type: "popover",
      questions: EFFORT.map((question) => ({ ...question, id: `mobile-${question.id}` })),
      start_date: at(9),
      made: 6,
      conditions: { deviceTypes: ["Mobile"], deviceTypesMatchType: "exact" },
    }),
    survey({
      name: "Accessibility: what gets in your way?",
      description: "Being written; ask the panel first.",
      type: "external_survey",
      made: 4,
      questions: [
        {
          id: "aids",
          type: "multiple_choice",
          question: "Which of these do you use?",
          choices: ["Screen reader", "Magnifier", "Keyboard only", "Voice control", "None of them"],
        },
        { id: "barrier", type: "open", question: "What gets in your way?" },
      ],
    }),
    survey({
      name: "Loyalty programme (draft with a loop)",
      description: "Two questions send people to each other: the check finds it, and it cannot be launched.",
      type: "popover",
      made: 2,
      questions: [
        {
          id: "join",
          type: "single_choice",
          question: "Would you join a loyalty programme?",
          choices: ["Yes", "No", "Tell me more"],
          branching: { type: "response_based", responseValues: { 0: "end", 1: "end", 2: 1 } },
        },
        {
          id: "read",
          type: "link",
          question: "Read how it works",
          link: "https://example.com/loyalty",
          branching: { type: "specific_question", index: 0 },
        },
      ],
    }),
    survey({
      name: "Editor beta: rough edges",
      description: "Only for beta testers.",
      type: "popover",
      questions: [
        {
          id: "beta-quality",
          type: "rating",
          question: "How does the new editor feel?",
          display: "number",
          scale: 7,
          lowerBoundLabel: "Rough",
          upperBoundLabel: "Polished",
          branching: { type: "response_based", responseValues: { positive: "end" } },
        },
        { id: "beta-edges", type: "open", question: "Which edge is the roughest?" },
      ],
      start_date: at(-30),
      made: 31,
      audience: 12,
      answering: 0.5,
      dismissing: 0.2,
      targeting_flag_filters: {
        groups: [
          {
            properties: [{ key: "beta_tester", type: "person", operator: "exact", value: ["true"] }],
            rollout_percentage: 100,
          },
        ],
      },
    }),
  ];
}
