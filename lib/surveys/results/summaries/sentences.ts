import { bucketOf, bucketsOf, type RatingBucket, rangeOf } from "#lib/engines/branching/branching.ts";
import { ratingOf, summarizeRatings } from "#lib/engines/branching/ratings.ts";
import { studentCritical } from "#lib/engines/statistics/distributions.ts";
import { compareProportions, wilsonInterval } from "#lib/engines/statistics/proportions.ts";
import { formatNumber, formatPercent } from "#lib/platform/format.ts";
import { LEVEL, scoreInterval } from "#lib/surveys/results/count/score.ts";
import type { TableQuestion } from "#lib/surveys/results/count/tables.ts";
import {
  choicesOf,
  formersOf,
  isChoice,
  rangeOfRating,
  textsOf,
} from "#lib/surveys/results/ingest/answer-codes.ts";
import { kindOf } from "#lib/surveys/surveys/questions/question_kinds/kinds.ts";
import { findThemes, type Theme } from "./themes.ts";

/** The answer of one response, with the rating given in it. */
export type SummaryAnswer = { response_id: string; value: unknown; rating: number | null };

/** Supporting rows: at least one. */
type Support = readonly [SummaryAnswer, ...SummaryAnswer[]];

type Kind = "overall" | "share" | "theme" | "difference";

/**
 * A sentence about answers, with the responses it counts: at least one, because it is made from support,
 * which is never empty. `count` is always their number. `key` identifies its subject, not its text, so that
 * it is found again as answers arrive.
 */
export type Statement = {
  key: string;
  kind: Kind;
  text: string;
  count: number;
  response_ids: [string, ...string[]];
  quotes: { response_id: string; text: string }[];
};

/** The rating that answers are compared by, from the same survey. */
export type Scale = { scale: number; question: string };

/** Groups smaller than this are not compared. */
const GROUP_MIN = 8;

/** Rows as support; null if there are none. */
function supportOf(answers: readonly SummaryAnswer[]): Support | null {
  const [first, ...rest] = answers;
  return first ? [first, ...rest] : null;
}

function statement(
  key: string,
  kind: Kind,
  text: string,
  [first, ...rest]: Support,
  quotes: Statement["quotes"] = [],
): Statement {
  return {
    key,
    kind,
    text,
    count: rest.length + 1,
    response_ids: [first.response_id, ...rest.map((answer) => answer.response_id)],
    quotes,
  };
}

const share = (part: number, whole: number) => formatPercent(part / whole);
const points = (value: number) => `${value > 0 ? "+" : ""}${formatNumber(value, 1)}`;

const BUCKET_WORDS: Record<RatingBucket, string> = {
  negative: "negative",
  neutral: "neutral",
  positive: "positive",
  detractors: "detractors (0 to 6)",
  passives: "passives (7 or 8)",
  promoters: "promoters (9 or 10)",
};

/** The net promoter score in words, of the scale from 0 to 10 alone. */
function scoreText(summary: ReturnType<typeof summarizeRatings>): string {
  if (summary.nps_text === undefined) return "";
  const [low, high] = scoreInterval(summary.buckets) ?? [0, 0];
  return `; the net promoter score is ${summary.nps_text} (95% interval ${points(low)} to ${points(high)})`;
}

function ratingStatements(scale: number, answers: readonly SummaryAnswer[]): Statement[] {
  const rated = supportOf(answers.filter((answer) => bucketOf(scale, ratingOf(answer.value)) !== null));
  if (!rated) return [];
  const summary = summarizeRatings(
    scale,
    rated.map((answer) => answer.value),
  );
  const range = rangeOf(scale);
  const average = `${rated.length} ${rated.length === 1 ? "rating averages" : "ratings average"} ${formatNumber(summary.mean ?? 0, 2)} on the scale from ${range?.first} to ${range?.last}`;
  const parts = bucketsOf(scale).flatMap((bucket) => {
    const those = supportOf(rated.filter((answer) => bucketOf(scale, ratingOf(answer.value)) === bucket));
    if (!those) return [];
    const text = `${those.length} of ${rated.length} (${share(those.length, rated.length)}) are ${BUCKET_WORDS[bucket]}.`;
    return [statement(`bucket:${bucket}`, "share", text, those)];
  });
  return [statement("all", "overall", `${average}${scoreText(summary)}.`, rated), ...parts];
}

