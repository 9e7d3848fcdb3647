/**
 * Likely to recommend → a reason, asked differently of each group → one follow-up for those who are unhappy.
 */
export const NPS: Record<string, unknown>[] = [
  {
    id: "nps",
    type: "rating",
    question: "How likely are you to recommend us to a colleague?",
    display: "number",
    scale: 10,
    lowerBoundLabel: "Not at all likely",
    upperBoundLabel: "Extremely likely",
    branching: { type: "response_based", responseValues: { detractors: 1, passives: 2, promoters: 3 } },
  },
  {
    id: "nps-improve",
    type: "open",
    question: "What should we do better?",
    branching: { type: "specific_question", index: 4 },
  },
  {
    id: "nps-missing",
    type: "open",
    question: "What is missing for a higher score?",
    optional: true,
    branching: { type: "end" },
  },
  { id: "nps-love", type: "open", question: "What do you like most?", branching: { type: "end" } },
  {
    id: "nps-call",
    type: "single_choice",
    question: "May we call you about it?",
    choices: ["Yes, this week", "Yes, some time later", "No, thank you"],
  },
];

export const CHECKOUT: Record<string, unknown>[] = [
  {
    id: "csat",
    type: "rating",
    question: "How satisfied are you with the checkout?",
    display: "emoji",
    scale: 5,
    lowerBoundLabel: "Very dissatisfied",
    upperBoundLabel: "Very satisfied",
  },
  {
    id: "csat-payment",
    type: "single_choice",
    question: "How did you pay?",
    choices: ["Card", "Bank transfer", "PayPal", "Another way"],
    hasOpenChoice: true,
  },
  { id: "csat-why", type: "open", question: "What could be easier?", optional: true },
];

export const FEATURES: Record<string, unknown>[] = [
  {
    id: "area",
    type: "single_choice",
    question: "Which part should get better first?",
    choices: ["Search", "Reports", "Editor", "Integrations", "Mobile app", "Something else"],
    hasOpenChoice: true,
  },
  {
    id: "uses",
    type: "multiple_choice",
    question: "What do you use every week?",
    choices: ["Dashboards", "Exports", "Comments", "Templates", "API", "Other"],
    hasOpenChoice: true,
  },
  { id: "idea", type: "open", question: "Tell us your idea." },
];

export const EFFORT: Record<string, unknown>[] = [
  {
    id: "effort",
    type: "rating",
    question: "It was easy to get started.",
    display: "number",
    scale: 7,
    lowerBoundLabel: "Strongly disagree",
    upperBoundLabel: "Strongly agree",
    branching: { type: "response_based", responseValues: { negative: 1, neutral: 1, positive: "end" } },
  },
  {
    id: "hurdle",
    type: "multiple_choice",
    question: "What held you up?",
    choices: [
      "Signing in",
      "Importing data",
      "Inviting the team",
      "Finding things",
      "Understanding the words",
    ],
  },
  { id: "hurdle-more", type: "open", question: "Tell us more.", optional: true },
];

export const RESEARCH: Record<string, unknown>[] = [
  {
    id: "team-size",
    type: "single_choice",
    question: "How many people are in your team?",
    choices: ["Only me", "2 to 5", "6 to 20", "More than 20"],
  },
  {
    id: "tools",
    type: "multiple_choice",
    question: "Which tools do you use beside ours?",
    choices: ["Spreadsheets", "A data warehouse", "Another analytics tool", "Issue tracker", "Others"],
    hasOpenChoice: true,
  },
  {
    id: "trust",
    type: "rating",
    question: "How much do you trust the numbers that you see?",
    display: "number",
    scale: 5,
    lowerBoundLabel: "Not at all",
    upperBoundLabel: "Fully",
  },
  { id: "trust-why", type: "open", question: "What makes you trust or doubt them?" },
  {
    id: "guide",
    type: "link",
    question: "Our guide for research teams",
    link: "https://example.com/research-guide",
    optional: true,
  },
];

export const HEALTH: Record<string, unknown>[] = [
  {
    id: "useful",
    type: "rating",
    question: "How useful was the product for you this month?",
    display: "number",
    scale: 5,
    lowerBoundLabel: "Useless",
    upperBoundLabel: "Very useful",
  },
  {
    id: "reliable",
    type: "rating",
    question: "How reliable was it?",
    display: "number",
    scale: 5,
    lowerBoundLabel: "Unreliable",
    upperBoundLabel: "Rock solid",
  },
  {
    id: "miss",
    type: "single_choice",
    question: "How would you feel if you could not use it any more?",
    choices: ["Very disappointed", "Somewhat disappointed", "Not disappointed"],
  },
  { id: "month", type: "open", question: "What was your best or worst moment?", optional: true },
];
