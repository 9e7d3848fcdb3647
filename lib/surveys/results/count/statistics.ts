/** The events that count for surveys. */
const SURVEY_EVENTS = ["survey shown", "survey dismissed", "survey sent"] as const;

export type SurveyEventName = (typeof SURVEY_EVENTS)[number];

/** The fields of an event that count. */
export type SurveyEvent = {
  uuid: string;
  event: string;
  survey_id?: string;
  /** Identifies the person. */
  person: string;
  /** ISO 8601 in UTC. */
  timestamp: string;
  /** Several "survey sent" with the same id are one response. */
  submission_id?: string | null;
  /** For "survey dismissed": whether some answers were sent before. */
  partially_completed?: boolean | null;
};

/** Counts of one kind of event. `*_only_seen` stand with "survey shown" alone and are 0 elsewhere. */
type EventFigures = {
  total_count: number;
  unique_persons: number;
  first_seen: string | null;
  last_seen: string | null;
  total_count_only_seen: number;
  unique_persons_only_seen: number;
};

/** Percent of views, two decimals; 0 without views. May exceed 100. */
type SurveyRates = {
  response_rate: number;
  dismissal_rate: number;
  unique_users_response_rate: number;
  unique_users_dismissal_rate: number;
};

export type SurveyFigures = { stats: Record<SurveyEventName, EventFigures>; rates: SurveyRates };

/** Events of one kind, counted; moments as milliseconds of the epoch. */
export type EventCounts = { total: number; persons: number; first: number | null; last: number | null };

const percent = (part: number, whole: number) => (whole > 0 ? Math.round((part / whole) * 10_000) / 100 : 0);

/** A moment in UTC, milliseconds only where there are any. */
const moment = (at: number | null) => (at === null ? null : new Date(at).toISOString().replace(".000Z", "Z"));

const figures = (counts: EventCounts, onlySeen = { total: 0, persons: 0 }): EventFigures => ({
  total_count: counts.total,
  unique_persons: counts.persons,
  first_seen: moment(counts.first),
  last_seen: moment(counts.last),
  total_count_only_seen: onlySeen.total,
  unique_persons_only_seen: onlySeen.persons,
});

/**
 * The public figures of a survey, from its counts.
 *
 * @param counts of shown events, of dismissals before any answer, and of responses (the latest event of each)
 * @param both persons with such a dismissal who also answered, and so do not count as dismissed
 */
export function figuresOf(counts: Record<SurveyEventName, EventCounts>, both: number): SurveyFigures {
  const shown = counts["survey shown"];
  const sent = counts["survey sent"];
  const dismissed = counts["survey dismissed"];
  const dismissedPersons = Math.max(0, dismissed.persons - both);
  const onlySeen = {
    total: Math.max(0, shown.total - dismissed.total - sent.total),
    persons: Math.max(0, shown.persons - dismissedPersons - sent.persons),
  };
  return {
    stats: {
      "survey shown": figures(shown, onlySeen),
      "survey dismissed": figures({ ...dismissed, persons: dismissedPersons }),
      "survey sent": figures(sent),
    },
    rates: {
      response_rate: percent(sent.total, shown.total),
      dismissal_rate: percent(dismissed.total, shown.total),
      unique_users_response_rate: percent(sent.persons, shown.persons),
      unique_users_dismissal_rate: percent(dismissedPersons, shown.persons),
    },
  };
}

/** Whether `a` is a later state of a response than `b`; of simultaneous ones, the greater uuid. */
const isLater = (a: SurveyEvent, b: SurveyEvent) => {
  const difference = Date.parse(a.timestamp) - Date.parse(b.timestamp);
  return difference > 0 || (difference === 0 && a.uuid > b.uuid);
};

/**
 * The event of each response: the latest with its submission id, or the event itself if it has none.
 */
export function latestResponses(sent: readonly SurveyEvent[]): SurveyEvent[] {
  const latest = new Map<string, SurveyEvent>();
  for (const event of sent) {
    const key = event.submission_id
      ? `submission ${event.survey_id ?? ""} ${event.submission_id}`
      : `event ${event.uuid}`;
    const known = latest.get(key);
    if (!known || isLater(event, known)) latest.set(key, event);
  }
  return [...latest.values()];
}

const persons = (events: readonly SurveyEvent[]) => new Set(events.map((event) => event.person));

function count(events: readonly SurveyEvent[]): EventCounts {
  const moments = events.map((event) => Date.parse(event.timestamp));
  const [first, last] = [
    moments.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    moments.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY),
  ];
  return {
    total: events.length,
    persons: persons(events).size,
    first: events.length > 0 ? first : null,
    last: events.length > 0 ? last : null,
  };
}

/** Inclusive bounds, ISO 8601; null for none. */
export type Window = { date_from: string | null; date_to: string | null };

/**
 * The public figures of surveys, from their events.
 *
 * @param archived uuids of excluded responses: of the latest state of each, never of an earlier one
 */
export function surveyFigures(
  events: readonly SurveyEvent[],
  window: Window,
  archived: ReadonlySet<string> = new Set(),
): SurveyFigures {
  const from = window.date_from === null ? Number.NEGATIVE_INFINITY : Date.parse(window.date_from);
  const to = window.date_to === null ? Number.POSITIVE_INFINITY : Date.parse(window.date_to);
  const within = events.filter((event) => {
    const at = Date.parse(event.timestamp);
    return at >= from && at <= to;
  });
  const of = (name: SurveyEventName) => within.filter((event) => event.event === name);
  const dismissed = of("survey dismissed").filter((event) => event.partially_completed !== true);
  const sent = latestResponses(of("survey sent")).filter((event) => !archived.has(event.uuid));
  const counts = {
    "survey shown": count(of("survey shown")),
    "survey dismissed": count(dismissed),
    "survey sent": count(sent),
  };
  // People who sent anything have answered, even if a later state of the response was archived.
  const answered = persons(of("survey sent").filter((event) => !archived.has(event.uuid)));
  const both = [...persons(dismissed)].filter((person) => answered.has(person)).length;
  return figuresOf(counts, both);
}
