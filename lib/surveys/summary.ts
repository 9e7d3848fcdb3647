import { bucketOf, bucketsOf, type RatingBucket, rangeOf } from "./branching.ts";
import { ratingOf, summarizeRatings } from "./ratings.ts";

/** What was answered to a question in one response. */
export type SummaryAnswer = { response_id: string; value: unknown };

/** A sentence about answers, with the responses that it counts. `count` is always their number. */
export type Statement = { text: string; count: number; response_ids: string[] };

/** What a summary reads of a question. */
export type SummaryQuestion = {
  question: string;
  type?: unknown;
  scale?: unknown;
  choices?: unknown;
  hasOpenChoice?: unknown;
};

const THEMES_MAX = 6;
const LEAST_SUPPORT = 2;
const WORD_MIN = 3;

const STOP_WORDS = new Set(
  (
    "a about after all also am an and any are as at be because been before being but by can cannot could did do does " +
    "doing don dont for from get got had has have having he her here him his how i if in into is it its itself just " +
    "ll me more most much my no nor not now of off on once one only or other our out over really s same she should so " +
    "some such t than that the their them then there these they thing things this those through to too under until up " +
    "us use used using ve very was we were what when where which while who why will with would you your"
  ).split(" "),
);

const statement = (text: string, answers: readonly SummaryAnswer[]): Statement => ({
  text,
  count: answers.length,
  response_ids: answers.map((answer) => answer.response_id),
});

const share = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1).replace(/\.0$/, "")} %`;

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value])
    .filter((item) => typeof item === "string" || typeof item === "number" || typeof item === "boolean")
    .map((item) => String(item).trim())
    .filter((text) => text !== "");

/** Words that say something, each once, with the plain English plural taken off. */
function wordsOf(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .normalize("NFC")
      .match(/[\p{L}\p{N}]+(?:'[\p{L}]+)?/gu) ?? [];
  const stems = words.map((word) => (/[^su]s$/.test(word) && word.length > 4 ? word.slice(0, -1) : word));
  return new Set(stems.filter((word) => word.length >= WORD_MIN && !STOP_WORDS.has(word)));
}

/**
 * Themes of free texts: the word that most of the answers share, then the word most shared among those that
 * are left, and so on. Ties go to the word first in the alphabet.
 */
export function themesOf(answers: readonly SummaryAnswer[]): Statement[] {
  const bags = new Map(answers.map((answer) => [answer, wordsOf(textsOf(answer.value).join(" "))]));
  const all = [...bags];
  let left = all;
  const themes: Statement[] = [];
  while (themes.length < THEMES_MAX && left.length > 0) {
    const counts = new Map<string, number>();
    for (const [, words] of left) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const [best] = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    if (!best || best[1] < LEAST_SUPPORT) break;
    const [word] = best;
    const saying = all.filter(([, words]) => words.has(word)).map(([answer]) => answer);
    themes.push(
      statement(
        `${saying.length} of ${answers.length} answers (${share(saying.length, answers.length)}) mention “${word}”.`,
        saying,
      ),
    );
    left = left.filter(([, words]) => !words.has(word));
  }
  return themes;
}

const BUCKET_WORDS: Record<RatingBucket, string> = {
  negative: "negative",
  neutral: "neutral",
  positive: "positive",
  detractors: "detractors (0 to 6)",
  passives: "passives (7 or 8)",
  promoters: "promoters (9 or 10)",
};

function ratingStatements(scale: number, answers: readonly SummaryAnswer[]): Statement[] {
  const rated = answers.filter((answer) => bucketOf(scale, ratingOf(answer.value)) !== null);
  if (rated.length === 0) return [];
  const summary = summarizeRatings(
    scale,
    rated.map((answer) => answer.value),
  );
  const range = rangeOf(scale);
  const average = `${rated.length} ratings average ${summary.mean?.toFixed(2)} on the scale from ${range?.first} to ${range?.last}`;
  const score = summary.nps_text === undefined ? "" : `; the net promoter score is ${summary.nps_text}`;
  const parts = bucketsOf(scale).map((bucket) => {
    const those = rated.filter((answer) => bucketOf(scale, ratingOf(answer.value)) === bucket);
    return statement(
      `${those.length} of ${rated.length} (${share(those.length, rated.length)}) are ${BUCKET_WORDS[bucket]}.`,
      those,
    );
  });
  return [statement(`${average}${score}.`, rated), ...parts.filter((part) => part.count > 0)];
}

function choiceStatements(question: SummaryQuestion, answers: readonly SummaryAnswer[]): Statement[] {
  const listed = Array.isArray(question.choices) ? question.choices.map(String) : [];
  const choices = [...new Set(question.hasOpenChoice ? listed.slice(0, -1) : listed)];
  const picked = choices.map((choice) => {
    const those = answers.filter((answer) => textsOf(answer.value).includes(choice));
    return statement(
      `${those.length} of ${answers.length} (${share(those.length, answers.length)}) chose “${choice}”.`,
      those,
    );
  });
  const own = answers.filter((answer) => textsOf(answer.value).some((text) => !choices.includes(text)));
  const written = statement(
    `${own.length} of ${answers.length} (${share(own.length, answers.length)}) wrote an answer of their own.`,
    own,
  );
  const byCount = [...picked, written].filter((part) => part.count > 0).sort((a, b) => b.count - a.count);
  return [...byCount, ...themesOf(own)];
}

/**
 * Says what the answers to a question come to, the same for the same answers. Every statement carries the
 * responses that it counts; one without any is never made.
 *
 * @param answers that say something, each of another response
 */
export function summarize(question: SummaryQuestion, answers: readonly SummaryAnswer[]): Statement[] {
  if (answers.length === 0) return [];
  if (question.type === "rating" && typeof question.scale === "number")
    return ratingStatements(question.scale, answers);
  if (question.type === "single_choice" || question.type === "multiple_choice")
    return choiceStatements(question, answers);
  if (question.type === "link")
    return [
      statement(
        `${answers.length} ${answers.length === 1 ? "person" : "people"} followed the link.`,
        answers,
      ),
    ];
  const themes = themesOf(answers);
  const [count, noun] = [answers.length, answers.length === 1 ? "answer" : "answers"];
  return themes.length > 0
    ? [statement(`${count} ${noun} were given.`, answers), ...themes]
    : [statement(`${count} ${noun} were given; they share no theme.`, answers)];
}

/** The statements as Markdown; a fixed sentence where there are none. */
export function summaryText(question: SummaryQuestion, statements: readonly Statement[]): string {
  if (statements.length === 0) return "There are no answers to this question yet.";
  return `**${question.question}**\n\n${statements.map(({ text }) => `- ${text}`).join("\n")}`;
}
