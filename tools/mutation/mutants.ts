import { parseSync } from "oxc-parser";

/** One small change to a source file that a test should notice. */
export type Mutant = {
  /** Unique within the file, from 1 upwards in the order of the text. */
  id: number;
  line: number;
  column: number;
  /** The first line that the change touches, without its indentation. */
  context: string;
  /** The expression or statement before and after. */
  original: string;
  replacement: string;
};

export type Instrumented = {
  /** The source with every mutant in it, each behind a switch. */
  code: string;
  mutants: Mutant[];
};

type Node = { type: string; start: number; end: number } & Record<string, unknown>;
type Change = { from: number; to: number; text: string };
type Site = { start: number; end: number; isStatement: boolean; changes: Change[] };

const SWAPPED_METHODS: Readonly<Record<string, string>> = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  toLowerCase: "toUpperCase",
  toUpperCase: "toLowerCase",
  min: "max",
  max: "min",
  floor: "ceil",
  ceil: "floor",
  round: "floor",
};
/** Methods whose result has the receiver's type, so that the receiver can take its place. */
const DROPPED_METHODS: ReadonlySet<string> = new Set([
  "filter",
  "slice",
  "trim",
  "sort",
  "reverse",
  "toSorted",
  "toReversed",
]);
const BOUNDARY: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const NEGATED: Readonly<Record<string, string>> = {
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
  "===": "!==",
  "!==": "===",
  "==": "!=",
  "!=": "==",
};
const ARITHMETIC: Readonly<Record<string, string>> = {
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "**": "*",
};
const ASSIGNMENTS: Readonly<Record<string, string>> = {
  "+=": "-=",
  "-=": "+=",
  "*=": "/=",
  "/=": "*=",
  "??=": "=",
};
/** Calls whose arguments are documentation or log lines. */
const PROSE_CALLS: ReadonlySet<string> = new Set(["meta", "describe"]);
const TYPE_WRAPPERS: ReadonlySet<string> = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSInstantiationExpression",
]);
const TESTED: ReadonlySet<string> = new Set([
  "IfStatement",
  "ConditionalExpression",
  "WhileStatement",
  "DoWhileStatement",
  "ForStatement",
]);
const LOOPS: ReadonlySet<string> = new Set(["WhileStatement", "DoWhileStatement", "ForStatement"]);

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

/** Gathers the places of a file that can be changed. */
class Gatherer {
  readonly #source: string;
  readonly #sites = new Map<string, Site>();

  constructor(source: string) {
    this.#source = source;
  }

  get sites(): Site[] {
    return [...this.#sites.values()].sort((a, b) => a.start - b.start || b.end - a.end);
  }

  /** Replaces `from` to `to` inside of `node`, which becomes the switched expression or statement. */
  #change(node: Node, from: number, to: number, text: string, isStatement = false): void {
    const key = `${node.start}:${node.end}:${isStatement}`;
    const site = this.#sites.get(key) ?? { start: node.start, end: node.end, isStatement, changes: [] };
    if (this.#source.slice(from, to) === text) return;
    if (site.changes.some((known) => known.from === from && known.to === to && known.text === text)) return;
    site.changes.push({ from, to, text });
    this.#sites.set(key, site);
  }

  #replace(node: Node, text: string): void {
    this.#change(node, node.start, node.end, text);
  }

