import type { z } from "zod";
import type { experimentCreate } from "#lib/experiments/experiments/schema.ts";

export const DAY_MS = 86_400_000;

type ExperimentBody = z.input<typeof experimentCreate>;

/** What people of one variant do after they were exposed: shares, and means per person. */
export type Behaviour = {
  /** Share of exposed people who take each step of the funnel, of those who took the one before. */
  steps: number[];
  /** Mean of what a paid order is worth. */
  amount?: number;
  /** Mean number of edits a person. */
  edits?: number;
};

/** An experiment of the demo and what its people do. */
export type DemoExperiment = {
  body: ExperimentBody & { feature_flag_key: string };
  /** Days before the demo's beginning at which it started and ended; null: never, or not yet. */
  started: number | null;
  ended: number | null;
  /** People who are exposed, all variants together. */
  people: number;
  /** Events of the funnel's steps. */
  steps: string[];
  behaviour: Record<string, Behaviour>;
  /** Share of a variant's people whose exposure gets lost. */
  lost?: Record<string, number>;
  /** Share of people who are seen with a second variant. */
  both?: number;
  /** Whether people also edit before they are exposed. */
  editsBefore?: boolean;
  /** Names of saved metrics that it uses, as secondary ones. */
  saved?: string[];
  /** Days before the demo's beginning at which its results were looked at. */
  looks?: number[];
};

const event = (name: string, fields: Record<string, unknown> = {}) => ({
  kind: "EventsNode" as const,
  event: name,
  ...fields,
});
const metric = (name: string, fields: Record<string, unknown>) => ({
  kind: "ExperimentMetric" as const,
  name,
  ...fields,
});

const funnel = (name: string, steps: string[], fields: Record<string, unknown> = {}) =>
  metric(name, {
    metric_type: "funnel",
    series: steps.map((step) => event(step)),
    goal: "increase",
    ...fields,
  });

const REVENUE = metric("Revenue per person", {
  metric_type: "mean",
  source: event("order paid", { math: "sum", math_property: "amount" }),
  goal: "increase",
  currency: "USD",
});
const ORDER_VALUE = metric("Average order value", {
  metric_type: "ratio",
  numerator: event("order paid", { math: "sum", math_property: "amount" }),
  denominator: event("order paid"),
  goal: "increase",
  currency: "USD",
});

/** Metrics that several experiments share. */
export const DEMO_SAVED_METRICS = [
  {
    name: "Support tickets",
    description: "Must not rise, whatever else improves.",
    query: metric("Support tickets", {
      metric_type: "mean",
      source: event("support ticket opened"),
      goal: "decrease",
    }),
  },
];

const bayesian = { method: "bayesian" };
const frequentist = (fields: Record<string, unknown> = {}) => ({
  method: "frequentist",
  frequentist: { alpha: 0.05, ...fields },
});
const even = (...keys: string[]) => {
  const share = Math.floor(100 / keys.length);
  return keys.map((key, i) => ({
    key,
    rollout_percentage: i === 0 ? 100 - share * (keys.length - 1) : share,
  }));
};

const CHECKOUT = ["checkout started", "order paid"];
const UPGRADE = ["plans viewed", "plan chosen"];

