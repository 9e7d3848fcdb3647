import {
  type EventTotals,
  noEvents,
  type TableQuestion,
  type Tables,
} from "#lib/surveys/results/count/tables.ts";
import { type Durations, secondsOf } from "#lib/surveys/results/ingest/durations.ts";
import type { ChoiceFigures, EdgeFigures, SurveyResults } from "#lib/surveys/results/schema.ts";
import { questionFigures, shareOf } from "./question-figures.ts";

const DAY_MS = 86_400_000;
/** The maximum number of days listed one by one; for longer periods, only days with events. */
const DAYS_MAX = 1_100;

type Rows = Record<string, string>;
const PEOPLE: Rows = { unit: "people" };

/** Definitions of the figures. */
const DEFINITIONS: readonly { figure: string; text: string }[] = [
  {
    figure: "shown",
    text: "Events “survey shown”. A hosted page that is opened again in the same browser within half an hour, and before it is answered, was shown once. Previews, and whatever arrives before the survey is launched, are not counted. People: distinct persons among the events.",
  },
  {
    figure: "dismissed",
    text: "Events “survey dismissed” before any answer. People: those among them without an answer in the same period.",
  },
  {
    figure: "left",
    text: "Events “survey dismissed” after some answers. They count neither as dismissed nor as new responses.",
  },
  {
    figure: "answered",
    text: "Responses: the latest event “survey sent” of each submission within the dates, finished or not, excluding archived ones.",
  },
  { figure: "completed", text: "Responses whose latest event says that the survey was finished." },
  {
    figure: "rates",
    text: "Percent of views; completion: of responses. A rate can exceed 100% because one view can lead to several responses. Intervals are Wilson's at 95%.",
  },
  {
    figure: "time to answer",
    text: "From the first event “survey sent” of a submission to its last, to a tenth of a second. Only completed responses with more than one event have one. Percentiles are exact: the shortest time that at least this share of the responses did not exceed; where exactly this share did not, the mean of it and the next longer one. They open the responses that took exactly that long.",
  },
  {
    figure: "filters",
    text: "A property filter counts the events of people who match now. An answer filter counts the responses that match, and the views and dismissals of the people who gave them.",
  },
  {
    figure: "days",
    text: "Days are UTC days. A response counts on the day of its latest event within the dates.",
  },
  {
    figure: "path",
    text: "The questions a response passed, from its answers and the survey's current branching. If they do not fit, the questions it answered.",
  },
];

function funnelOf(tables: Tables): SurveyResults["funnel"] {
  const { events, people } = tables;
  const step = (
    name: SurveyResults["funnel"][number]["step"],
    event: string,
    count: number,
    of: number,
  ): SurveyResults["funnel"][number] => ({
    step: name,
    count,
    people: of,
    rows: { event },
    people_rows: { event, ...PEOPLE },
  });
  return [
    step("shown", "shown", events.shown, people.shown),
    step("dismissed", "dismissed", events.dismissed, people.dismissed),
    step("left", "left", events.quit, people.quit),
    step("answered", "answered", events.answered, people.answered),
    step("completed", "completed", events.completed, people.completed),
  ];
}

function rateOf(rate: SurveyResults["rates"][number]["rate"], count: number, of: number) {
  const { lower, upper } = shareOf(count, of, {});
  return {
    rate,
    count,
    of,
    percent: of > 0 ? Math.round((count / of) * 10_000) / 100 : 0,
    lower: lower === null ? null : lower * 100,
    upper: upper === null ? null : upper * 100,
  };
}

function ratesOf(tables: Tables): SurveyResults["rates"] {
  const { events, people } = tables;
  return [
    rateOf("response_rate", events.answered, events.shown),
    rateOf("dismissal_rate", events.dismissed, events.shown),
    rateOf("completion_rate", events.completed, events.answered),
    rateOf("people_response_rate", people.answered, people.shown),
    rateOf("people_dismissal_rate", people.dismissed, people.shown),
  ];
}

const totalsWith = (happened: EventTotals, rows: Rows) => ({
  shown: { count: happened.shown, rows: { event: "shown", ...rows } },
  dismissed: { count: happened.dismissed, rows: { event: "dismissed", ...rows } },
  answered: { count: happened.answered, rows: { event: "answered", ...rows } },
  completed: { count: happened.completed, rows: { event: "completed", ...rows } },
});

