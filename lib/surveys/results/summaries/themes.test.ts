import { describe, expect, it } from "vitest";
import { findThemes, stemOf } from "./themes.ts";

const themes = (...texts: string[]) => findThemes(texts.map((text, i) => ({ response_id: `r${i}`, text })));
const brief = (found: ReturnType<typeof themes>) =>
  found.map(({ word, also, texts }) => [word, also, texts.map(({ response_id }) => response_id)]);

describe("the stem of a word", () => {
  it.each([
    ["stories", "story"],
    ["movies", "movy"],
    ["ties", "tie"],
    ["classes", "class"],
    ["wishes", "wish"],
    ["matches", "match"],
    ["boxes", "box"],
    ["bugs", "bug"],
    ["status", "status"],
    ["glass", "glass"],
    ["gas", "gas"],
    ["user's", "user"],
    ["users'", "user"],
    ["needed", "need"],
    ["need", "need"],
    ["using", "using"],
    ["running", "run"],
    ["stopped", "stop"],
    ["quickly", "quick"],
    ["fall", "fal"],
    ["add", "add"],
    ["price", "pric"],
    ["see", "see"],
    ["straßen", "straßen"],
    ["größes", "größes"],
    ["v2s", "v2s"],
  ])("%s is %s", (word, stem) => {
    expect(stemOf(word)).toBe(stem);
  });
});

describe("the themes of texts", () => {
  it("are words that stand in the same texts, the one that tells most first", () => {
    const found = themes(
      "great support",
      "slow loading page",
      "page loading slow",
      "slow page",
      "support great",
      "price",
    );
    expect(brief(found)).toEqual([
      ["page", ["slow", "loading"], ["r1", "r2", "r3"]],
      ["great", ["support"], ["r0", "r4"]],
    ]);
  });

  it("are not joined where their words mostly stand apart", () => {
    // Of three and three texts one has both words: a cosine of a third.
    const found = themes("editor crash", "editor", "editor", "crash", "crash");
    expect(brief(found)).toEqual([
      ["crash", [], ["r0", "r3", "r4"]],
      ["editor", [], ["r0", "r1", "r2"]],
    ]);
    // Two of three: two thirds.
    expect(brief(themes("editor crash", "editor crash", "editor", "crash"))).toEqual([
      ["crash", ["editor"], ["r0", "r1", "r2", "r3"]],
    ]);
  });

  it.each([
    ["one text only", ["editor editor editor", "nothing"]],
    ["words that say nothing", ["it was very much like that", "like that it was"]],
    ["numbers", ["2026 42", "42 2026"]],
    ["words of two letters", ["ui xy", "xy ui"]],
    ["nothing", []],
    ["empty texts", ["", "  ", "?!"]],
  ])("are none of %s", (_, texts) => {
    expect(themes(...texts)).toEqual([]);
  });

  it("are found in short words of other scripts, and whatever the case", () => {
    expect(brief(themes("价格 高", "价格 好"))).toEqual([["价格", [], ["r0", "r1"]]]);
    expect(brief(themes("EDITOR", "Editor"))).toEqual([["editor", [], ["r0", "r1"]]]);
    // The same letter as one sign, and as a letter with an accent.
    expect(brief(themes("caf\u00e9", "cafe\u0301"))).toEqual([["caf\u00e9", [], ["r0", "r1"]]]);
  });

  it("are named by the form that is written most, of equal ones by the first in the alphabet", () => {
    expect(themes("crashes", "crashed", "crashed")[0]?.word).toBe("crashed");
    expect(themes("crashes", "crashed")[0]?.word).toBe("crashed");
    expect(themes("crash", "crashes crashes")[0]?.word).toBe("crashes");
  });

  it("name five words at most", () => {
    const text = "alpha bravo charlie delta echo foxtrot";
    expect(brief(themes(text, text))).toEqual([
      ["alpha", ["bravo", "charlie", "delta", "echo"], ["r0", "r1"]],
    ]);
  });

  it("are eight at most", () => {
    const words = Array.from({ length: 10 }, (_, i) => `topic${"abcdefghij"[i]}`);
    const found = themes(...words.flatMap((word, i) => Array.from({ length: i + 2 }, () => word)));
    expect(found.map(({ word }) => word)).toEqual(words.toReversed().slice(0, 8));
  });
});

describe("the quotes of a theme", () => {
  const quotes = (...texts: string[]) => themes(...texts)[0]?.quotes.map(({ response_id }) => response_id);

  it("are the three texts that are nearest to sixty letters, where all say the same", () => {
    // The same theme each time, and a word that no other text has.
    const of = (length: number, end: string) => `editor ${"z".repeat(length - 8)}${end}`;
    const texts = [of(20, "a"), of(58, "b"), of(63, "c"), of(200, "d"), of(61, "e")];
    expect(quotes(...texts)).toEqual(["r4", "r1", "r2"]);
  });

  it("say more of the theme before they are shorter", () => {
    const long = "editor crash in the settings of a project with very many other members";
    expect(quotes("editor", long, "crash editor in short", "editor crash")).toEqual(["r1", "r2", "r3"]);
  });

  it("are none twice, whatever the case and the signs", () => {
    expect(quotes("Editor crash!", "editor, crash", "EDITOR  CRASH", "crash editor")).toEqual(["r0", "r3"]);
  });

  it("of equal texts are those of the first responses", () => {
    const texts = ["c", "a", "b"].map((id) => ({ response_id: id, text: `editor crash ${id}1` }));
    expect(findThemes(texts)[0]?.quotes.map(({ response_id }) => response_id)).toEqual(["a", "b", "c"]);
  });

  it("are no longer than 240 letters", () => {
    const of = (length: number) => `editor crash ${"z".repeat(length - 13)}`;
    expect(quotes(of(240), of(241))).toEqual(["r0"]);
    expect(quotes(of(241), of(242))).toEqual([]);
  });
});
