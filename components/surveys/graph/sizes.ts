import type { FlowNode } from "./types.ts";

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
