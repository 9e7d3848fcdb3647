import {
  answerKeys,
  answerLabel,
  type QuestionDraft,
  ruleOf,
  type Target,
} from "#components/surveys/draft/draft.ts";
import type { PathReport, Problem } from "#lib/engines/branching/paths-types.ts";
import type { EdgeFigure, Flow, FlowFigures, FlowNode, Port, Severity } from "./types.ts";

/** The end of a survey among the nodes. */
export const END_NODE = "end";

type Drafts = readonly QuestionDraft[];

/** The node that a target means: an identity, the end, or null if it leads nowhere. */
function nodeOf(drafts: Drafts, place: number, target: Target): string | null {
  if (target.to === "end") return END_NODE;
  if (target.to === "question") return target.uid;
  const { value } = target.to === "other" ? target : { value: null };
  if (typeof value === "number" && Number.isInteger(value)) return value < 0 ? null : END_NODE;
  return drafts[place + 1]?.uid ?? END_NODE;
}

const plain = { severity: null, taken: false, figure: null, former: false } as const;

/** An output for each answer that rules distinguish, or one for all. */
function portsOf(drafts: Drafts, place: number): Port[] {
  const question = drafts[place];
  if (!question) return [];
  const keys = question.branching.type === "response_based" ? answerKeys(question) : [];
  const port = (id: string, label: string, answer: string | null): Port => {
    const target = ruleOf(question, answer);
    return { ...plain, id, label, to: nodeOf(drafts, place, target), ruled: target.to !== "next" };
  };
  if (keys.length === 0) return [port("all", "", null)];
  return keys.map((key) => port(key, answerLabel(question, key), key));
}

/** Merges outputs with the same target. */
function together(ports: readonly Port[]): Port[] {
  const byTarget = new Map<string | null, Port[]>();
  for (const port of ports) byTarget.set(port.to, [...(byTarget.get(port.to) ?? []), port]);
  return [...byTarget.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const label = byTarget.size === 1 ? "" : group.map((port) => port.label.split(",")[0]).join(", ");
    return [{ ...first, id: `to:${first.to}`, label, ruled: group.some((port) => port.ruled) }];
  });
}

const worst = (problems: readonly Problem[]): Severity | null =>
  problems.some((problem) => problem.severity === "error") ? "error" : problems.length > 0 ? "warning" : null;

const LOOPS = new Set(["loop", "endless_loop"]);

/** The severity of an edge: edges of a loop are part of its problem. */
function severityBetween(report: PathReport | null, from: number, to: number): Severity | null {
  const found = report?.problems.filter(
    (problem) =>
      LOOPS.has(problem.code) && problem.questions.includes(from) && problem.questions.includes(to),
  );
  return worst(found ?? []);
}

type Options = {
  report?: PathReport | null;
  /** Identities of questions in the order in which the preview saw them; "end" may close them. */
  taken?: readonly string[];
  figures?: FlowFigures | undefined;
  /** Answers that lead to the same place are one way. */
  merge?: boolean;
};

const FREE: EdgeFigure = { count: 0 };

/** Edges that people took but the rules no longer have. */
function formerPorts(drafts: Drafts, place: number, ports: readonly Port[], figures: FlowFigures): Port[] {
  const known = new Set(ports.map((port) => port.to));
  return Object.entries(figures.edges).flatMap(([key, figure]) => {
    const [from, to] = key.split(">");
    const target = to === END_NODE ? END_NODE : drafts[Number(to)]?.uid;
    if (Number(from) !== place || target === undefined || known.has(target)) return [];
    return [
      {
        ...plain,
        id: `was:${target}`,
        label: "by an earlier rule",
        to: target,
        ruled: true,
        figure,
        former: true,
      },
    ];
  });
}

/** The graph of a survey, with its problems and its traffic. */
export function flowOf(drafts: Drafts, options: Options = {}): Flow {
  const { report = null, taken = [], figures, merge = false } = options;
  const placeOf = (uid: string) => drafts.findIndex((question) => question.uid === uid);
  const ways = new Set(taken.slice(1).map((to, at) => `${taken[at]}>${to}`));
  const nodes = drafts.map((question, place): FlowNode => {
    const found = report?.problems.filter(
      (problem) => problem.question === place || problem.questions.includes(place),
    );
    const ports = portsOf(drafts, place).map((port) => ({
      ...port,
      severity: port.to === null ? "error" : severityBetween(report, place, placeOf(port.to)),
      taken: ways.has(`${question.uid}>${port.to}`),
    }));
    const shown = merge ? together(ports) : ports;
    const figured = shown.map((port) => {
      const to = port.to === END_NODE ? END_NODE : port.to === null ? "" : placeOf(port.to);
      return { ...port, figure: figures ? (figures.edges[`${place}>${to}`] ?? FREE) : null };
    });
    return {
      id: question.uid,
      place,
      title: String(question.raw.question ?? ""),
      type: question.raw.type,
      ports: figures ? [...figured, ...formerPorts(drafts, place, figured, figures)] : figured,
      severity: worst(found ?? []),
      unreachable: report !== null && !report.reachable.includes(place),
      figure: figures ? (figures.nodes[String(place)] ?? { count: 0 }) : null,
    };
  });
  return { nodes, end: figures?.nodes[END_NODE] ?? null, measured: figures !== undefined };
}
