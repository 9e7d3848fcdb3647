/** Patterns as trees, for the constructs that the linear-time engine has no form for. */

/** Decides whether one UTF-16 unit belongs to a set. */
export type UnitTest = (unit: number) => boolean;

/** A node of a pattern. */
export type Node =
  | { readonly kind: "unit"; readonly test: UnitTest }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "choice"; readonly nodes: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly least: number;
      readonly most: number;
      readonly lazy: boolean;
    }
  | { readonly kind: "group"; readonly node: Node; readonly index: number }
  | { readonly kind: "reference"; readonly group: number | string }
  | { readonly kind: "look"; readonly node: Node; readonly behind: boolean; readonly negative: boolean }
  | { readonly kind: "edge"; readonly edge: "start" | "end" | "word" | "not_word" };

/** A parsed pattern. */
export interface Pattern {
  readonly root: Node;
  readonly groups: number;
  /** Number of a named group. */
  readonly names: ReadonlyMap<string, number>;
}

const isDigit: UnitTest = (unit) => unit >= 48 && unit <= 57;
const isWordUnit: UnitTest = (unit) =>
  isDigit(unit) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit === 95;
const isSpace: UnitTest = (unit) => /\s/.test(String.fromCharCode(unit));
const isLineEnd: UnitTest = (unit) => unit === 10 || unit === 13 || unit === 0x2028 || unit === 0x2029;
const not =
  (test: UnitTest): UnitTest =>
  (unit) =>
    !test(unit);

const CLASSES: Readonly<Record<string, UnitTest>> = {
  d: isDigit,
  D: not(isDigit),
  w: isWordUnit,
  W: not(isWordUnit),
  s: isSpace,
  S: not(isSpace),
};
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, f: 12, v: 11, 0: 0 };

export { isWordUnit };

/**
 * Parses a pattern in JavaScript's syntax (without flags), with Python's `(?P<name>`, `\A` and `\Z`.
 * @throws SyntaxError for what it does not know
 */
export function parsePattern(source: string): Pattern {
  const parser = new Parser(source);
  const root = parser.choice();
  if (!parser.done()) throw new SyntaxError("unmatched parenthesis");
  parser.checkReferences();
  return { root, groups: parser.groups, names: parser.names };
}

