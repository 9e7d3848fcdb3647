import { isWordUnit, type Node, type Pattern, parsePattern } from "./regex_syntax.ts";

/**
 * Look-around and backreferences have no linear-time form. Patterns with them are searched by trying,
 * on a budget: the search gives up, deterministically, before it can hold anyone up.
 */

/** Steps a search may take: well under a millisecond's worth. */
export const LARGEST_EFFORT = 20_000;

// Each level is a few nested calls.
const DEEPEST = 1_000;

/** Carries on after a node has matched up to a place. */
type Next = (at: number) => boolean;

class GaveUp extends Error {}

/**
 * Compiles a pattern for a search by trying.
 * @returns a search that answers null when the effort ran out
 * @throws SyntaxError when the pattern cannot be read
 */
export function compileBacktracking(source: string): (text: string) => boolean | null {
  const pattern = parsePattern(source);
  return (text) => {
    const search = new Search(pattern, text);
    try {
      for (let at = 0; at <= text.length; at++) if (search.from(at)) return true;
      return false;
    } catch (error) {
      if (error instanceof GaveUp) return null;
      throw error;
    }
  };
}

class Search {
  readonly #pattern: Pattern;
  readonly #text: string;
  readonly #starts: number[];
  readonly #ends: number[];
  #effort = 0;
  #depth = 0;

  constructor(pattern: Pattern, text: string) {
    this.#pattern = pattern;
    this.#text = text;
    this.#starts = new Array<number>(pattern.groups + 1).fill(-1);
    this.#ends = new Array<number>(pattern.groups + 1).fill(-1);
  }

  from(at: number): boolean {
    return this.#match(this.#pattern.root, at, () => true);
  }

  #match(node: Node, at: number, next: Next): boolean {
    this.#effort += 1;
    if (this.#effort > LARGEST_EFFORT || this.#depth > DEEPEST) throw new GaveUp();
    this.#depth += 1;
    const matched = this.#try(node, at, next);
    this.#depth -= 1;
    return matched;
  }

  #try(node: Node, at: number, next: Next): boolean {
    switch (node.kind) {
      case "unit":
        return at < this.#text.length && node.test(this.#text.charCodeAt(at)) && next(at + 1);
      case "edge":
        return this.#isEdge(node.edge, at) && next(at);
      case "sequence":
        return this.#sequence(node.nodes, 0, at, next);
      case "choice":
        return node.nodes.some((option) => this.#match(option, at, next));
      case "repeat":
        return node.node.kind === "unit"
          ? this.#repeatUnit(node, node.node.test, at, next)
          : this.#repeat(node, 0, at, next);
      case "group":
        return this.#group(node.node, node.index, at, next);
      case "reference":
        return this.#reference(node.group, at, next);
      case "look":
        return this.#look(node, at) !== node.negative && next(at);
    }
  }

  #sequence(nodes: readonly Node[], place: number, at: number, next: Next): boolean {
    const node = nodes[place];
    return node ? this.#match(node, at, (end) => this.#sequence(nodes, place + 1, end, next)) : next(at);
  }

  /** Single units are counted in a loop, so that `.*` takes no depth. */
  #repeatUnit(
    { least, most, lazy }: Extract<Node, { kind: "repeat" }>,
    test: (unit: number) => boolean,
    at: number,
    next: Next,
  ): boolean {
    let longest = 0;
    while (longest < most && at + longest < this.#text.length && test(this.#text.charCodeAt(at + longest)))
      longest++;
    this.#effort += longest;
    for (let tried = 0; tried <= longest - least; tried++) {
      this.#effort += 1;
      if (this.#effort > LARGEST_EFFORT) throw new GaveUp();
      if (next(at + (lazy ? least + tried : longest - tried))) return true;
    }
    return false;
  }

  #repeat(node: Extract<Node, { kind: "repeat" }>, count: number, at: number, next: Next): boolean {
    const again = () =>
      count < node.most &&
      this.#match(node.node, at, (end) => {
        // An empty round past the required ones would go on for ever.
        if (end === at && count >= node.least) return false;
        return this.#repeat(node, count + 1, end, next);
      });
    if (count < node.least) return again();
    return node.lazy ? next(at) || again() : again() || next(at);
  }

  #group(node: Node, index: number, at: number, next: Next): boolean {
    const [start, end] = [this.#starts[index] as number, this.#ends[index] as number];
    const matched = this.#match(node, at, (to) => {
      const [innerStart, innerEnd] = [this.#starts[index] as number, this.#ends[index] as number];
      this.#starts[index] = at;
      this.#ends[index] = to;
      if (next(to)) return true;
      this.#starts[index] = innerStart;
      this.#ends[index] = innerEnd;
      return false;
    });
    if (!matched) {
      this.#starts[index] = start;
      this.#ends[index] = end;
    }
    return matched;
  }

  /** A group that has not matched yet refers to nothing, which is found everywhere. */
  #reference(group: number | string, at: number, next: Next): boolean {
    const index = typeof group === "string" ? (this.#pattern.names.get(group) ?? 0) : group;
    const [start, end] = [this.#starts[index] ?? -1, this.#ends[index] ?? -1];
    const part = start === -1 ? "" : this.#text.slice(start, end);
    return this.#text.startsWith(part, at) && next(at + part.length);
  }

  #look(node: Extract<Node, { kind: "look" }>, at: number): boolean {
    if (!node.behind) return this.#match(node.node, at, () => true);
    for (let start = at; start >= 0; start--) {
      if (this.#match(node.node, start, (end) => end === at)) return true;
    }
    return false;
  }

  #isEdge(edge: Extract<Node, { kind: "edge" }>["edge"], at: number): boolean {
    if (edge === "start") return at === 0;
    if (edge === "end") return at === this.#text.length;
    const before = at > 0 && isWordUnit(this.#text.charCodeAt(at - 1));
    const after = at < this.#text.length && isWordUnit(this.#text.charCodeAt(at));
    return (before !== after) === (edge === "word");
  }
}
