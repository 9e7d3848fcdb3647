import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { asQuestion } from "#lib/engines/branching/question.ts";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import { wordStatements } from "./model.ts";
import { type SummaryAnswer, summarize, summaryText } from "./sentences.ts";
import { findThemes, stemOf } from "./themes.ts";

const open: TableQuestion = { id: "why", type: "open", question: "Why?" };
const nps: TableQuestion = { id: "nps", type: "rating", question: "How likely?", scale: 10 };
const scale = { scale: 10, question: "How likely?" };

const answers = (...list: [text: string, rating: number | null][]): SummaryAnswer[] =>
  list.map(([value, rating], i) => ({ response_id: `r${i}`, value, rating }));

const times = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => of(i));

const mixed = answers(
  ...times<[string, number]>(14, (i) => [i % 2 ? "The price is too high" : "prices went up", 2 + (i % 3)]),
  ...times<[string, number]>(14, (i) => [i % 2 ? "Support was quick" : "great support team", 9 + (i % 2)]),
  ["Nothing to add", 7],
);

describe("statements", () => {
  it("each rest on exactly the answers that they count, whatever was answered", () => {
    const value = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("too slow", "slow page", "価格が高い", "der Preis", 7, "Web", null, ["Web", "x"], {}),
    );
    const question = fc.constantFrom<TableQuestion>(
      open,
      nps,
      { ...nps, scale: 2 },
      { id: "q", type: "single_choice", question: "?", choices: ["Web", "App"] },
      { id: "q", type: "multiple_choice", question: "?", choices: ["Web", "Other"], hasOpenChoice: true },
      { id: "q", type: "link", question: "?" },
      { ...asQuestion({ type: "riddle" }), id: "q", question: "?" },
    );
    fc.assert(
      fc.property(question, fc.array(fc.tuple(value, fc.option(fc.nat(10)))), (asked, list) => {
        const given = list.map(([value, rating], i) => ({ response_id: `r${i}`, value, rating }));
        const made = summarize(asked, given, scale);
        expect(made).toEqual(summarize(asked, given, scale));
        for (const { count, response_ids, quotes } of made) {
          expect(count).toBeGreaterThan(0);
          expect([response_ids.length, new Set(response_ids).size]).toEqual([count, count]);
          for (const quote of quotes) expect(response_ids).toContain(quote.response_id);
        }
        expect(new Set(made.map(({ key }) => key)).size).toBe(made.length);
      }),
    );
  });

  it("name themes with quotes, and how ratings differ with them", () => {
    const made = summarize(open, mixed, scale);
    const theme = made.find(({ key }) => key === "theme:price");
    expect(theme).toMatchObject({ kind: "theme", count: 14 });
    expect(theme?.quotes.map(({ text }) => text)).toContain("prices went up");
    const rating = made.find(({ key }) => key === "rating:price");
    expect(rating?.text).toMatch(/rate lower: 2\.9 on average, against 9\.3 .* 95% interval −/);
    const group = made.find(({ key }) => key === "group:support");
    expect(group?.text).toMatch(/mentioned by 100.0% of promoters and 0.0% of detractors/);
  });

  it("speak of a net promoter score only from 0 to 10, with its interval", () => {
    const rated = (scale: number) =>
      summarize({ ...nps, scale }, answers(["2", 2], ["5", 5], ["5", 5]), null)[0]?.text;
    expect(rated(10)).toMatch(/the net promoter score is -100\.0 \(95% interval −100\.0 to /);
    expect(rated(5)).not.toContain("promoter");
  });

  it("are none without answers", () => {
    expect(summarize(open, [], scale)).toEqual([]);
    expect(summaryText("Why?", [], [])).toBe("There are no answers to this question yet.");
  });
});

