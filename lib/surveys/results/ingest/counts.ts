import { edgesOf, NONE, type Step, slotsOf, waitingAt } from "./answer-codes.ts";

const EVENTS = ["shown", "dismissed", "quit", "abandoned", "answered", "completed"] as const;
export type EventName = (typeof EVENTS)[number];

const SETS = ["shown", "dismissed", "quit", "answering", "answered", "completed", "closed"] as const;
export type PeopleSet = (typeof SETS)[number];

/** What is counted of a survey, whether while events arrive or when figures are filtered. */
export type Counted =
  | { kind: EventName | "irregular" | "archived" }
  | { kind: "iteration"; iteration: number; event: EventName }
  | { kind: "people"; set: PeopleSet }
  | { kind: "given" | "waiting"; question: number }
  | { kind: "code"; question: number; slot: string }
  | ({ kind: "edge" } & Step);

/** What happened as the survey ended for somebody, completed or not. */
export const eventsOfResponse = (completed: boolean): EventName[] =>
  completed ? ["answered", "completed"] : ["answered"];

/** An event, by itself and in its iteration; 0: it names none. */
export const countsOfEvent = (event: EventName, iteration: number): Counted[] =>
  iteration > 0 ? [{ kind: event }, { kind: "iteration", iteration, event }] : [{ kind: event }];

/** An answer, by its code. */
export const countsOfAnswer = (question: number, code: string): Counted[] =>
  code === NONE
    ? []
    : [
        { kind: "given", question },
        ...slotsOf(code).map((slot): Counted => ({ kind: "code", question, slot })),
      ];

/** The steps of a response. */
export const countsOfPath = (path: readonly number[], completed: boolean): Counted[] =>
  edgesOf(path, completed).map((edge) => ({ kind: "edge", ...edge }));

/** A state of a response, without its duration and its person. */
export function countsOfState(state: {
  iteration: number;
  completed: boolean;
  codes: readonly string[];
  path: readonly number[];
}): Counted[] {
  const waiting = waitingAt(state);
  return [
    ...eventsOfResponse(state.completed).flatMap((event) => countsOfEvent(event, state.iteration)),
    ...state.codes.flatMap((code, question) => countsOfAnswer(question, code)),
    ...(waiting === null ? [] : [{ kind: "waiting", question: waiting } as const]),
    ...countsOfPath(state.path, state.completed),
  ];
}

/** How a count is stored: as a kind with an item, which is empty where the kind says all. */
export function storedAs(counted: Counted): [kind: string, item: string] {
  const { kind } = counted;
  if (kind === "iteration") return [kind, `${counted.iteration}:${counted.event}`];
  if (kind === "people") return [kind, counted.set];
  if (kind === "given" || kind === "waiting") return [kind, String(counted.question)];
  if (kind === "code") return [kind, `${counted.question}:${counted.slot}`];
  if (kind === "edge") return [kind, `${counted.from}>${counted.to}`];
  return [kind, ""];
}

const isEvent = (name: string): name is EventName => EVENTS.some((known) => known === name);
const isSet = (name: string): name is PeopleSet => SETS.some((known) => known === name);

/** The reverse of `storedAs`; null for a kind that is none of ours. */
export function readStored(kind: string, item: string): Counted | null {
  if (isEvent(kind) || kind === "irregular" || kind === "archived") return { kind };
  if (kind === "people") return isSet(item) ? { kind, set: item } : null;
  if (kind === "given" || kind === "waiting") return { kind, question: Number(item) };
  const [first = "", second = ""] = item.split(kind === "edge" ? ">" : ":");
  if (kind === "iteration") return isEvent(second) ? { kind, iteration: Number(first), event: second } : null;
  if (kind === "code") return { kind, question: Number(first), slot: second };
  if (kind !== "edge") return null;
  const from = first === "start" ? first : Number(first);
  return { kind, from, to: second === "end" || second === "left" ? second : Number(second) };
}
