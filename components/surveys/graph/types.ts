import type { Route } from "next";

/** Traffic through one question, or to the end. */
export type NodeFigure = {
  /** How many saw it. */
  count: number;
  /** Share of those who started, 0 to 1. */
  share?: number;
  /** How many gave up here. */
  left?: number;
  /** Opens the rows of `count`. */
  href?: Route;
  /** Opens the rows of `left`. */
  leftHref?: Route;
};

/** Traffic from one question to another, or to the end. */
export type EdgeFigure = {
  count: number;
  /** Of those who answered the question that it comes from, 0 to 1. */
  share?: number;
  /** Opens the rows of `count`. */
  href?: Route;
};

/** Real traffic, by place: nodes under "0", "1" … and "end", edges under "0>2", "0>end". */
export type FlowFigures = { nodes: Record<string, NodeFigure>; edges: Record<string, EdgeFigure> };

export type Severity = "error" | "warning";

/** One way out of a question: an answer, several that lead to the same place, or all of them. */
export type Port = {
  id: string;
  /** Empty if all answers go the same way. */
  label: string;
  /** Identity of a question, "end", or null if it leads nowhere. */
  to: string | null;
  /** Whether a rule says so; the others go on to the next question. */
  ruled: boolean;
  severity: Severity | null;
  /** Part of the way that the preview took. */
  taken: boolean;
  figure: EdgeFigure | null;
  /** A way that people took and the rules no longer have. */
  former: boolean;
};

export type FlowNode = {
  /** Identity of the question. */
  id: string;
  place: number;
  title: string;
  type: unknown;
  ports: Port[];
  severity: Severity | null;
  unreachable: boolean;
  figure: NodeFigure | null;
};

/** A survey as a graph, ready to be drawn or listed. */
export type Flow = { nodes: FlowNode[]; end: NodeFigure | null; measured: boolean };