/** Experiments in every state. */
export const DEMO_EXPERIMENTS: DemoExperiment[] = [
  {
    body: {
      name: "Shorter checkout form",
      description:
        "Asking only for what the payment needs will let more people finish their order. Address fields move behind a link.",
      feature_flag_key: "checkout-short-form",
      parameters: {
        feature_flag_variants: even("control", "test"),
        minimum_detectable_effect: 15,
        recommended_sample_size: 5_400,
        recommended_running_time: 40,
      },
      metrics: [funnel("Order paid", CHECKOUT), REVENUE],
      metrics_secondary: [ORDER_VALUE],
      stats_config: bayesian,
    },
    saved: ["Support tickets"],
    // Looked at so often that a difference would turn up by chance.
    looks: [42, 38, 33, 29, 24, 18, 11, 4],
    started: 45,
    ended: null,
    people: 6_000,
    steps: CHECKOUT,
    behaviour: {
      control: { steps: [0.55, 0.34], amount: 62 },
      test: { steps: [0.57, 0.41], amount: 62 },
    },
  },
  {
    body: {
      name: "Annual plan first",
      description: "Showing the yearly price first will make more people choose a plan.",
      feature_flag_key: "pricing-annual-first",
      parameters: {
        feature_flag_variants: even("control", "test"),
        minimum_detectable_effect: 15,
        recommended_sample_size: 4_500,
        recommended_running_time: 30,
      },
      metrics: [funnel("Plan chosen", UPGRADE, { conversion_window: 7, conversion_window_unit: "day" })],
      stats_config: frequentist(),
      conclusion: "lost",
      conclusion_comment: "Fewer people chose a plan. The monthly price stays in front.",
    },
    saved: ["Support tickets"],
    started: 70,
    ended: 35,
    people: 4_800,
    steps: UPGRADE,
    behaviour: { control: { steps: [0.5, 0.3] }, test: { steps: [0.48, 0.23] } },
  },
  {
    body: {
      name: "Friendlier empty pages",
      description: "Examples in place of blank pages will make people write more.",
      feature_flag_key: "editor-friendly-empty-pages",
      parameters: {
        feature_flag_variants: even("control", "test"),
        minimum_detectable_effect: 10,
        recommended_sample_size: 6_000,
        recommended_running_time: 60,
      },
      metrics: [
        metric("Edits per person", {
          metric_type: "mean",
          source: event("document edited"),
          goal: "increase",
        }),
      ],
      metrics_secondary: [
        metric("Edits, outliers pulled in", {
          metric_type: "mean",
          source: event("document edited"),
          upper_bound_percentile: 0.95,
          goal: "increase",
        }),
      ],
      stats_config: {
        ...frequentist({ sequential_testing_enabled: true, sequential_tuning_parameter: 5_000 }),
        cuped: { enabled: true, lookback_days: 14 },
      },
    },
    started: 40,
    ended: null,
    people: 2_600,
    steps: [],
    editsBefore: true,
    behaviour: { control: { steps: [], edits: 2 }, test: { steps: [], edits: 2 } },
  },
  {
    body: {
      name: "New search ranking",
      description: "Ranking by what colleagues opened will get people to a result sooner.",
      feature_flag_key: "search-ranking-colleagues",
      parameters: { feature_flag_variants: even("control", "test"), minimum_detectable_effect: 5 },
      metrics: [funnel("Result opened", ["search performed", "search result opened"])],
      metrics_secondary: [
        metric("Back within a week", {
          metric_type: "retention",
          start_event: event("search performed"),
          completion_event: event("search performed"),
          retention_window_start: 1,
          retention_window_end: 7,
          retention_window_unit: "day",
          start_handling: "first_seen",
          goal: "increase",
        }),
      ],
      stats_config: bayesian,
    },
    started: 28,
    ended: null,
    people: 4_000,
    steps: ["search performed", "search result opened"],
    lost: { test: 0.2 },
    both: 0.012,
    behaviour: { control: { steps: [0.7, 0.5] }, test: { steps: [0.7, 0.54] } },
  },
  {
    body: {
      name: "Summaries in the inbox",
      description: "A sentence about each message will make people answer sooner.",
      feature_flag_key: "inbox-summaries",
      parameters: {
        feature_flag_variants: even("control", "short", "long"),
        minimum_detectable_effect: 20,
        recommended_sample_size: 1_800,
        recommended_running_time: 50,
      },
      metrics: [funnel("Message answered", ["message opened", "message answered"])],
      stats_config: bayesian,
    },
    started: 3,
    ended: null,
    people: 96,
    steps: ["message opened", "message answered"],
    behaviour: {
      control: { steps: [0.8, 0.4] },
      short: { steps: [0.8, 0.45] },
      long: { steps: [0.8, 0.42] },
    },
  },
  {
    body: {
      name: "Onboarding as a checklist",
      description: "Five steps to tick off will bring more new teams to their first project.",
      feature_flag_key: "onboarding-checklist",
      parameters: {
        feature_flag_variants: even("control", "checklist", "video"),
        minimum_detectable_effect: 12,
      },
      metrics: [funnel("First project", ["project created"])],
      stats_config: bayesian,
    },
    started: null,
    ended: null,
    people: 0,
    steps: [],
    behaviour: {},
  },
  {
    body: {
      name: "Dark colours by default",
      description: "Starting in dark colours will make evening sessions longer.",
      feature_flag_key: "appearance-dark-default",
      parameters: { feature_flag_variants: even("control", "test"), minimum_detectable_effect: 10 },
      metrics: [
        metric("Edits per person", {
          metric_type: "mean",
          source: event("document edited"),
          goal: "increase",
        }),
      ],
      stats_config: frequentist(),
      conclusion: "inconclusive",
      conclusion_comment: "No difference worth a change.",
      archived: true,
    },
    started: 88,
    ended: 66,
    people: 1_500,
    steps: [],
    behaviour: { control: { steps: [], edits: 1.6 }, test: { steps: [], edits: 1.6 } },
  },
];