describe("themes", () => {
  it.each([
    ["prices", "price"],
    ["pricing", "price"],
    ["stories", "story"],
    ["stopped", "stopping"],
    ["slowly", "slow"],
    ["boxes", "box"],
  ])("take %s and %s as one word", (a, b) => {
    expect(stemOf(a)).toBe(stemOf(b));
  });

  it.each([
    ["Preis", ["Der Preis ist zu hoch", "Leider ist der Preis gestiegen", "Support gut"]],
    ["価格", ["価格が高い", "価格は良い", "遅い"]],
    ["prix", ["Le prix est trop élevé", "prix en hausse", "rien"]],
  ])("are found in other languages: %s", (word, texts) => {
    const themes = findThemes(texts.map((text, i) => ({ response_id: String(i), text })));
    expect(themes[0]).toMatchObject({ word: word.toLowerCase() });
    expect(themes[0]?.texts.length).toBe(2);
  });
});

describe("a model that words statements", () => {
  let server: Server | null = null;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  const KEY = "sk-the-secret";
  let asked: { authorization: string | undefined; body: string } | null = null;

  /** A model on this machine that answers with a text, or not at all. */
  const modelSaying = async (content: string | null, status = 200) => {
    server = createServer(async (request, response) => {
      let body = "";
      for await (const part of request) body += part;
      asked = { authorization: request.headers.authorization, body };
      if (content === null) return;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(
        content.startsWith("raw:")
          ? content.slice(4)
          : JSON.stringify({ choices: [{ message: { content } }] }),
      );
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}/v1`, key: KEY, name: "test" };
  };

  const own = summarize(open, mixed, scale);
  const at = (key: string) => own.findIndex((statement) => statement.key === key) + 1;
  const said = (...statements: object[]) => JSON.stringify({ statements });

  it("is used if it cites statements, with all their rows and no others", async () => {
    const both = [at("theme:price"), at("theme:support")];
    const model = await modelSaying(
      said({ cites: both, text: "Price and <b>support</b> came up **14** times each." }),
    );
    const { statements, note } = await wordStatements(model, "Why?", own);
    expect(note).toBeNull();
    expect(statements[0]).toMatchObject({
      worded: true,
      count: 28,
      text: "Price and support came up 14 times each.",
    });
    expect(new Set(statements[0]?.response_ids)).toEqual(
      new Set(both.flatMap((n) => own[n - 1]?.response_ids ?? [])),
    );
    expect(statements.slice(1).map(({ key }) => key)).toEqual(
      own.filter((_, i) => !both.includes(i + 1)).map(({ key }) => key),
    );
    expect(asked?.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.parse(asked?.body ?? "")).toMatchObject({ model: "test", temperature: 0 });
  });

  it.each([
    ["rows that are not there", said({ cites: [99], text: "Everybody is happy." })],
    ["a row that is not there among others", said({ cites: [1, 99], text: "Everybody is happy." })],
    ["a number of its own", said({ cites: [1], text: "97% are happy." })],
  ])("is dropped where it cites or says %s", async (_, content) => {
    const { statements, note } = await wordStatements(await modelSaying(content), "Why?", own);
    expect(statements).toEqual(own.map((statement) => ({ ...statement, worded: false })));
    expect(note).toMatch(/cite no responses/);
  });

  it.each([
    ["no JSON", "Everybody is happy.", 200],
    ["no statements", "{}", 200],
    ["nothing to cite", said({ cites: [], text: "Happy." }), 200],
    ["another protocol", "raw:<html>", 200],
    ["no choices", 'raw:{"choices": []}', 200],
    ["far too much", `raw:${"x".repeat(400_000)}`, 200],
    ["an error", said({ cites: [1], text: "Happy." }), 500],
    ["a redirection", said({ cites: [1], text: "Happy." }), 307],
    ["nothing in time", null, 200],
  ])("is of no help where it answers %s", async (_, content, status) => {
    const model = await modelSaying(content, status);
    const { statements, note } = await wordStatements(model, "Why?", own, 300);
    expect(statements).toEqual(own.map((statement) => ({ ...statement, worded: false })));
    expect(note).toMatch(/^The model that words summaries failed: /);
    expect(note).not.toContain(KEY);
  });

  it("is not asked about nothing, and may be absent", async () => {
    const model = { url: "http://127.0.0.1:9/v1", key: undefined, name: "test" };
    expect(await wordStatements(model, "Why?", [])).toEqual({ statements: [], note: null });
    expect((await wordStatements(model, "Why?", own)).note).toMatch(/could not be reached/);
  });
});