function choiceStatements(question: TableQuestion, answers: readonly SummaryAnswer[]): Statement[] {
  const choices = [
    ...choicesOf(question).map((choice) => choice.trim()),
    ...formersOf(question).map(({ label }) => label),
  ];
  const part = (key: string, verb: string, those: readonly SummaryAnswer[]) => {
    const support = supportOf(those);
    if (!support) return [];
    const text = `${those.length} of ${answers.length} (${share(those.length, answers.length)}) ${verb}.`;
    return [statement(key, "share", text, support)];
  };
  const own = answers.filter((answer) => textsOf(answer.value).some((text) => !choices.includes(text)));
  const parts = [
    ...choices.flatMap((choice) =>
      part(
        `choice:${choice}`,
        `chose “${choice}”`,
        answers.filter(({ value }) => textsOf(value).includes(choice)),
      ),
    ),
    ...part("other", "wrote their own answer", own),
  ];
  const written = own.map((answer) => ({
    ...answer,
    value: textsOf(answer.value).filter((text) => !choices.includes(text)),
  }));
  return [...parts.sort((a, b) => b.count - a.count), ...themeStatements(written, null)];
}

type Written = { response_id: string; text: string; answer: SummaryAnswer };

const answersIn = (theme: Theme<Written>): Support => {
  const [first, ...rest] = theme.texts;
  return [first.answer, ...rest.map(({ answer }) => answer)];
};

function momentsOf(answers: readonly SummaryAnswer[]) {
  const values = answers.map(({ rating }) => rating ?? 0);
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { n, mean, part: variance / n };
}

/** How ratings of people who mention something differ from the others', with Welch's interval. */
function ratingDifference(theme: Theme<Written>, all: readonly Written[], { question }: Scale): Statement[] {
  const inside = new Set<Written>(theme.texts);
  const rated = all.filter(({ answer }) => answer.rating !== null);
  const those = supportOf(rated.filter((one) => inside.has(one)).map(({ answer }) => answer));
  const others = rated.filter((one) => !inside.has(one)).map(({ answer }) => answer);
  if (!those || those.length < GROUP_MIN || others.length < GROUP_MIN) return [];
  const [a, b] = [momentsOf(those), momentsOf(others)];
  const error = Math.sqrt(a.part + b.part);
  if (error === 0) return [];
  const freedom = (a.part + b.part) ** 2 / (a.part ** 2 / (a.n - 1) + b.part ** 2 / (b.n - 1));
  const margin = studentCritical(1 - LEVEL, freedom) * error;
  const difference = a.mean - b.mean;
  if (Math.abs(difference) <= margin) return [];
  const text = `People who mention “${theme.word}” rate ${difference > 0 ? "higher" : "lower"}: ${formatNumber(a.mean, 1)} on average, against ${formatNumber(b.mean, 1)} for the others, on “${question}” (difference ${points(difference)}, 95% interval ${points(difference - margin)} to ${points(difference + margin)}).`;
  return [statement(`rating:${theme.word}`, "difference", text, those)];
}

/**
 * How often detractors (negative) and promoters (positive) mention something, with the interval of the
 * difference.
 */
