import type { z } from "zod";
import type { flagCreate } from "#lib/flags/feature_flags/schema.ts";
import { type Random, random } from "./random.ts";

const FLAGS = 300;
const DAY_MS = 86_400_000;

type FlagBody = z.input<typeof flagCreate>;

/** A flag of the demo, ready to be created. */
export type DemoFlag = FlagBody & {
  key: string;
  /** Evaluated for companies, not for persons. */
  of_company?: boolean;
  /** Depends on the flag of this key being on: its id is known only once that exists. */
  depends_on?: string;
  /** How many of 1,000 daily active people evaluate it; 0 if nobody does any more. */
  popularity: number;
};

const AREAS = [
  "checkout",
  "search",
  "onboarding",
  "billing",
  "editor",
  "inbox",
  "reports",
  "mobile",
  "admin",
  "api",
  "sharing",
  "calendar",
  "profile",
  "integrations",
  "dashboard",
] as const;
const CHANGES: readonly [string, string][] = [
  ["redesign", "The new look of"],
  ["autosave", "Saves work by itself in"],
  ["dark-mode", "Dark colours in"],
  ["bulk-actions", "Acting on many items at once in"],
  ["inline-comments", "Comments beside the content of"],
  ["keyboard-shortcuts", "Shortcuts for people who live in"],
  ["empty-state", "Friendlier first steps in"],
  ["smart-filters", "Filters that remember, in"],
  ["export-csv", "Taking data out of"],
  ["activity-feed", "Who did what in"],
  ["quick-switcher", "Jumping around in"],
  ["offline", "Working without a connection in"],
  ["templates", "Starting from a template in"],
  ["two-column-layout", "A wider layout for"],
  ["lazy-loading", "Faster first paint of"],
  ["retry-failed-calls", "Second attempts for failed requests of"],
  ["new-permissions", "Finer permissions in"],
  ["price-test", "Prices shown in"],
  ["ai-summary", "Summaries written for"],
  ["limits", "Limits that apply to"],
];

type Kind =
  | "rollout"
  | "everyone"
  | "nobody"
  | "targeted"
  | "ladder"
  | "variants"
  | "remote"
  | "company"
  | "dependent"
  | "disabled";

const WEIGHTS: Record<Kind, number> = {
  rollout: 24,
  everyone: 16,
  nobody: 4,
  targeted: 18,
  ladder: 8,
  variants: 14,
  remote: 5,
  company: 3,
  dependent: 3,
  disabled: 5,
};

type Row = Record<string, unknown>;
const row = (key: string, operator: string, value: unknown): Row => ({
  key,
  type: "person",
  operator,
  value,
});

const someRows = (r: Random): Row[] =>
  r.pick([
    () => [row("plan", "exact", ["pro", "team"])],
    () => [row("plan", "exact", ["enterprise"])],
    () => [row("country", "exact", r.pick([["DE", "FR", "NL"], ["US"], ["BR", "ES"], ["JP"]]))],
    () => [row("beta_tester", "exact", ["true"])],
    () => [row("email", "icontains", `@${r.pick(["amber", "blue", "cedar", "nova"])}`)],
    () => [row("app_version", "semver_gte", `4.${r.between(3, 11)}.0`)],
    () => [row("signup_date", "is_date_after", `-${r.pick([14, 30, 90])}d`)],
    () => [row("device_type", "exact", ["Mobile"]), row("os", "exact", [r.pick(["iOS", "Android"])])],
    () => [row("seats", "gte", String(r.pick([10, 25, 50]))), row("plan", "is_not", ["free"])],
    () => [row("role", "exact", [r.pick(["engineer", "designer", "founder"])])],
  ])();

const share = (r: Random) => r.pick([5, 10, 20, 25, 30, 40, 50, 60, 75, 90]);

const VARIANT_SETS = [
  [
    ["control", 50],
    ["test", 50],
  ],
  [
    ["control", 34],
    ["compact", 33],
    ["roomy", 33],
  ],
  [
    ["control", 80],
    ["test", 20],
  ],
  [
    ["control", 25],
    ["blue", 25],
    ["green", 25],
    ["orange", 25],
  ],
] as const;

function variantFilters(r: Random) {
  const set = r.pick(VARIANT_SETS);
  const payloads =
    r.next() < 0.3
      ? Object.fromEntries(set.map(([key], i) => [key, JSON.stringify({ layout: key, columns: i + 1 })]))
      : undefined;
  const beta = {
    properties: [row("beta_tester", "exact", ["true"])],
    rollout_percentage: 100,
    variant: set[1][0],
    description: "Testers see it first",
  };
  return {
    groups: [
      ...(r.next() < 0.4 ? [beta] : []),
      { properties: r.next() < 0.35 ? someRows(r) : [], rollout_percentage: r.pick([100, 100, 50]) },
    ],
    multivariate: {
      variants: set.map(([key, rollout_percentage]) => ({ key, name: "", rollout_percentage })),
    },
    ...(payloads && { payloads }),
  };
}

