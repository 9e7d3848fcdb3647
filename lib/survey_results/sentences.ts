import { studentCritical } from "#lib/statistics/distributions.ts";
import { compareProportions, wilsonInterval } from "#lib/statistics/proportions.ts";
import { bucketOf, bucketsOf, type RatingBucket, rangeOf } from "#lib/surveys/branching.ts";
import { ratingOf, summarizeRatings } from "#lib/surveys/ratings.ts";
import { choicesOf, formersOf, isChoice, rangeOfRating, textsOf } from "./coding.ts";
import { LEVEL, scoreInterval } from "./score.ts";
import type { TableQuestion } from "./tables.ts";
import { type Theme, themesOf } from "./themes.ts";

/** What was answered in one response, with the rating that the same person gave in it. */
export type SummaryAnswer = { response_id: string; value: unknown; rating: number | null };

/** Rows that something rests on: there is always one. */
type Support = readonly [SummaryAnswer, ...SummaryAnswer[]];

type Kind = "overall" | "share" | "theme" | "difference";

/**
 * A sentence about answers, with the responses that it counts: never without any, because it can only be made from
 * support, and support is never empty. `count` is always their number. `key` names what it is about, not what it
 * says, so that it can be found again while answers go on arriving.
 */
export type Statement = {
  key: string;
  kind: Kind;
  text: string;
  count: number;
  response_ids: [string, ...string[]];
  quotes: { response_id: string; text: string }[];
};

/** The rating that answers are set against: of the same survey. */
export type Scale = { scale: number; question: string };

/** Groups smaller than this are not compared. */
const GROUP_MIN = 8;

/** Rows as support; null where there are none to make a statement of. */
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

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const share = (part: number, whole: number) => percent(part / whole);
const points = (value: number) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(1)}`;

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
  return `; the net promoter score is ${summary.nps_text} (95 % interval ${points(low)} to ${points(high)})`;
}

function ratingStatements(scale: number, answers: readonly SummaryAnswer[]): Statement[] {
  const rated = supportOf(answers.filter((answer) => bucketOf(scale, ratingOf(answer.value)) !== null));
  if (!rated) return [];
  const summary = summarizeRatings(
    scale,
    rated.map((answer) => answer.value),
  );
  const range = rangeOf(scale);
  const average = `${rated.length} ${rated.length === 1 ? "rating averages" : "ratings average"} ${summary.mean?.toFixed(2)} on the scale from ${range?.first} to ${range?.last}`;
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
    ...part("other", "wrote an answer of their own", own),
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

/** How the ratings of those who mention something differ from the others': Welch's interval of the difference. */
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
  const text = `Who mentions “${theme.word}” rates ${difference > 0 ? "higher" : "lower"}: ${a.mean.toFixed(1)} on average against ${b.mean.toFixed(1)} of the others to “${question}” (difference ${points(difference)}, 95 % interval ${points(difference - margin)} to ${points(difference + margin)}).`;
  return [statement(`rating:${theme.word}`, "difference", text, those)];
}

/** Whether detractors (negative) and promoters (positive) mention something differently often. */
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
  const text = `“${theme.word}” is mentioned by ${share(more.saying.length, more.members.length)} of ${more.bucket} and ${share(less.saying.length, less.members.length)} of ${less.bucket} (${percent(Math.abs(difference))} of people more, 95 % interval ${percent(lower)} to ${percent(upper)}).`;
  return [statement(`group:${theme.word}`, "difference", text, support)];
}

/** Themes of free texts, and how ratings differ with them where the same people gave one. */
function themeStatements(answers: readonly SummaryAnswer[], scale: Scale | null): Statement[] {
  const written = answers.map((answer) => ({
    response_id: answer.response_id,
    text: textsOf(answer.value).join(" "),
    answer,
  }));
  return themesOf(written).flatMap((theme) => {
    const support = answersIn(theme);
    const [low, high] = wilsonInterval(support.length, answers.length, LEVEL);
    const also = theme.also.length > 0 ? ` (also ${theme.also.map((word) => `“${word}”`).join(", ")})` : "";
    const text = `${support.length} of ${answers.length} answers (${share(support.length, answers.length)}) mention “${theme.word}”${also}; 95 % interval ${percent(low)} to ${percent(high)}.`;
    const quotes = theme.quotes.map(({ response_id, text }) => ({ response_id, text }));
    const differences = scale
      ? [...ratingDifference(theme, written, scale), ...groupDifference(theme, written, scale)]
      : [];
    return [statement(`theme:${theme.word}`, "theme", text, support, quotes), ...differences];
  });
}

/**
 * Says what the answers to a question come to, the same for the same answers. Every statement carries the
 * responses that it counts; one without any is never made.
 *
 * @param answers that say something, each of another response
 * @param scale of the ratings that come with the answers; null where the survey asks for none
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
  if (question.type === "link") {
    const people = support.length === 1 ? "person" : "people";
    return [statement("all", "overall", `${support.length} ${people} followed the link.`, support)];
  }
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
