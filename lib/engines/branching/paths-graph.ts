import type { Destination, Outcome, PlayStep } from "./paths-types.ts";

/** A survey as a graph: for each question, one outcome per destination. */
export type Graph = { size: number; ways: ReadonlyMap<Destination, Outcome>[] };

export function graphOf(outcomes: readonly Outcome[][]): Graph {
  const ways = outcomes.map((leads) => {
    const first = new Map<Destination, Outcome>();
    for (const outcome of leads) if (!first.has(outcome.to)) first.set(outcome.to, outcome);
    return first;
  });
  return { size: outcomes.length, ways };
}

/** The questions that a question leads to. */
const followers = ({ ways }: Graph, question: number): number[] =>
  [...(ways[question]?.keys() ?? [])].filter((to) => typeof to === "number");

const stepOf = ({ from, answer }: Outcome): PlayStep => ({
  question: from,
  answer,
  response: answer.response,
});

/** Shortest paths from one question to all others. */
export type Ways = { arrivals: Map<number, Outcome | null> };

/**
 * Breadth-first search from a question.
 *
 * @param within only these questions are entered; all unless given
 */
export function waysFrom(graph: Graph, start: number, within?: ReadonlySet<number>): Ways {
  const arrivals = new Map<number, Outcome | null>(start < graph.size ? [[start, null]] : []);
  for (const at of arrivals.keys()) {
    for (const [to, outcome] of graph.ways[at] ?? [])
      if (typeof to === "number" && !arrivals.has(to) && (!within || within.has(to)))
        arrivals.set(to, outcome);
  }
  return { arrivals };
}

/** The answers that lead to a question; null if none do. */
export function answersTo({ arrivals }: Ways, question: number): PlayStep[] | null {
  if (!arrivals.has(question)) return null;
  const steps: PlayStep[] = [];
  for (let by = arrivals.get(question); by; by = arrivals.get(by.from)) steps.push(stepOf(by));
  return steps.reverse();
}

/** Answers that lead from a question through its component back to itself. */
export function roundTrip(graph: Graph, start: number, component: readonly number[]): PlayStep[] {
  const ways = waysFrom(graph, start, new Set(component));
  for (const at of ways.arrivals.keys()) {
    const back = graph.ways[at]?.get(start);
    if (back) return [...(answersTo(ways, at) ?? []), stepOf(back)];
  }
  return [];
}

/** Questions from which the end is reachable, with the number of questions on the shortest path. */
export function distancesToEnd(graph: Graph): Map<number, number> {
  const sources = Array.from({ length: graph.size }, () => [] as number[]);
  const distances = new Map<number, number>();
  graph.ways.forEach((ways, from) => {
    if (ways.has("end")) distances.set(from, 1);
    for (const to of ways.keys()) if (typeof to === "number") sources[to]?.push(from);
  });
  for (const [at, distance] of distances)
    for (const from of sources[at] ?? []) if (!distances.has(from)) distances.set(from, distance + 1);
  return distances;
}

type Visit = { question: number; rest: number[]; low: number };

/**
 * Strongly connected components in Tarjan's order: each comes after all it leads to. Iterative, as a survey
 * may be long.
 *
 * @param start of the search; unreachable questions are omitted
 */
export function components(graph: Graph, start: number): number[][] {
  const order = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const found: number[][] = [];
  const visits: Visit[] = [];
  const enter = (question: number) => {
    visits.push({ question, rest: followers(graph, question), low: order.size });
    order.set(question, order.size);
    open.push(question);
    isOpen.add(question);
  };
  const leave = ({ question, low }: Visit) => {
    const parent = visits.at(-1);
    if (parent) parent.low = Math.min(parent.low, low);
    if (low !== order.get(question)) return;
    const members = open.splice(open.lastIndexOf(question));
    for (const member of members) isOpen.delete(member);
    found.push(members.sort((a, b) => a - b));
  };
  if (start < graph.size) enter(start);
  for (let visit = visits.at(-1); visit; visit = visits.at(-1)) {
    const next = visit.rest.pop();
    if (next === undefined) {
      visits.pop();
      leave(visit);
    } else if (!order.has(next)) enter(next);
    else if (isOpen.has(next)) visit.low = Math.min(visit.low, order.get(next) ?? 0);
  }
  return found;
}

/** Whether a component has a cycle. */
export const hasCycle = (graph: Graph, component: readonly number[]): boolean =>
  component.length > 1 || component.some((question) => followers(graph, question).includes(question));
