import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]>;

/** How long a place may take to be found: of a large text on a slow machine, more than the editor gives parsing. */
const PARSE_MS = 2_000;

const treeOf = (state: EditorState) =>
  ensureSyntaxTree(state, state.doc.length, PARSE_MS) ?? syntaxTree(state);

/** Keys and indexes from the top of a document to a place in it. */
export type JsonPath = readonly (string | number)[];

/** Something wrong in a JSON text. The first of `from`, `path` and `line` that is given places it. */
export type JsonProblem = {
  message: string;
  severity?: "error" | "warning" | "info";
  /** Offsets in the text. */
  from?: number;
  to?: number;
  /** As the API answers it; the nearest place that exists is marked. */
  path?: JsonPath;
  /** Counted from 1. */
  line?: number;
};

export type JsonSuggestion = { label: string; detail?: string; info?: string };

/**
 * What may be written at a place.
 *
 * @param path to the object or value that the cursor is in
 * @param kind a new key of the object at `path`, or the value at `path`
 */
export type JsonComplete = (path: JsonPath, kind: "key" | "value") => readonly JsonSuggestion[];

const VALUES = new Set(["Object", "Array", "String", "Number", "True", "False", "Null"]);

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child);
  return found;
}

function nameOf(state: EditorState, property: SyntaxNode): string | undefined {
  const name = property.getChild("PropertyName");
  if (!name) return undefined;
  try {
    return String(JSON.parse(state.sliceDoc(name.from, name.to)));
  } catch {
    return undefined;
  }
}

const jsonValue = (node: SyntaxNode): SyntaxNode | undefined =>
  children(node).find((child) => VALUES.has(child.name));

function step(state: EditorState, node: SyntaxNode, part: string | number): SyntaxNode | undefined {
  if (node.name === "Array") return children(node).filter((child) => VALUES.has(child.name))[Number(part)];
  const property = node.getChildren("Property").find((each) => nameOf(state, each) === String(part));
  return property && (jsonValue(property) ?? property);
}

/** The position of the value at a path; for a path that leads nowhere, the last place on it that exists. */
export function rangeOfPath(state: EditorState, path: JsonPath): { from: number; to: number } {
  let node = jsonValue(treeOf(state).topNode);
  for (const part of path) {
    const next = node && step(state, node, part);
    if (!next) break;
    node = next;
  }
  if (!node) return { from: 0, to: 0 };
  // Marks only the first line of an object: a whole object in red would not help.
  return { from: node.from, to: Math.min(node.to, state.doc.lineAt(node.from).to) };
}

/** The path of the place at an offset, and whether a key or a value is written there. */
export function pathAt(state: EditorState, offset: number): { path: JsonPath; kind: "key" | "value" } | null {
  const inner = treeOf(state).resolveInner(offset, -1);
  const naming = inner.name === "PropertyName";
  const path: (string | number)[] = [];
  // A key is written into the object around its property.
  let node: SyntaxNode | null | undefined = naming ? inner.parent?.parent : inner;
  const kind = naming || inner.name === "Object" || inner.name === "{" ? "key" : "value";
  for (; node; node = node.parent) {
    if (node.name === "Property") {
      const name = nameOf(state, node);
      if (name === undefined) return null;
      path.unshift(name);
    } else if (node.parent?.name === "Array" && VALUES.has(node.name)) {
      const { from } = node;
      path.unshift(children(node.parent).filter((each) => VALUES.has(each.name) && each.to <= from).length);
    }
  }
  return { path, kind };
}
