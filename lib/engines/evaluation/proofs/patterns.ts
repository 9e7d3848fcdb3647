/**
 * Texts that a regular expression may match, built from its syntax by the first or another choice at each fork. Nothing
 * is promised: whoever asks tries them.
 */
export function sampleTexts(pattern: string): string[] {
  return [...new Set([0, 1, 2, 3].map((choice) => new Sampler(pattern, choice).read()))];
}

const CLASSES: Readonly<Record<string, string>> = {
  d: "5",
  D: "a",
  w: "a",
  W: "-",
  s: " ",
  S: "a",
  n: "\n",
  t: "\t",
};
const MOST_REPEATS = 60;
// Repetitions within repetitions multiply.
const LONGEST_TEXT = 1_000;
const OTHERS = "xa0- _@.Z";

class Sampler {
  readonly #pattern: string;
  readonly #choice: number;
  #at = 0;

  constructor(pattern: string, choice: number) {
    this.#pattern = pattern;
    this.#choice = choice;
  }

  read(): string {
    const branches = [this.#sequence()];
    while (this.#pattern[this.#at] === "|") {
      this.#at += 1;
      branches.push(this.#sequence());
    }
    return branches[this.#choice % branches.length] ?? "";
  }

  #sequence(): string {
    let text = "";
    for (let next = this.#pattern[this.#at]; next !== undefined && next !== "|" && next !== ")"; ) {
      const part = this.#atom();
      text += part.repeat(
        Math.min(this.#repeats(), MOST_REPEATS, Math.ceil(LONGEST_TEXT / (part.length + 1))),
      );
      next = this.#pattern[this.#at];
    }
    return text;
  }

  #atom(): string {
    const character = this.#pattern[this.#at] ?? "";
    this.#at += 1;
    switch (character) {
      case "^":
      case "$":
        return "";
      case ".":
        return "x";
      case "(":
        return this.#group();
      case "[":
        return this.#oneOf();
      case "\\":
        return this.#escaped();
      default:
        return character;
    }
  }

  #group(): string {
    // What a group is called and which flags it sets is passed over.
    const start = /^\?(?:P?<\w*>|[a-zA-Z-]*:?)/.exec(this.#pattern.slice(this.#at))?.[0] ?? "";
    this.#at += start.length;
    const text = this.read();
    this.#at += 1;
    return text;
  }

  #oneOf(): string {
    const rest = this.#pattern.slice(this.#at);
    const body = /^\^?\]?(?:\\[\s\S]|[^\]])*/.exec(rest)?.[0] ?? "";
    this.#at += body.length + 1;
    const negated = body.startsWith("^");
    const members = negated ? body.slice(1) : body;
    const first = members.startsWith("\\")
      ? (CLASSES[members[1] ?? ""] ?? members[1] ?? "")
      : members.charAt(0);
    if (!negated) return first;
    return [...OTHERS].find((each) => !members.includes(each) && !/[a-zA-Z]-[a-zA-Z]/.test(members)) ?? "-";
  }

  #escaped(): string {
    const character = this.#pattern[this.#at] ?? "";
    this.#at += 1;
    return /[bBAzZ]/.test(character) ? "" : (CLASSES[character] ?? character);
  }

  /** How often what was read last comes: the fewest times, or once more. */
  #repeats(): number {
    const [whole = "", sign = "", from] =
      /^(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += whole.length;
    if (whole === "") return 1;
    const fewest = sign === "" ? Number(from) : sign === "+" ? 1 : 0;
    return fewest + (this.#choice % 2 === 1 && sign !== "" ? 1 : 0);
  }
}
