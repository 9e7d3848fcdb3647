import type { SentQuestion } from "#lib/engines/branching/question.ts";
import type { Json } from "#lib/engines/json.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";

/** A complete survey, ready to be launched. */
export type Template = {
  id: string;
  title: string;
  /** What it is good for. */
  text: string;
  name: string;
  type: SurveyWritten["type"];
  questions: SentQuestion[];
  appearance: Json;
};

const THANKS = {
  displayThankYouMessage: true,
  thankYouMessageHeader: "Thank you!",
  thankYouMessageDescription: "We read every answer.",
};

const rating = (
  question: string,
  scale: number,
  low: string,
  high: string,
  more: object = {},
): SentQuestion => ({
  type: "rating",
  question,
  display: "number",
  scale,
  lowerBoundLabel: low,
  upperBoundLabel: high,
  ...more,
});

const open = (question: string, more: object = {}): SentQuestion => ({ type: "open", question, ...more });

const NPS: Template = {
  id: "nps",
  title: "Net promoter score",
  text: "Would people recommend you, and why? Critics and fans get different follow-ups. The NPS is the percentage of 9 and 10 minus that of 0 to 6.",
  name: "Net promoter score",
  type: "popover",
  appearance: THANKS,
  questions: [
    rating("How likely are you to recommend us to a friend or colleague?", 10, "Not at all", "Very likely", {
      isNpsQuestion: true,
      branching: { type: "response_based", responseValues: { detractors: 1, passives: 2, promoters: 3 } },
    }),
    open("What is the main thing that let you down?", { optional: true, branching: { type: "end" } }),
    open("What would make it a 9 or 10?", { optional: true, branching: { type: "end" } }),
    open("What do you like most?", { optional: true }),
  ],
};

const CSAT: Template = {
  id: "csat",
  title: "Customer satisfaction",
  text: "Five faces after a task. Unhappy people say what went wrong. The CSAT is the share of the two best.",
  name: "Customer satisfaction",
  type: "popover",
  appearance: THANKS,
  questions: [
    rating("How satisfied are you with how this went?", 5, "Very unsatisfied", "Very satisfied", {
      display: "emoji",
      branching: { type: "response_based", responseValues: { negative: 1, neutral: 1, positive: "end" } },
    }),
    open("What could we have done better?", { optional: true }),
  ],
};

const CES: Template = {
  id: "ces",
  title: "Customer effort",
  text: "How easy was it? People who disagree say what made it hard. The CES is the share of 5 to 7.",
  name: "Customer effort",
  type: "popover",
  appearance: THANKS,
  questions: [
    rating("It was easy to do what I came for.", 7, "Strongly disagree", "Strongly agree", {
      branching: { type: "response_based", responseValues: { negative: 1, neutral: 1, positive: "end" } },
    }),
    open("What made it hard?", { optional: true }),
  ],
};

const FEEDBACK: Template = {
  id: "open",
  title: "Open feedback",
  text: "A feedback button that is always there: a topic, then free text.",
  name: "Feedback",
  type: "widget",
  appearance: { ...THANKS, widgetType: "tab", widgetLabel: "Feedback" },
  questions: [
    {
      type: "single_choice",
      question: "What is it about?",
      choices: ["Something is broken", "An idea", "Something I like", "Something else"],
    },
    open("Tell us more"),
  ],
};

const PMF: Template = {
  id: "pmf",
  title: "Product-market fit",
  text: "How would people feel without you? The PMF score is the share of “very disappointed”; 40% is the usual mark.",
  name: "Product-market fit",
  type: "popover",
  appearance: THANKS,
  questions: [
    {
      type: "single_choice",
      question: "How would you feel if you could no longer use our product?",
      choices: ["Very disappointed", "Somewhat disappointed", "Not disappointed"],
      branching: { type: "response_based", responseValues: { 0: 1, 1: 2, 2: 2 } },
    },
    open("What is the main benefit you get from it?", {
      optional: true,
      branching: { type: "end" },
    }),
    open("What is missing for you?", { optional: true }),
  ],
};

export const TEMPLATES: readonly Template[] = [NPS, CSAT, CES, FEEDBACK, PMF];
