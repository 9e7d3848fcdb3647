import dagre from "@dagrejs/dagre";
import { END_NODE } from "./flow.ts";
import { END_SIZE, heightOf, NODE_WIDTH, type Place } from "./sizes.ts";
import type { Flow } from "./types.ts";

/** Positions of nodes, the bends of edges around questions, and how low edges that lead back run. */
export type Layout = {
  places: Map<string, Place>;
  bends: Map<string, Place[]>;
  floors: Map<string, number>;
  height: number;
};

type Box = { x?: number; y?: number; width?: number; height?: number };
type Graph = ReturnType<typeof emptyGraph>;

const emptyGraph = () => new dagre.graphlib.Graph<object, Box, { points?: Place[] }>();

function graphOf(flow: Flow): Graph {
  const graph = emptyGraph();
  graph.setGraph({ rankdir: "LR", nodesep: 28, ranksep: flow.measured ? 132 : 76, marginx: 8, marginy: 8 });
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
  return graph;
}

/** Whether most pairs in a column are in reverse order, so that mirroring is better. */
function isUpsideDown(graph: Graph, ids: readonly string[]): boolean {
  const boxes = ids.map((id) => graph.node(id));
  let [right, wrong] = [0, 0];
  boxes.forEach((one, at) => {
    for (const other of boxes.slice(at + 1)) {
      if (Math.round(one.x ?? 0) !== Math.round(other.x ?? 0)) continue;
      if ((one.y ?? 0) < (other.y ?? 0)) right++;
      else wrong++;
    }
  });
  return wrong > right;
}

const BELOW = 24;
/** Ways back that run side by side. */
const APART = 12;

/** How low each edge that leads back runs: below all boxes between its ends. */
function floorsOf(flow: Flow, places: ReadonlyMap<string, Place>): Layout["floors"] {
  const boxes = flow.nodes.flatMap((node) => {
    const place = places.get(node.id);
    return place ? [{ ...place, id: node.id, low: place.y + heightOf(node) }] : [];
  });
  const floors: Layout["floors"] = new Map();
  for (const source of boxes)
    for (const { to } of flow.nodes.find(({ id }) => id === source.id)?.ports ?? []) {
      const target = boxes.find(({ id }) => id === to);
      if (!target || target.x > source.x) continue;
      const between = boxes.filter(({ x }) => x >= target.x && x <= source.x);
      const low = Math.max(...between.map((box) => box.low));
      floors.set(`${source.id}>${target.id}`, low + BELOW + floors.size * APART);
    }
  return floors;
}

/** From left to right, in the order in which questions follow one another. */
export function layoutOf(flow: Flow): Layout {
  const graph = graphOf(flow);
  const ids = [...flow.nodes.map((node) => node.id), END_NODE];
  const { height = 0 } = graph.graph() as { height?: number };
  const mirrored = isUpsideDown(graph, ids);
  const turned = (y: number) => (mirrored ? height - y : y);
  const places = ids.map((id): [string, Place] => {
    const { x = 0, y = 0, width = 0, height: own = 0 } = graph.node(id);
    return [id, { x: x - width / 2, y: turned(y) - own / 2 }];
  });
  const bends = graph.edges().map(({ v, w }): [string, Place[]] => {
    const points: Place[] = graph.edge(v, w)?.points ?? [];
    // Neighbours need no bend between them; further ones go around what is there.
    const inner = points.length > 3 ? points.slice(1, -1) : [];
    return [`${v}>${w}`, inner.map(({ x, y }) => ({ x, y: turned(y) }))];
  });
  const placed = new Map(places);
  return { places: placed, bends: new Map(bends), floors: floorsOf(flow, placed), height };
}
