import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { wordStatements } from "./model.ts";
import type { Statement } from "./sentences.ts";

const statement = (
  key: string,
  text: string,
  ids: [string, ...string[]],
  quoted: string[] = [],
): Statement => ({
  key,
  kind: key === "all" ? "overall" : "theme",
  text,
  count: ids.length,
  response_ids: ids,
  quotes: quoted.map((quote, i) => ({ response_id: ids[i] ?? "", text: quote })),
});
const OWN = [
  statement("all", "3 answers, 12.50 on average, 1,000 in all.", ["a", "b", "c"]),
  statement("theme:price", "2 mention “price”.", ["a", "b"], ["too high", 'a "high" price']),
  statement("theme:speed", "4.0 mention “speed”.", ["c", "b"], ["slow", "very slow"]),
];
const PLAINLY = OWN.map((one) => ({ ...one, worded: false }));

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

type Request = {
  method: string | undefined;
  url: string | undefined;
  authorization: string | undefined;
  body: string;
};

/** A model on this machine that answers with some text; and what it was asked. */
async function modelAnswering(body: string, { status = 200, key }: { status?: number; key?: string } = {}) {
  const asked: Request[] = [];
  const started = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    const { method, url, headers } = request;
    asked.push({ method, url, authorization: headers.authorization, body: text });
    response.writeHead(status, { location: "/elsewhere" });
    response.end(body);
  });
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  const { port } = started.address() as AddressInfo;
  return { model: { url: `http://127.0.0.1:${port}/v1`, key, name: "test-model" }, asked };
}

const completion = (content: string) => JSON.stringify({ choices: [{ message: { content } }] });
const saying = (...statements: { cites: number[]; text: string }[]) =>
  completion(JSON.stringify({ statements }));

async function worded(...statements: { cites: number[]; text: string }[]) {
  const { model } = await modelAnswering(saying(...statements));
  return wordStatements(model, "Why?", OWN);
}

describe("a model", () => {
  it("is asked for the numbered statements with their quotes, at its address and with its key", async () => {
    const { model, asked } = await modelAnswering(saying(), { key: "secret" });
    expect(await wordStatements(model, "Why?", OWN)).toEqual({ statements: PLAINLY, note: null });
    expect(asked).toEqual([
      {
        method: "POST",
        url: "/v1/chat/completions",
        authorization: "Bearer secret",
        body: expect.any(String),
      },
    ]);
    const body = JSON.parse(asked[0]?.body ?? "");
    expect(body).toMatchObject({
      model: "test-model",
      temperature: 0,
      response_format: { type: "json_object" },
      messages: [{ role: "system" }, { role: "user" }],
    });
    expect(body.messages[1].content).toBe(
      [
        "Question: Why?",
        `1. ${OWN[0]?.text}`,
        `2. ${OWN[1]?.text} Quotes: "too high" / "a \\"high\\" price"`,
        `3. ${OWN[2]?.text} Quotes: "slow" / "very slow"`,
      ].join("\n"),
    );
  });

  it("is asked without a key where there is none", async () => {
    const { model, asked } = await modelAnswering(saying());
    await wordStatements(model, "Why?", OWN);
    expect(asked[0]?.authorization).toBeUndefined();
  });

  it.each([
    ["an error", "", { status: 500 }, "it answered with status 500"],
    ["a redirection", "", { status: 307 }, "it could not be reached"],
    ["another form", '{"choices": []}', {}, "its answer has another form than expected"],
    ["no JSON", "<html>", {}, "its answer has another form than expected"],
    ["words that are no JSON", completion("All are happy."), {}, "its answer has another form than expected"],
    [
      "words of another form",
      completion('{"statements": [{"text": "x"}]}'),
      {},
      "its answer has another form than expected",
    ],
    ["too much", "x".repeat(300_000), {}, "its answer was too long"],
  ])(
    "that answers %s leaves the plain sentences, and the note says why",
    async (_, body, options, reason) => {
      const { model } = await modelAnswering(body, options);
      expect(await wordStatements(model, "Why?", OWN)).toEqual({
        statements: PLAINLY,
        note: `The model that words summaries failed: ${reason}.`,
      });
    },
  );

  it("that does not answer in time is reported in the note", async () => {
    const silent = createServer(() => undefined);
    server = silent;
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const model = { url: `http://127.0.0.1:${port}`, key: undefined, name: "silent" };
    const { note } = await wordStatements(model, "Why?", OWN, 50);
    expect(note).toBe("The model that words summaries failed: it took too long.");
  });

  it("may be long-winded up to a limit", async () => {
    const { model } = await modelAnswering(`${saying()}${" ".repeat(250_000)}`);
    expect((await wordStatements(model, "Why?", OWN)).note).toBeNull();
  });

  it.each([
    ["```json\n", "\n```"],
    ["```", "```  "],
    [" \n", ""],
  ])("may set its answer between %j and %j", async (before, after) => {
    const content = `${before}${JSON.stringify({ statements: [{ cites: [2], text: "Price." }] })}${after}`;
    const { model } = await modelAnswering(completion(content));
    const { statements, note } = await wordStatements(model, "Why?", OWN);
    expect([statements[0]?.text, note]).toEqual(["Price.", null]);
  });
});