function groupDifference(theme: Theme<Written>, all: readonly Written[], { scale }: Scale): Statement[] {
  const [low, high] =
    scale === 10 ? (["detractors", "promoters"] as const) : (["negative", "positive"] as const);
  const inside = new Set<Written>(theme.texts);
  const groupOf = (bucket: RatingBucket) => {
    const members = all.filter(({ answer }) => bucketOf(scale, answer.rating) === bucket);
    return { bucket, members, saying: members.filter((one) => inside.has(one)) };
  };
  const [unhappy, happy] = [groupOf(low), groupOf(high)];
  if (unhappy.members.length < GROUP_MIN || happy.members.length < GROUP_MIN) return [];
  const counts = ({ members, saying }: typeof happy) => ({ successes: saying.length, n: members.length });
  const { difference, interval } = compareProportions(counts(happy), counts(unhappy), LEVEL);
  if (interval[0] <= 0 && interval[1] >= 0) return [];
  const [more, less] = difference > 0 ? [unhappy, happy] : [happy, unhappy];
  const support = supportOf(more.saying.map(({ answer }) => answer));
  if (!support) return [];
  const [lower, upper] = difference > 0 ? interval : [-interval[1], -interval[0]];
  const text = `“${theme.word}” is mentioned by ${share(more.saying.length, more.members.length)} of ${more.bucket} and ${share(less.saying.length, less.members.length)} of ${less.bucket} (difference ${formatPercent(Math.abs(difference))}, 95% interval ${formatPercent(lower)} to ${formatPercent(upper)}).`;
  return [statement(`group:${theme.word}`, "difference", text, support)];
}

/** Themes of free texts, and how ratings differ by theme. */
function themeStatements(answers: readonly SummaryAnswer[], scale: Scale | null): Statement[] {
  const written = answers.map((answer) => ({
    response_id: answer.response_id,
    text: textsOf(answer.value).join(" "),
    answer,
  }));
  return findThemes(written).flatMap((theme) => {
    const support = answersIn(theme);
    const [low, high] = wilsonInterval(support.length, answers.length, LEVEL);
    const also = theme.also.length > 0 ? ` (also ${theme.also.map((word) => `“${word}”`).join(", ")})` : "";
    const text = `${support.length} of ${answers.length} answers (${share(support.length, answers.length)}) mention “${theme.word}”${also}; 95% interval ${formatPercent(low)} to ${formatPercent(high)}.`;
    const quotes = theme.quotes.map(({ response_id, text }) => ({ response_id, text }));
    const differences = scale
      ? [...ratingDifference(theme, written, scale), ...groupDifference(theme, written, scale)]
      : [];
    return [statement(`theme:${theme.word}`, "theme", text, support, quotes), ...differences];
  });
}

/**
 * Summarizes the answers to a question, deterministically. Every statement has the responses it counts, at
 * least one.
 *
 * @param answers non-blank ones, one per response
 * @param scale of the ratings given with the answers; null if the survey has none
 */
export function summarize(
  question: TableQuestion,
  answers: readonly SummaryAnswer[],
  scale: Scale | null,
): Statement[] {
  const support = supportOf(answers);
  if (!support) return [];
  if (rangeOfRating(question)) return ratingStatements(Number(question.scale), answers);
  if (isChoice(question)) return choiceStatements(question, answers);
  const { counted } = kindOf(question);
  if (counted) return [statement("all", "overall", counted(support.length), support)];
  const noun = support.length === 1 ? "answer was" : "answers were";
  const themes = themeStatements(answers, scale);
  const text = `${support.length} ${noun} given${themes.length > 0 ? "." : "; they share no theme."}`;
  return [statement("all", "overall", text, support), ...themes];
}

/** The statements as Markdown; a fixed sentence where there are none. */
export function summaryText(
  question: string,
  statements: readonly { text: string }[],
  notes: readonly string[],
): string {
  const list =
    statements.length === 0
      ? ["There are no answers to this question yet."]
      : [`**${question}**`, statements.map(({ text }) => `- ${text}`).join("\n")];
  return [...list, ...notes.map((note) => `_${note}_`)].join("\n\n");
}