  #text(node: Node): string {
    return this.#source.slice(node.start, node.end);
  }

  /** Swaps the operator between two operands. */
  #swapOperator(node: Node, left: Node, right: Node, operator: string, other: string | undefined): void {
    if (other === undefined) return;
    const at = this.#source.indexOf(operator, left.end);
    if (at !== -1 && at < right.start) this.#change(node, at, at + operator.length, other);
  }

  visit(node: Node, parent: Node | null, inTest = false, chain: Node | null = null): void {
    if (node.type.startsWith("TS") && !TYPE_WRAPPERS.has(node.type)) return;
    if (node.type === "ImportDeclaration" || node.type === "ExportAllDeclaration") return;
    const spine = chain ?? node;
    switch (node.type) {
      case "ExpressionStatement":
        this.#statement(node);
        break;
      case "LogicalExpression":
        this.#logical(node);
        break;
      case "BinaryExpression":
        this.#binary(node, inTest);
        break;
      case "UnaryExpression":
        this.#unary(node, inTest);
        break;
      case "UpdateExpression":
        this.#replace(
          node,
          this.#text(node).replace(/\+\+|--/, (sign) => (sign === "++" ? "--" : "++")),
        );
        break;
      case "AssignmentExpression":
        this.#swapOperator(
          node,
          node.left as Node,
          node.right as Node,
          node.operator as string,
          ASSIGNMENTS[node.operator as string],
        );
        break;
      case "Literal":
        this.#literal(node, parent);
        break;
      case "TemplateLiteral":
        if (parent?.type !== "TaggedTemplateExpression") this.#template(node);
        break;
      case "ArrayExpression":
        if ((node.elements as unknown[]).length > 0) this.#replace(node, "[]");
        break;
      case "ObjectExpression":
        if ((node.properties as unknown[]).length > 0) this.#replace(node, "{}");
        break;
      case "CallExpression":
        this.#call(node, spine);
        break;
      case "TaggedTemplateExpression":
        this.#taggedTemplate(node);
        break;
    }
    if (node.optional === true) this.#optional(node, spine);
    if (TESTED.has(node.type)) this.#test(node);
    this.#children(node, inTest, chain);
  }

  #children(node: Node, inTest: boolean, chain: Node | null): void {
    for (const [name, value] of Object.entries(node)) {
      if (this.#isSkipped(node, name)) continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (!isNode(child)) continue;
        const staysInTest =
          (TESTED.has(node.type) && name === "test") ||
          (inTest &&
            (node.type === "LogicalExpression" ||
              (node.type === "UnaryExpression" && node.operator === "!")));
        this.visit(child, node, staysInTest, this.#chainOf(node, name, child, chain));
      }
    }
  }

  /** Within `a?.b.c()` only the whole can be put behind a switch, as its parts are left out together. */
  #chainOf(node: Node, name: string, child: Node, chain: Node | null): Node | null {
    if (node.type === "ChainExpression") return node;
    const isSpine = name === "object" || name === "callee";
    if (chain && isSpine && (child.type === "MemberExpression" || child.type === "CallExpression"))
      return chain;
    if (chain && name === "expression" && child.type !== "Identifier") return chain;
    return null;
  }

  #isSkipped(node: Node, name: string): boolean {
    if (name === "typeAnnotation" || name === "typeParameters" || name === "typeArguments") return true;
    if (name === "returnType" || name === "superTypeArguments" || name === "implements") return true;
    if (name === "source" || name === "specifiers" || name === "attributes" || name === "quasis") return true;
    if (name === "key" || name === "property") return node.computed !== true;
    if (name === "left" && node.type === "AssignmentExpression") return true;
    if (name === "argument" && (node.type === "UpdateExpression" || node.operator === "delete")) return true;
    if (name === "arguments") return this.#isProse(node);
    return false;
  }

  #isProse(call: Node): boolean {
    const callee = call.callee as Node | undefined;
    if (callee?.type !== "MemberExpression") return false;
    const { object, property } = callee as unknown as { object: Node; property: Node };
    return PROSE_CALLS.has(property.name as string) || object.name === "console";
  }

  #statement(node: Node): void {
    if (node.directive !== undefined && node.directive !== null) return;
    let inner = node.expression as Node;
    if (inner.type === "AwaitExpression") inner = inner.argument as Node;
    const isEffect =
      inner.type === "CallExpression" ||
      inner.type === "AssignmentExpression" ||
      inner.type === "ChainExpression";
    if (!isEffect || (inner.callee as Node | undefined)?.type === "Super" || this.#isLog(inner)) return;
    this.#change(node, node.start, node.end, ";", true);
  }

  #isLog(call: Node): boolean {
    const callee = call.callee as Node | undefined;
    return callee?.type === "MemberExpression" && (callee.object as Node).name === "console";
  }

  #test(node: Node): void {
    const test = node.test as Node | null;
    if (!test) return;
    const operator = test.type === "LogicalExpression" ? test.operator : null;
    // Leaving out one operand says more than the constant that it amounts to.
    if (operator !== "&&" && !LOOPS.has(node.type)) this.#replace(test, "true");
    if (operator !== "||") this.#replace(test, "false");
  }

  #logical(node: Node): void {
    this.#replace(node, this.#text(node.left as Node));
    this.#replace(node, this.#text(node.right as Node));
  }

  #binary(node: Node, inTest: boolean): void {
    const [left, right] = [node.left as Node, node.right as Node];
    const operator = node.operator as string;
    if (operator in BOUNDARY) this.#swapOperator(node, left, right, operator, BOUNDARY[operator]);
    if (!inTest) this.#swapOperator(node, left, right, operator, NEGATED[operator]);
    if (operator === "+" && (this.#isText(left) || this.#isText(right))) return;
    this.#swapOperator(node, left, right, operator, ARITHMETIC[operator]);
  }

  #isText(node: Node): boolean {
    if (node.type === "TemplateLiteral") return true;
    if (node.type === "Literal") return typeof node.value === "string";
    return (
      node.type === "BinaryExpression" &&
      node.operator === "+" &&
      (this.#isText(node.left as Node) || this.#isText(node.right as Node))
    );
  }

  #unary(node: Node, inTest: boolean): void {
    const argument = node.argument as Node;
    if (node.operator === "-" || (node.operator === "!" && !inTest))
      this.#replace(node, this.#text(argument));
  }

  #literal(node: Node, parent: Node | null): void {
    if (typeof node.value === "boolean") this.#replace(node, String(!node.value));
    if (typeof node.value !== "string" || parent === null) return;
    // Prose is read, not computed with; and a comparison with another text is what its condition's mutants do.
    if (node.value === "" || /\s/.test(node.value)) return;
    if (parent.type === "BinaryExpression" && (parent.operator as string) in NEGATED) return;
    if (parent.type === "ExpressionStatement") return;
    this.#replace(node, '""');
  }

  #template(node: Node): void {
    const quasis = node.quasis as { value: { raw: string } }[];
    if (quasis.some(({ value }) => /\s/.test(value.raw))) return;
    this.#replace(node, '""');
  }

  #call(node: Node, spine: Node): void {
    const callee = node.callee as Node;
    const args = node.arguments as Node[];
    if (callee.type === "Identifier" && (callee.name === "and" || callee.name === "or") && args.length > 1) {
      // Conditions of queries: each of them has to matter.
      for (const [i, arg] of args.entries()) {
        const next = args[i + 1];
        const before = args[i - 1];
        if (next) this.#change(node, arg.start, next.start, "");
        else if (before) this.#change(node, before.end, arg.end, "");
      }
    }
    if (callee.type !== "MemberExpression" || callee.computed === true) return;
    const property = callee.property as Node;
    const object = callee.object as Node;
    const name = property.name as string;
    const swapped = Object.hasOwn(SWAPPED_METHODS, name) ? SWAPPED_METHODS[name] : undefined;
    if (swapped !== undefined) this.#change(spine, property.start, property.end, swapped);
    if (DROPPED_METHODS.has(name) && callee.optional !== true && object.type !== "Super")
      this.#change(spine, object.end, node.end, "");
    if (name === "abs" && object.name === "Math" && args[0]) this.#replace(node, this.#text(args[0]));
  }

  /** A statement that forgets the project reads or writes other people's data. */
  #taggedTemplate(node: Node): void {
    const text = this.#text(node);
    for (const found of text.matchAll(/[\w."]*\bproject_id\s*=\s*\$\{[^{}]*\}/g)) {
      const from = node.start + found.index;
      this.#change(node, from, from + found[0].length, "true");
    }
  }

  #optional(node: Node, spine: Node): void {
    const object = (node.object ?? node.callee) as Node | undefined;
    // Optional parameters carry the same mark.
    if (!object) return;
    const at = this.#source.indexOf("?.", object.end);
    if (at === -1 || at >= node.end) return;
    const isBare = node.type === "MemberExpression" && node.computed !== true;
    this.#change(spine, at, at + 2, isBare ? "." : "");
  }
}

