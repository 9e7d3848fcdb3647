import type { EventFilter, EventRow } from "#lib/people/events/store.ts";

/** Some time of a project; milliseconds since 1970, `to` is exclusive. */
export type Period = { project_id: number; from: number; to: number };

/** What a day (UTC) has of an event. */
export type DayFigures = {
  day: string;
  event: string;
  count: number;
  /** How many different persons these are, as persons are now. */
  people: number;
  /** Everything that is stored of each event, summed up in a way that does not depend on their order. */
  hash: string;
};

/** Reads that go far back; both stores answer them alike. */
export type HistoryStore = {
  /** A page of events, newest first. */
  page(filter: EventFilter, limit: number): Promise<EventRow[]>;
  /** The figures of each day and event, sorted by them. */
  days(period: Period): Promise<DayFigures[]>;
};
