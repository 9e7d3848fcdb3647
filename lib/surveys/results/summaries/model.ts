import { z } from "zod";
import type { Statement } from "./sentences.ts";

/** An endpoint with OpenAI's chat completions protocol. */
export type SummaryModel = { url: string; key: string | undefined; name: string };

/** A statement as worded by a model, supported by the rows of the statements it cites. */
export type Wording = Statement & { worded: boolean };

const TIME_LIMIT_MS = 20_000;
const ANSWER_BYTES_MAX = 256 * 1024;
const TEXT_MAX = 400;
const WORDED_MAX = 12;

const INSTRUCTIONS =
  'You edit a summary of answers to a survey question. You get numbered statements with quotes. Put those that belong together into short plain sentences. Use no number that is not in the statements you cite, and claim nothing that they do not say. Answer with JSON only: {"statements": [{"cites": [numbers of statements], "text": "one sentence"}]}.';

const worded = z.object({
  statements: z
    .array(
      z.object({ cites: z.array(z.number().int()).min(1), text: z.string().trim().min(1).max(TEXT_MAX) }),
    )
    .max(100),
});

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).min(1),
});

/** The numbers of a text, "4.0" as "4"; three zeros may be thousands and stay. */
const numbersIn = (text: string): string[] =>
  text.match(/\d+(?:[.,]\d+)*/g)?.map((number) => number.replace(/[.,]0{1,2}$/, "")) ?? [];

/** A model's sentence as plain text, without markup. */
const plain = (text: string) =>
  text
    .replace(/<[^>]*>/g, "")
    .replace(/[*_`#[\]<>|]/g, "")
    .replace(/\s+/g, " ")
    .trim();

/**
 * A model's sentence with the rows of the cited statements; null if it cites unknown ones, or contains a
 * number that none of them has.
 */
function supported(
  one: z.output<typeof worded>["statements"][number],
  own: readonly Statement[],
): Wording | null {
  const cited = [...new Set(one.cites)].map((number) => own[number - 1]);
  const known = cited.filter((statement) => statement !== undefined);
  const [first] = known;
  if (!first || known.length !== cited.length) return null;
  const text = plain(one.text);
  const numbers = new Set(known.flatMap((statement) => numbersIn(statement.text)));
  if (text === "" || numbersIn(text).some((number) => !numbers.has(number))) return null;
  const [firstId, ...otherIds] = new Set(known.flatMap((statement) => statement.response_ids));
  if (firstId === undefined) return null;
  return {
    ...first,
    text,
    key: known.map((statement) => statement.key).join("\n"),
    count: otherIds.length + 1,
    response_ids: [firstId, ...otherIds],
    quotes: known.flatMap((statement) => statement.quotes).slice(0, 3),
    worded: true,
  };
}

async function bodyOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) {
      await reader?.cancel();
      throw new Error("its answer was too long");
    }
  }
  return text;
}

async function ask(
  model: SummaryModel,
  question: string,
  own: readonly Statement[],
  limit: number,
): Promise<string> {
  const lines = own.map(({ text, quotes }, i) => {
    const said = quotes.map((quote) => JSON.stringify(quote.text)).join(" / ");
    return `${i + 1}. ${text}${said && ` Quotes: ${said}`}`;
  });
  const response = await fetch(`${model.url}/chat/completions`, {
    method: "POST",
    redirect: "error",
    signal: AbortSignal.timeout(limit),
    headers: {
      "Content-Type": "application/json",
      ...(model.key !== undefined && { Authorization: `Bearer ${model.key}` }),
    },
    body: JSON.stringify({
      model: model.name,
      temperature: 0,
      response_format: { type: "json_object" },
      messages: [
        { role: "system", content: INSTRUCTIONS },
        { role: "user", content: `Question: ${question}\n${lines.join("\n")}` },
      ],
    }),
  });
  if (!response.ok) throw new Error(`it answered with status ${response.status}`);
  const parsed = completion.safeParse(JSON.parse(await bodyOf(response)));
  if (!parsed.success) throw new Error("its answer has another form than expected");
  return parsed.data.choices[0]?.message.content ?? "";
}

const reasonOf = (error: unknown): string => {
  if (error instanceof DOMException && error.name === "TimeoutError") return "it took too long";
  if (error instanceof SyntaxError || error instanceof z.ZodError)
    return "its answer has another form than expected";
  return error instanceof TypeError
    ? "it could not be reached"
    : error instanceof Error
      ? error.message
      : "it failed";
};

/**
 * Lets a model reword statements. A sentence is used only if it cites existing statements and all its numbers
 * occur in them; statements it does not cover keep their text. It cannot add, drop or change rows.
 *
 * @returns the statements, and a note if the model failed
 */
export async function wordStatements(
  model: SummaryModel,
  question: string,
  own: readonly Statement[],
  limit = TIME_LIMIT_MS,
): Promise<{ statements: Wording[]; note: string | null }> {
  const plainly = own.map((statement) => ({ ...statement, worded: false }));
  if (own.length === 0) return { statements: plainly, note: null };
  try {
    const content = await ask(model, question, own, limit);
    const { statements } = worded.parse(JSON.parse(content.replace(/^\s*```(?:json)?|```\s*$/g, "")));
    const kept = statements.slice(0, WORDED_MAX).flatMap((one) => supported(one, own) ?? []);
    const covered = new Set(kept.flatMap((statement) => statement.key.split("\n")));
    const dropped = statements.length - kept.length;
    return {
      statements: [...kept, ...plainly.filter((statement) => !covered.has(statement.key))],
      note: dropped > 0 ? `${dropped} of the model's sentences cite no responses and were discarded.` : null,
    };
  } catch (error) {
    return {
      statements: plainly,
      note: `The model that words summaries failed: ${reasonOf(error)}.`,
    };
  }
}
