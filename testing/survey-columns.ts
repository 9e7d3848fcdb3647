import {
  type DayEntry,
  type ResponseEntry,
  SurveyColumns,
} from "#lib/surveys/results/count/columns/columns.ts";

/** The first of February 2026, as columns number days. */
const FIRST_DAY = 20_485;

/** A state of a response; `day` counts from the first of February, `until` is the day of the next state. */
export type TestState = {
  /** Stands for the event's uuid. */
  n: number;
  person?: number;
  day?: number;
  second?: number;
  until?: number;
  iteration?: number;
  completed?: boolean;
  archived?: boolean;
  took?: number;
  codes: readonly string[];
  path?: readonly number[];
};

/** What a person did on a day. */
export type TestDay = { person: number; day?: number; iteration?: number } & Partial<
  Pick<DayEntry, "shown" | "dismissed" | "quit" | "abandoned" | "answering">
>;

const wordsOf = (n: number) => Uint32Array.of(0, 0, 0, n);

export const entryOf = (columns: SurveyColumns, state: TestState): ResponseEntry => ({
  uuid: wordsOf(state.n),
  person: columns.personOf(0, state.person ?? 1),
  day: FIRST_DAY - 1 + (state.day ?? 1),
  second: state.second ?? 0,
  until: state.until === undefined ? null : FIRST_DAY - 1 + state.until,
  iteration: state.iteration ?? 0,
  completed: state.completed ?? true,
  archived: state.archived ?? false,
  took: state.took ?? -1,
  codes: state.codes,
  path: (state.path ?? []).join(),
});

export const dayEntryOf = (columns: SurveyColumns, did: TestDay): DayEntry => ({
  shown: 0,
  dismissed: 0,
  quit: 0,
  abandoned: 0,
  answering: 0,
  iteration: 0,
  ...did,
  person: columns.personOf(0, did.person),
  day: FIRST_DAY - 1 + (did.day ?? 1),
});

/** Columns with some responses and people's days. */
export function columnsWith(states: readonly TestState[], days: readonly TestDay[] = []): SurveyColumns {
  const columns = new SurveyColumns();
  for (const state of states) columns.responses.put(entryOf(columns, state));
  for (const did of days) columns.days.append(dayEntryOf(columns, did));
  return columns;
}