/** The switches of one file, which cost next to nothing while none of its mutants is active. */
const switchesOf = (name: string) =>
  `var __s=globalThis.__mutation?.switches(${JSON.stringify(name)})??{active:0,recording:false};`;

function positions(source: string): (offset: number) => { line: number; column: number } {
  const starts = [0];
  for (let at = source.indexOf("\n"); at !== -1; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let line = 0;
    while (line + 1 < starts.length && (starts[line + 1] as number) <= offset) line++;
    return { line: line + 1, column: offset - (starts[line] as number) + 1 };
  };
}

/**
 * Puts all mutants of a TypeScript file into its text, each behind a switch: `active === 7 ? changed : original`.
 * Coverage is recorded where a switch is passed.
 *
 * @param name how the running code identifies the file to `globalThis.__mutation`
 */
export function instrument(name: string, source: string): Instrumented {
  const parsed = parseSync("file.ts", source, {});
  if (parsed.errors.length > 0) throw new Error(`${name}: ${parsed.errors[0]?.message}`);
  const gatherer = new Gatherer(source);
  gatherer.visit(parsed.program as unknown as Node, null);
  const { sites } = gatherer;
  const positionOf = positions(source);
  const mutants: Mutant[] = [];

  const render = (from: number, to: number): string => {
    let text = "";
    let at = from;
    for (let site = sites[0]; site && site.start < to; site = sites[0]) {
      sites.shift();
      text += source.slice(at, site.start) + switched(site);
      at = site.end;
    }
    return text + source.slice(at, to);
  };

  const switched = (site: Site): string => {
    const added = site.changes.map((change) => {
      const { line, column } = positionOf(change.from);
      const replacement =
        source.slice(site.start, change.from) + change.text + source.slice(change.to, site.end);
      const mutant: Mutant = {
        id: mutants.length + 1,
        line,
        column,
        context: source.split("\n")[line - 1]?.trim() ?? "",
        original: source.slice(site.start, site.end),
        replacement,
      };
      mutants.push(mutant);
      return mutant;
    });
    const ids = added.map(({ id }) => id).join(",");
    const inner = render(site.start, site.end);
    const recorded = `__s.recording&&__s.cover(${ids})`;
    if (site.isStatement) return `if(__s.active===${ids}&&__s.hit());else{${recorded};${inner}}`;
    const branches = added
      .map(({ id, replacement }) => `__s.active===${id}&&__s.hit()?(${replacement}):`)
      .join("");
    return `(${branches}(${recorded},${inner}))`;
  };

  return { code: switchesOf(name) + render(0, source.length), mutants };
}
