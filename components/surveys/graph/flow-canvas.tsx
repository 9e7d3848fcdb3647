"use client";

import "@xyflow/react/dist/base.css";
import {
  Background,
  Controls,
  type Edge,
  MarkerType,
  type Node,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from "@xyflow/react";
import { useEffect, useMemo } from "react";
import { EndBox, QuestionBox } from "./boxes.tsx";
import { END_NODE } from "./flow.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { PathEdge } from "./path-edge.tsx";
import { heightOf, NODE_WIDTH } from "./sizes.ts";
import type { Flow, FlowNode, Port } from "./types.ts";

export type CanvasProps = {
  flow: Flow;
  /** Names the picture. */
  label: string;
  selected?: string | null | undefined;
  onSelect?: ((id: string) => void) | undefined;
  /** Changes the target of an answer; absent if read-only. */
  onLead?: ((from: string, port: string, to: string) => void) | undefined;
};

/** The box under the pointer: a dot need not be met. */
function boxAt(event: MouseEvent | TouchEvent): string | null {
  const at = "changedTouches" in event ? event.changedTouches[0] : event;
  const boxes = at ? document.elementsFromPoint(at.clientX, at.clientY) : [];
  return boxes.flatMap((each) => each.closest<HTMLElement>(".react-flow__node")?.dataset.id ?? [])[0] ?? null;
}

/** Never too small to read: drag to see the rest. */
const FIT = { padding: 0.08, maxZoom: 1, minZoom: 0.55 };
/** Where not everything fits, the first question is this far from the edge. */
const EDGE_PX = 16;
/** Ways back run below the boxes. */
const FIT_WITH_WAYS_BACK = { ...FIT, padding: { x: 0.08, top: 0.08, bottom: "64px" as const } };

const nodeTypes = { question: QuestionBox, end: EndBox };
const edgeTypes = { way: PathEdge };

function colourOf(port: Port): string {
  if (port.severity === "error") return "var(--danger)";
  if (port.severity === "warning") return "var(--warning)";
  if (port.taken || port.figure?.count) return "var(--accent)";
  return port.ruled ? "var(--muted)" : "var(--line-control)";
}

/** Width by traffic. */
const widthOf = ({ figure, taken }: Port): number =>
  figure ? 1 + 5 * Math.min(1, figure.share ?? 0) : taken ? 2.5 : 1.5;

/** "Question 2, Detractors: leads to the end". */
function wayInWords(node: FlowNode, { label, to }: Port, placeOf: (id: string) => number): string {
  const target = to === END_NODE ? "the end" : `question ${placeOf(to ?? "") + 1}`;
  return `Question ${node.place + 1}, ${label || "every answer"}: leads to ${target}`;
}

type Drawing = { layout: Layout; editable: boolean; placeOf: (id: string) => number };

function edgesOf(node: FlowNode, { layout, editable, placeOf }: Drawing): Edge[] {
  return node.ports.flatMap((port) => {
    if (port.to === null) return [];
    const stroke = colourOf(port);
    const empty = port.figure?.count === 0;
    return [
      {
        id: `${node.id}/${port.id}`,
        source: node.id,
        sourceHandle: port.id,
        target: port.to,
        type: "way",
        ariaLabel: wayInWords(node, port, placeOf),
        reconnectable: editable ? ("target" as const) : false,
        data: {
          port,
          bends: layout.bends.get(`${node.id}>${port.to}`) ?? [],
          floor: layout.floors.get(`${node.id}>${port.to}`) ?? null,
        },
        markerEnd: {
          type: MarkerType.ArrowClosed,
          color: stroke,
          width: 18,
          height: 18,
          // The same size on thick edges as on others.
          markerUnits: "userSpaceOnUse",
        },
        style: {
          stroke,
          strokeWidth: widthOf(port),
          ...((port.former || empty || (!port.ruled && !port.figure)) && {
            strokeDasharray: port.former ? "2 4" : "6 4",
          }),
          ...(empty && { opacity: 0.6 }),
        },
      },
    ];
  });
}

function Canvas({ flow, label, selected, onSelect, onLead }: CanvasProps) {
  const editable = onLead !== undefined;
  const { fitView, getViewport, setViewport } = useReactFlow();
  const layout = useMemo(() => layoutOf(flow), [flow]);
  const nodes = useMemo<Node[]>(() => {
    const at = (id: string) => layout.places.get(id) ?? { x: 0, y: 0 };
    return [
      ...flow.nodes.map((node) => ({
        id: node.id,
        type: "question",
        position: at(node.id),
        width: NODE_WIDTH,
        height: heightOf(node),
        // The library takes the pointer from nodes that it need not move; ours hold buttons and links.
        style: { pointerEvents: "all" as const },
        data: { node, editable, current: node.id === selected, onSelect },
      })),
      {
        id: END_NODE,
        type: "end",
        position: at(END_NODE),
        style: { pointerEvents: "all" as const },
        data: { figure: flow.end },
      },
    ];
  }, [flow, layout, editable, selected, onSelect]);
  const edges = useMemo(() => {
    const placeOf = (id: string) => flow.nodes.findIndex((node) => node.id === id);
    return flow.nodes.flatMap((node) => edgesOf(node, { layout, editable, placeOf }));
  }, [flow, layout, editable]);
  const fit = layout.floors.size > 0 ? FIT_WITH_WAYS_BACK : FIT;
  const shape = [...layout.places].map(([id, { x, y }]) => `${id} ${x} ${y}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view follows when anything stands elsewhere
  useEffect(() => {
    const showBeginning = () => {
      const { x, y, zoom } = getViewport();
      const first = layout.places.get(flow.nodes[0]?.id ?? "") ?? { x: 0, y: 0 };
      const [left, top] = [x + first.x * zoom, y + first.y * zoom];
      if (left < 0 || top < 0)
        void setViewport({ x: x + Math.max(0, EDGE_PX - left), y: y + Math.max(0, EDGE_PX - top), zoom });
    };
    const frame = requestAnimationFrame(() => void fitView(fit).then(showBeginning));
    return () => cancelAnimationFrame(frame);
  }, [shape, fitView]);
  const lead = (from: string | null, port: string | null | undefined, to: string | null) => {
    if (from && port && to) onLead?.(from, port, to);
  };
  return (
    <ReactFlow
      aria-label={label}
      className="[&_a[href*='reactflow.dev']]:text-faint!"
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      nodesDraggable={false}
      nodesFocusable={false}
      edgesFocusable={false}
      nodesConnectable={editable}
      elementsSelectable={false}
      edgesReconnectable={editable}
      reconnectRadius={14}
      connectionRadius={40}
      onConnect={({ source, sourceHandle, target }) => lead(source, sourceHandle, target)}
      onReconnect={(edge, { target }) => lead(edge.source, edge.sourceHandle, target)}
      onConnectEnd={(event, { fromNode, fromHandle, isValid }) => {
        if (!isValid) lead(fromNode?.id ?? null, fromHandle?.id, boxAt(event));
      }}
      onReconnectEnd={(event, edge, _, { isValid }) => {
        if (!isValid) lead(edge.source, edge.sourceHandle, boxAt(event));
      }}
      fitView
      fitViewOptions={fit}
      minZoom={0.2}
      maxZoom={1.5}
      preventScrolling={false}
      zoomOnScroll={false}
      panOnScroll={false}
    >
      <Background color="var(--line-strong)" gap={18} size={1} />
      <Controls
        showInteractive={false}
        aria-label="View"
        className="overflow-hidden rounded-md border bg-raised shadow-xs [&_button:not(:last-child)]:border-b [&_button]:size-7 [&_button]:p-1.5 [&_button]:hover:bg-hover [&_svg]:fill-current"
      />
    </ReactFlow>
  );
}

/** A survey drawn as a graph; edges can be dragged to another question unless read-only. */
export function FlowCanvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Canvas {...props} />
    </ReactFlowProvider>
  );
}