class Parser {
  groups = 0;
  readonly names = new Map<string, number>();
  readonly #source: string;
  readonly #references: (number | string)[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  done(): boolean {
    return this.#at >= this.#source.length;
  }

  /** A reference may stand before its group, so this waits until all groups are known. */
  checkReferences(): void {
    for (const group of this.#references) {
      const known = typeof group === "string" ? this.names.has(group) : group <= this.groups;
      if (!known) throw new SyntaxError(`there is no group ${group}`);
    }
  }

  choice(): Node {
    const nodes = [this.#sequence()];
    while (this.#take("|")) nodes.push(this.#sequence());
    return nodes.length === 1 ? (nodes[0] as Node) : { kind: "choice", nodes };
  }

  #take(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** Takes what the pattern matches here. */
  #scan(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (!this.done() && this.#source[this.#at] !== "|" && this.#source[this.#at] !== ")") {
      nodes.push(this.#quantified(this.#atom()));
    }
    return { kind: "sequence", nodes };
  }

  #quantified(node: Node): Node {
    const found = this.#scan(/([*+?]|\{(\d+)(,(\d*))?\})(\??)/y);
    if (!found) return node;
    if (node.kind === "edge" || (node.kind === "look" && node.behind))
      throw new SyntaxError("nothing to repeat");
    const [, sign, from, comma, to, lazy] = found;
    const least = sign === "+" ? 1 : Number(from ?? 0);
    const most =
      sign === "?" ? 1 : from === undefined || (comma && !to) ? Number.POSITIVE_INFINITY : Number(to || from);
    if (most < least) throw new SyntaxError("numbers out of order in a repetition");
    return { kind: "repeat", node, least, most, lazy: lazy === "?" };
  }

  #atom(): Node {
    if (this.#take("(")) return this.#group();
    if (this.#take("[")) return { kind: "unit", test: this.#set() };
    if (this.#take(".")) return { kind: "unit", test: not(isLineEnd) };
    if (this.#take("^")) return { kind: "edge", edge: "start" };
    if (this.#take("$")) return { kind: "edge", edge: "end" };
    if (this.#take("\\")) return this.#escape();
    const unit = this.#source.charCodeAt(this.#at);
    if ("*+?".includes(String.fromCharCode(unit))) throw new SyntaxError("nothing to repeat");
    this.#at += 1;
    return { kind: "unit", test: (other) => other === unit };
  }

  #group(): Node {
    const look = this.#scan(/\?(<?)([=!])/y);
    if (look) {
      const node = this.#inside();
      return { kind: "look", node, behind: look[1] === "<", negative: look[2] === "!" };
    }
    if (this.#take("?:")) return this.#inside();
    const name = this.#scan(/\?P?<([A-Za-z_]\w*)>/y)?.[1];
    if (name === undefined && this.#source[this.#at] === "?") throw new SyntaxError("unknown kind of group");
    this.groups += 1;
    const index = this.groups;
    if (name !== undefined) {
      if (this.names.has(name)) throw new SyntaxError(`there are two groups "${name}"`);
      this.names.set(name, index);
    }
    return { kind: "group", node: this.#inside(), index };
  }

  #inside(): Node {
    const node = this.choice();
    if (!this.#take(")")) throw new SyntaxError("missing closing parenthesis");
    return node;
  }

  #escape(): Node {
    const number = this.#scan(/[1-9]\d*/y)?.[0];
    if (number !== undefined) return this.#reference(Number(number));
    const name = this.#scan(/k<(\w+)>/y)?.[1];
    if (name !== undefined) return this.#reference(name);
    if (this.#take("b")) return { kind: "edge", edge: "word" };
    if (this.#take("B")) return { kind: "edge", edge: "not_word" };
    if (this.#take("A")) return { kind: "edge", edge: "start" };
    if (this.#take("Z") || this.#take("z")) return { kind: "edge", edge: "end" };
    const one = this.#escaped();
    return { kind: "unit", test: typeof one === "number" ? (unit) => unit === one : one };
  }

  #reference(group: number | string): Node {
    this.#references.push(group);
    return { kind: "reference", group };
  }

  /** An escape that stands for one unit, or for a set of them. */
  #escaped(): number | UnitTest {
    const code = this.#scan(/x([\da-fA-F]{2})|u([\da-fA-F]{4})/y);
    if (code) return Number.parseInt(code[1] ?? code[2] ?? "", 16);
    const letter = this.#source[this.#at];
    if (letter === undefined) throw new SyntaxError("a backslash at the end");
    this.#at += 1;
    const known = Object.hasOwn(CLASSES, letter) ? CLASSES[letter] : undefined;
    if (known) return known;
    if (Object.hasOwn(CONTROLS, letter)) return CONTROLS[letter] as number;
    if (/[A-Za-z]/.test(letter)) throw new SyntaxError(`unknown escape \\${letter}`);
    return letter.charCodeAt(0);
  }

  #set(): UnitTest {
    const negative = this.#take("^");
    const tests: UnitTest[] = [];
    while (!this.#take("]")) {
      const from = this.#member();
      const ranged = this.#source[this.#at] === "-" && this.#source[this.#at + 1] !== "]";
      if (!ranged || typeof from !== "number") {
        tests.push(typeof from === "number" ? (unit) => unit === from : from);
        continue;
      }
      this.#at += 1;
      const to = this.#member();
      if (typeof to !== "number" || to < from) throw new SyntaxError("range out of order in a class");
      tests.push((unit) => unit >= from && unit <= to);
    }
    const any: UnitTest = (unit) => tests.some((test) => test(unit));
    return negative ? not(any) : any;
  }

  #member(): number | UnitTest {
    if (this.done()) throw new SyntaxError("missing closing ]");
    if (this.#take("\\b")) return 8;
    if (this.#take("\\")) return this.#escaped();
    this.#at += 1;
    return this.#source.charCodeAt(this.#at - 1);
  }
}
