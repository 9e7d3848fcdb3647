import type { Db, Tx } from "#lib/platform/db/connect.ts";

/** Somebody who is erased or exported: by the numbers of the person and of persons merged into it, and by distinct ids. */
type Erased = {
  project_id: number;
  person_uuid: string;
  person_ids: readonly number[];
  distinct_ids: readonly string[];
};

/** A stored event that is being deleted. */
export type ErasedEvent = { uuid: string; event: string; at: number; properties: Record<string, unknown> };

/** How many rows went, by table. */
export type Removed = Record<string, number>;

/**
 * An experiment whose figures still contain something of an erased person, because events that it would have to be
 * computed from are deleted: some of its recorded days; or null: what the person did counts for groups.
 */
export type Unchanged = { experiment_id: number; recorded_days: number | null };

type Note = (unchanged: Unchanged) => void;

/** What a module above keeps of people, and how it goes; figures are then as if the person had never been there. */
export type EraseStep = {
  /** The rows that are kept of a person, by table, as an export shows them. */
  stored?(db: Db, of: Erased): Promise<Record<string, object[]>>;
  /** Subtracts events from what is counted of them, in the transaction that has deleted them. */
  events?(tx: Tx, projectId: number, events: readonly ErasedEvent[], note: Note): Promise<Removed>;
  /** Removes what is kept of the person, once all their events are deleted; or puts that in line, see `isDone`. */
  person?(tx: Tx, erased: Erased, note: Note): Promise<Removed>;
  /** Whether everything that `person` put in line is done. It is asked again until it is. */
  isDone?(tx: Tx, erased: Erased, note: Note): Promise<boolean>;
};
