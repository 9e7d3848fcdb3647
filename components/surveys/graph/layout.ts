import dagre from "@dagrejs/dagre";
import { END_NODE } from "./flow.ts";
import type { Flow, FlowNode } from "./types.ts";

export const NODE_WIDTH = 216;
const HEAD = 62;
const PORT = 26;
const FIGURES = 26;
export const END_SIZE = { width: 92, height: 40 };

export type Place = { x: number; y: number };

export const heightOf = (node: FlowNode): number => {
  const ports = node.ports.length === 1 && !node.ports[0]?.label ? 0 : node.ports.length;
  return HEAD + ports * PORT + (node.figure ? FIGURES : 0);
};

/** Where each node stands: from left to right, in the order in which questions follow one another. */
export function layoutOf(flow: Flow): Map<string, Place> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 28, ranksep: 72, marginx: 8, marginy: 8 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of flow.nodes) graph.setNode(node.id, { width: NODE_WIDTH, height: heightOf(node) });
  graph.setNode(END_NODE, { ...END_SIZE });
  const placeOf = new Map(flow.nodes.map((node) => [node.id, node.place]));
  for (const node of flow.nodes)
    for (const { to } of node.ports) {
      if (to === null || to === node.id) continue;
      // A way back would push its target behind its source: it has no say in the order.
      if ((placeOf.get(to) ?? Number.POSITIVE_INFINITY) > node.place) graph.setEdge(node.id, to);
    }
  dagre.layout(graph);
  const ids = [...flow.nodes.map((node) => node.id), END_NODE];
  return new Map(
    ids.map((id) => {
      const { x = 0, y = 0, width = 0, height = 0 } = graph.node(id) ?? {};
      return [id, { x: x - width / 2, y: y - height / 2 }];
    }),
  );
}