describe("a sentence of a model", () => {
  it("rests on the responses of all that it cites, each once, and stands in its place", async () => {
    const { statements, note } = await worded({ cites: [2, 3, 2], text: "Price and speed." });
    expect(note).toBeNull();
    expect(statements).toEqual([
      {
        key: "theme:price\ntheme:speed",
        kind: "theme",
        text: "Price and speed.",
        count: 3,
        response_ids: ["a", "b", "c"],
        quotes: [...(OWN[1]?.quotes ?? []), OWN[2]?.quotes[0]],
        worded: true,
      },
      PLAINLY[0],
    ]);
  });

  it.each([
    ["On average 12.50.", true],
    ["On average 12.", false],
    ["There are 3, or 3.0.", true],
    ["There are 1,000.", true],
    ["There are 1000.", false],
    ["There are 1.", false],
    ["There are 3,000.", false],
    ["There are 3.000.", false],
    ["There are 3.00.", true],
    ["There are 2.", false],
    ["Three are there.", true],
  ])("says only numbers of what it cites: %s", async (text, isKept) => {
    const { statements, note } = await worded({ cites: [1], text });
    expect(statements[0]).toMatchObject(isKept ? { text, worded: true } : { worded: false });
    expect(note).toBe(isKept ? null : "1 of the model's sentences cite no responses and were discarded.");
  });

  it.each([[0], [4], [-1]])("does not cite the statement %d, which is not there", async (number) => {
    const { statements } = await worded({ cites: [1, number], text: "All is well." });
    expect(statements).toEqual(PLAINLY);
  });

  it.each([
    ["<b>Price</b> is *high* `now`", "Price is high now"],
    ["# Price\n\n | is   [high](x)", "Price is high(x)"],
    ["Price_is high > low", "Priceis high low"],
  ])("is plain text: %j", async (text, plain) => {
    expect((await worded({ cites: [2], text })).statements[0]?.text).toBe(plain);
  });

  it("is not kept where nothing but markup is left of it", async () => {
    expect((await worded({ cites: [2], text: "<b></b>" })).statements).toEqual(PLAINLY);
  });

  it("is one of twelve at most", async () => {
    const many = Array.from({ length: 14 }, () => ({ cites: [2], text: "Price." }));
    const { statements, note } = await worded(...many);
    expect(statements.filter(({ worded }) => worded)).toHaveLength(12);
    expect(statements.filter(({ worded }) => !worded).map(({ key }) => key)).toEqual(["all", "theme:speed"]);
    expect(note).toBe("2 of the model's sentences cite no responses and were discarded.");
  });
});
