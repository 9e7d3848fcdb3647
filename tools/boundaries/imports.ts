import { dirname, join } from "node:path/posix";
import { parseSync } from "oxc-parser";

/** The project's files by path from its root. */
export type Files = ReadonlyMap<string, string>;

export type Import = { from: string; to: string; typesOnly: boolean };

const ALIAS = /^#(app|lib|components|tools|testing)\//;

/** What files request, by path: a copy of the project has most of its texts unchanged. */
const parsed = new Map<string, { text: string; requests: ReadonlyMap<string, boolean> }>();

/** What a file requests, and whether only types of it. */
function requestsOf(path: string, text: string): ReadonlyMap<string, boolean> {
  const known = parsed.get(path);
  if (known?.text === text) return known.requests;
  const { module } = parseSync(path, text);
  const requests = new Map<string, boolean>();
  const add = (request: string, typesOnly: boolean) =>
    requests.set(request, typesOnly && requests.get(request) !== false);
  for (const { moduleRequest, entries } of module.staticImports)
    add(moduleRequest.value, entries.length > 0 && entries.every(({ isType }) => isType));
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, isType } of entries) if (moduleRequest) add(moduleRequest.value, isType);
  for (const { moduleRequest } of module.dynamicImports)
    add(text.slice(moduleRequest.start + 1, moduleRequest.end - 1), false);
  parsed.set(path, { text, requests });
  return requests;
}

/** Every import of one file of the project by another, types included. */
export function importsIn(files: Files): Import[] {
  return [...files].flatMap(([from, text]) => {
    if (!/\.tsx?$/.test(from)) return [];
    return [...requestsOf(from, text)].flatMap(([request, typesOnly]) => {
      if (ALIAS.test(request)) return [{ from, to: request.slice(1), typesOnly }];
      return request.startsWith(".") ? [{ from, to: join(dirname(from), request), typesOnly }] : [];
    });
  });
}

/** Groups of nodes that lead to each other; single nodes are left out (Tarjan). */
export function circlesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const circles: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): number => {
    const own = index.size;
    index.set(node, own);
    let lowest = own;
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, index.get(next) ?? own);
    }
    low.set(node, lowest);
    if (lowest < own) return lowest;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) circles.push(circle);
    return lowest;
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return circles;
}