/** All days of the page, from first to last. */
function daysBetween(first: string, last: string): string[] {
  const [from, to] = [Date.parse(`${first}T00:00:00Z`), Date.parse(`${last}T00:00:00Z`)];
  const count = Math.round((to - from) / DAY_MS) + 1;
  if (count > DAYS_MAX) return [];
  return Array.from({ length: Math.max(0, count) }, (_, i) =>
    new Date(from + i * DAY_MS).toISOString().slice(0, 10),
  );
}

function overTimeOf(tables: Tables): SurveyResults["over_time"] {
  const known = [...tables.days.keys()].sort();
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  const all = daysBetween(first, last);
  return (all.length > 0 ? all : known).map((date) => ({
    date,
    ...totalsWith(tables.days.get(date) ?? noEvents(), { day: date }),
  }));
}

/** Start first, then the questions in order, then the ends. */
const rank = (place: EdgeFigures["from"] | EdgeFigures["to"]) =>
  place === "start" ? -1 : typeof place === "number" ? place : 1e6;

function edgesOf(tables: Tables): SurveyResults["edges"] {
  const edges = tables.edges.filter(({ n }) => n > 0);
  const leaving = new Map<EdgeFigures["from"], number>();
  for (const { from, n } of edges) leaving.set(from, (leaving.get(from) ?? 0) + n);
  return edges
    .map(({ from, to, n }) => ({
      from,
      to,
      ...shareOf(n, leaving.get(from) ?? n, { from: String(from), to: String(to) }),
    }))
    .sort((a, b) => rank(a.from) - rank(b.from) || rank(a.to) - rank(b.to));
}

/** Parameters of the responses with a duration in a range, both ends included; null: no end. */
function durationRows(from: number, to: number | null): Rows {
  const end: Rows = to === null ? {} : { seconds_to: String(secondsOf(to)) };
  return { event: "completed", seconds_from: String(secondsOf(from)), ...end };
}

function durationsOf({ total, buckets, percentiles }: Durations): SurveyResults["durations"] {
  const found = percentiles.map(({ percent, low, high, count }) => ({
    percent,
    seconds: secondsOf((low + high) / 2),
    count,
    rows: durationRows(low, high),
  }));
  return {
    timed: { count: total, rows: durationRows(0, null) },
    median_seconds: found.find(({ percent }) => percent === 50)?.seconds ?? null,
    percentiles: found,
    buckets: buckets.map(({ from, to, count }) => ({
      from_seconds: secondsOf(from),
      to_seconds: to === null ? null : secondsOf(to),
      count,
      rows: durationRows(from, to === null ? null : to - 1),
    })),
  };
}

export type OwnTexts = ReadonlyMap<number, NonNullable<ChoiceFigures["other"]>["texts"]>;

export type PageParts = {
  survey_id: string;
  as_of: string;
  filtered: boolean;
  source: SurveyResults["source"];
  total: number;
  archived: number;
  first_day: string | null;
  last_day: string | null;
  iteration_starts: readonly string[];
};

/** Builds a results page from tables counted with the same filters. */
export function buildPage(
  parts: PageParts,
  questions: readonly TableQuestion[],
  tables: Tables,
  texts: OwnTexts,
): SurveyResults {
  const { iteration_starts, archived, ...known } = parts;
  const edges = edgesOf(tables);
  const reached = new Map<number, number>();
  for (const { to, count } of edges)
    if (typeof to === "number") reached.set(to, (reached.get(to) ?? 0) + count);
  return {
    ...known,
    matched: tables.events.answered,
    archived: { count: archived, rows: { archived: "only" } },
    definitions: [...DEFINITIONS],
    funnel: funnelOf(tables),
    rates: ratesOf(tables),
    over_time: overTimeOf(tables),
    iterations: [...tables.iterations]
      .filter(([iteration]) => iteration > 0)
      .sort(([a], [b]) => a - b)
      .map(([iteration, happened]) => ({
        iteration,
        start_date: iteration_starts[iteration - 1] ?? null,
        ...totalsWith(happened, { of_iteration: String(iteration) }),
      })),
    questions: questions.map((question, index) =>
      questionFigures(question, index, tables, reached.get(index) ?? 0, texts.get(index) ?? []),
    ),
    edges,
    durations: durationsOf(tables.durations),
  };
}
