import { NONE } from "#lib/surveys/results/ingest/answer-codes.ts";
import { Column, Keys, Words } from "./column.ts";

/** The loaded fields of a response state. Days are numbered from 1970-01-01, in UTC. */
export type ResponseEntry = {
  /** The event's uuid as four words. */
  uuid: Uint32Array;
  person: number;
  day: number;
  /** Second of the day. */
  second: number;
  /** The day of the next state; null for the last one. */
  until: number | null;
  iteration: number;
  completed: boolean;
  archived: boolean;
  /** Duration in tenths of a second; -1 if not timed. */
  took: number;
  codes: readonly string[];
  /** Indexes of questions, separated by commas. */
  path: string;
};

/** The events of a person on a day; `answering` counts every state of every response. */
export type DayEntry = {
  person: number;
  day: number;
  iteration: number;
  shown: number;
  dismissed: number;
  quit: number;
  abandoned: number;
  answering: number;
};

export const COMPLETED = 1;
/** Archived or deleted: not counted. */
export const ARCHIVED = 2;
export const LATEST = 4;

const DAY_FIGURES = ["shown", "dismissed", "quit", "abandoned", "answering"] as const;

/** A question's answers: the codes, and the number of the code for each response. */
export type CodeColumn = { codes: Words; column: Column };

/** The response states of a survey, one per row; rows are never removed. */
export class ResponseColumns {
  readonly uuids = new Keys(4);
  readonly person = new Column();
  readonly day = new Column();
  readonly second = new Column();
  readonly until = new Column();
  readonly iteration = new Column();
  readonly flags = new Column();
  /** Tenths of a second and one more; 0 if it is not timed. */
  readonly took = new Column();
  readonly paths = new Words();
  readonly path = new Column();
  readonly questions: CodeColumn[] = [];

  get length(): number {
    return this.uuids.length;
  }

  get bytes(): number {
    const { uuids, person, day, second, until, iteration, flags, took, paths, path } = this;
    return [
      ...[uuids, person, day, second, until, iteration, flags, took, paths, path],
      ...this.questions.flatMap(({ codes, column }) => [codes, column]),
    ].reduce((sum, part) => sum + part.bytes, 0);
  }

  /** The paths by number. */
  get pathList(): number[][] {
    return this.paths.list.map((text) => (text === "" ? [] : text.split(",").map(Number)));
  }

  /** Writes a state: a new row, or the one of the same event. @returns its row */
  put(entry: ResponseEntry): number {
    const row = this.uuids.add(entry.uuid);
    const { completed, archived, until } = entry;
    this.person.set(row, entry.person);
    this.day.set(row, entry.day);
    this.second.set(row, entry.second);
    this.until.set(row, until ?? 0);
    this.iteration.set(row, entry.iteration);
    this.took.set(row, entry.took + 1);
    this.flags.set(
      row,
      (completed ? COMPLETED : 0) | (archived ? ARCHIVED : 0) | (until === null ? LATEST : 0),
    );
    this.path.set(row, this.paths.add(entry.path));
    while (this.questions.length < entry.codes.length)
      this.questions.push({ codes: codeWords(), column: new Column() });
    for (const [i, { codes, column }] of this.questions.entries())
      column.set(row, codes.add(entry.codes[i] ?? NONE));
    return row;
  }

  /** Removes a state, if known. */
  remove(uuid: Uint32Array): void {
    const row = this.uuids.find(uuid);
    if (row >= 0) this.flags.set(row, ARCHIVED);
  }
}

/** Codes start with "no answer", the value of rows never set. */
function codeWords(): Words {
  const words = new Words();
  words.add(NONE);
  return words;
}

/** Events by person, day and iteration, one per row; each person's rows form a linked list. */
class DayColumns {
  readonly person = new Column();
  readonly day = new Column();
  readonly iteration = new Column();
  readonly figures = {
    shown: new Column(),
    dismissed: new Column(),
    quit: new Column(),
    abandoned: new Column(),
    answering: new Column(),
  };
  /** By person: the last row, plus one. By row: the person's previous row, plus one. */
  readonly #last = new Column();
  readonly #before = new Column();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    const { person, day, iteration, figures } = this;
    const parts = [person, day, iteration, this.#last, this.#before, ...Object.values(figures)];
    return parts.reduce((sum, part) => sum + part.bytes, 0);
  }

  *#rowsOf(person: number): Generator<number> {
    for (let next = this.#last.at(person); next > 0; next = this.#before.at(next - 1)) yield next - 1;
  }

  /** Adds a new day. */
  append(entry: DayEntry): void {
    const row = this.#length;
    this.#length += 1;
    this.person.set(row, entry.person);
    this.day.set(row, entry.day);
    this.iteration.set(row, entry.iteration);
    for (const name of DAY_FIGURES) this.figures[name].set(row, entry[name]);
    this.#before.set(row, this.#last.at(entry.person));
    this.#last.set(entry.person, row + 1);
  }

  /** Clears everything a person did. */
  clear(person: number): void {
    for (const row of this.#rowsOf(person)) for (const name of DAY_FIGURES) this.figures[name].set(row, 0);
  }

  /** Adds or updates a day. */
  put(entry: DayEntry): void {
    for (const row of this.#rowsOf(entry.person)) {
      if (this.day.at(row) !== entry.day || this.iteration.at(row) !== entry.iteration) continue;
      for (const name of DAY_FIGURES) this.figures[name].set(row, entry[name]);
      return;
    }
    this.append(entry);
  }
}

/** The data for filtered figures of a survey, as numbers in a few large arrays. */
export class SurveyColumns {
  /** Persons by their number in the database, as two words. */
  readonly people = new Keys(2);
  readonly responses = new ResponseColumns();
  readonly days = new DayColumns();
  readonly #pair = new Uint32Array(2);

  get bytes(): number {
    return this.people.bytes + this.responses.bytes + this.days.bytes;
  }

  #words(high: number, low: number): Uint32Array {
    this.#pair[0] = high;
    this.#pair[1] = low;
    return this.#pair;
  }

  /** The place of a person, by the two halves of the id. */
  personOf(high: number, low: number): number {
    return this.people.add(this.#words(high, low));
  }

  /** The same; -1 for a person without events. */
  findPerson(high: number, low: number): number {
    return this.people.find(this.#words(high, low));
  }

  /** The database id of the person at a place. */
  personId(place: number): number {
    return this.people.word(place, 0) * 2 ** 32 + this.people.word(place, 1);
  }
}