const FILTERS: Record<Kind, (r: Random) => Record<string, unknown>> = {
  rollout: (r) => ({ groups: [{ properties: [], rollout_percentage: share(r) }] }),
  everyone: () => ({ groups: [{ properties: [], rollout_percentage: 100 }] }),
  nobody: () => ({ groups: [{ properties: [], rollout_percentage: 0 }] }),
  targeted: (r) => ({
    groups: [{ properties: someRows(r), rollout_percentage: r.pick([100, 100, share(r)]) }],
  }),
  ladder: (r) => ({
    groups: [
      {
        properties: [row("email", "icontains", "@amber")],
        rollout_percentage: 100,
        description: "Our own team",
      },
      { properties: someRows(r), rollout_percentage: 50, description: "First customers" },
      { properties: [], rollout_percentage: 5, description: "Everyone else" },
    ],
  }),
  variants: variantFilters,
  remote: (r) => ({
    groups: [{ properties: [], rollout_percentage: 100 }],
    payloads: {
      true: JSON.stringify({
        enabled: true,
        max_items: r.between(5, 50),
        banner: r.pick(["", "Scheduled maintenance on Sunday"]),
      }),
    },
  }),
  company: (r) => ({
    aggregation_group_type_index: 0,
    groups: [
      {
        properties: [
          {
            key: "plan",
            type: "group",
            group_type_index: 0,
            operator: "exact",
            value: ["enterprise", "team"],
          },
        ],
        rollout_percentage: share(r),
      },
    ],
  }),
  dependent: (r) => ({ groups: [{ properties: [], rollout_percentage: share(r) }] }),
  disabled: (r) => ({ groups: [{ properties: [], rollout_percentage: share(r) }] }),
};

const TAGS = ["growth", "core", "mobile", "payments", "infrastructure", "experiment", "ops", "design"];

const title = (area: string) => area.charAt(0).toUpperCase() + area.slice(1);

/** Popular flags are few: the first are evaluated on every page, most of the rest now and then, some never. */
function popularityOf(kind: Kind, n: number, r: Random): number {
  if (kind === "disabled" || r.next() < 0.18) return 0;
  return Math.max(1, Math.round(90 / (1 + n / 6)));
}

/**
 * The flags of the demo, oldest first, the same every time but for the dates.
 *
 * @param now milliseconds since 1970; the flags were made in the eighteen months before
 */
export function demoFlags(now: number): DemoFlag[] {
  const r = random(3);
  const flags: DemoFlag[] = [];
  for (let n = 0; n < FLAGS; n++) {
    const area = AREAS[n % AREAS.length] ?? "core";
    const [change, sentence] = CHANGES[(Math.floor(n / AREAS.length) + (n % 3)) % CHANGES.length] ?? [
      "flag",
      "A change of",
    ];
    const kind = r.weighted(WEIGHTS);
    const base = flags.findLast(
      (flag) =>
        flag.filters && !flag.of_company && flag.active && !flag.is_remote_configuration && !flag.depends_on,
    );
    const age = Math.round(((FLAGS - n) / FLAGS) * 540) + r.between(0, 2);
    const stem = `${area}-${change}`;
    const taken = flags.filter((flag) => flag.key === stem || flag.key.startsWith(`${stem}-v`)).length;
    flags.push({
      key: taken === 0 ? stem : `${stem}-v${taken + 1}`,
      name: `${sentence} ${area === "api" ? "the API" : title(area).toLowerCase()}.`,
      active: kind !== "disabled",
      filters: FILTERS[kind](r),
      tags: r.next() < 0.75 ? [...new Set([r.pick(TAGS), ...(r.next() < 0.3 ? [r.pick(TAGS)] : [])])] : [],
      evaluation_runtime: r.weighted({ all: 70, client: 18, server: 12 }),
      created_at: new Date(now - age * DAY_MS - r.between(0, DAY_MS)).toISOString(),
      ensure_experience_continuity: kind === "variants" && r.next() < 0.2,
      is_remote_configuration: kind === "remote",
      ...(kind === "company" && { of_company: true }),
      ...(kind === "dependent" && base && { depends_on: base.key }),
      popularity: popularityOf(kind, r.between(0, 120), r),
    });
  }
  return flags;
}
