/** A free text and its response. */
export type Text = { response_id: string; text: string };

/** Related words, with the texts that contain one of them. */
export type Theme<T extends Text = Text> = {
  /** Names the theme: its most frequent word in its most frequent form. */
  word: string;
  /** The other words, most frequent first. */
  also: string[];
  texts: readonly [T, ...T[]];
  /** Typical texts, the most typical first. */
  quotes: T[];
};

const THEMES_MAX = 8;
const TERMS_MAX = 150;
const LEAST_SUPPORT = 2;
/** Minimum cosine similarity for words of one theme. */
const ALIKE = 0.55;
const QUOTES = 3;
const QUOTE_MAX = 240;

/** Stop words in common languages of respondents. */
const STOP_WORDS = new Set(
  (
    "a about after again all almost also always am an and another any anything are as at be because been before being both but " +
    "by can cannot could did do does doing done don't each else even ever every everything few for from get gets getting got had " +
    "has have having he her here him his how i i'm i've if in into is isn't it it's its itself just know less let like ll lot made " +
    "make makes many maybe me more most much my need never no nobody nor not nothing now of off on once one only or other our out " +
    "over own please re really same she should so some something still such sure than thank thanks that that's the their them then " +
    "there these they thing things think this those through to too under until up us use used using ve very want was way we well " +
    "were what when where which while who why will with without won't would you your honestly overall sadly sorry keep going " +
    "aber als am an auch auf aus bei bin bis da das dass dem den der des die doch ein eine einem einen einer es für hat haben ich " +
    "ihr im in ist ja kann kein keine leider man mehr mein mir mit nach nicht noch nur oder sehr sich sie sind so und uns von vor " +
    "war was wenn wie wir wird zu zum zur " +
    "au aux avec ce ces cette dans de des du elle en est et il ils je la le les leur lui ma mais me mes mon ne nos notre nous on ou " +
    "par pas plus pour qu que qui sa sans se ses si son sont sur trop très tu un une vos votre vous y à " +
    "al como con cuando del desde donde el ella ellos era es esta este ha hay la las lo los mas más me mi mucho muy no nos o para " +
    "pero por que se ser si sin sobre son su sus también te tiene todo tu un una y ya " +
    "ao aos com como da das demais do dos e ela ele em essa esse está eu foi isso já mais mas muito na não nas no nos num o os ou " +
    "para pela pelo por que se sem seu sua são também um uma " +
    "att av det du en ett för han har hon inte jag men med mig min och om på som så till var vi är"
  ).split(" "),
);

const segmenter = new Intl.Segmenter("und", { granularity: "word" });

/** A rough stem of an English word: without endings of number, tense and manner. */
export function stemOf(word: string): string {
  if (!/^[a-z']+$/.test(word)) return word;
  let stem = word.replace(/'s?$/, "");
  if (stem.length > 4) stem = stem.replace(/(?<=[^aeious])ies$/, "y").replace(/(?<=ss|sh|ch|x|z)es$/, "");
  if (stem.length > 3) stem = stem.replace(/(?<=[^us])s$/, "");
  if (stem.length > 5) stem = stem.replace(/(?:ing|ed|ly)$/, "");
  // Undo a doubled consonant or a dropped e: stopp-, creat-.
  if (stem.length > 3) stem = stem.replace(/([bdgklmnprt])\1$/, "$1");
  return stem.length > 3 ? stem.replace(/e$/, "") : stem;
}

/** The content words of a text: [stem, as written], in order. */
function wordsOf(text: string): [stem: string, form: string][] {
  const words: [string, string][] = [];
  for (const { segment, isWordLike } of segmenter.segment(text.toLowerCase().normalize("NFC"))) {
    if (!isWordLike || STOP_WORDS.has(segment)) continue;
    const isLong = segment.length >= 3 || /[\u0370-\uffff]/.test(segment);
    if (isLong && !/^\d+$/.test(segment)) words.push([stemOf(segment), segment]);
  }
  return words;
}

type Term = { stem: string; forms: Map<string, number>; texts: Set<number> };

/** Words shared by at least two texts, the most informative first. */
function termsOf(texts: readonly Text[]): { terms: Term[]; weight: (term: Term) => number } {
  const found = new Map<string, Term>();
  for (const [i, { text }] of texts.entries())
    for (const [stem, form] of wordsOf(text)) {
      const term = found.get(stem) ?? { stem, forms: new Map(), texts: new Set() };
      term.forms.set(form, (term.forms.get(form) ?? 0) + 1);
      term.texts.add(i);
      found.set(stem, term);
    }
  const weight = (term: Term) => term.texts.size * Math.log(1 + texts.length / term.texts.size);
  const terms = [...found.values()]
    .filter((term) => term.texts.size >= LEAST_SUPPORT)
    .sort((a, b) => weight(b) - weight(a) || (a.stem < b.stem ? -1 : 1));
  return { terms: terms.slice(0, TERMS_MAX), weight };
}

function overlap(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let common = 0;
  for (const text of small) if (large.has(text)) common += 1;
  return common / Math.sqrt(a.size * b.size);
}

type Alike = readonly (readonly number[])[];

/** Mean similarity of the words of two groups. */
function meanAlike(alike: Alike, left: readonly number[], right: readonly number[]): number {
  let total = 0;
  for (const i of left) for (const j of right) total += alike[i]?.[j] ?? 0;
  return total / (left.length * right.length);
}

/** The two most similar groups; null if none are similar enough. */
function mostAlike(alike: Alike, groups: readonly (readonly number[])[]): [number, number] | null {
  let best: [number, number] | null = null;
  let most = ALIKE;
  for (const [a, left] of groups.entries())
    for (let b = a + 1; b < groups.length; b++) {
      const mean = meanAlike(alike, left, groups[b] ?? []);
      if (mean > most) [most, best] = [mean, [a, b]];
    }
  return best;
}

/** Merges the two most similar groups of words (by mean similarity) until none are similar enough. */
function clusters(terms: readonly Term[]): Term[][] {
  const alike = terms.map((a) => terms.map((b) => overlap(a.texts, b.texts)));
  const groups = terms.map((_, i) => [i]);
  for (let next = mostAlike(alike, groups); next; next = mostAlike(alike, groups)) {
    const [joined = []] = groups.splice(next[1], 1);
    groups[next[0]]?.push(...joined);
  }
  return groups.map((group) => group.flatMap((i) => terms[i] ?? []));
}

const formOf = ({ forms }: Term): string =>
  [...forms].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))[0]?.[0] ?? "";

/** The shortest texts with the most words of a theme, without duplicates. */
function quotesOf<T extends Text>(
  texts: readonly T[],
  members: ReadonlySet<number>,
  group: readonly Term[],
): T[] {
  const scored = [...members].flatMap((i) => {
    const text = texts[i];
    if (!text || text.text.length > QUOTE_MAX) return [];
    const said = group.filter((term) => term.texts.has(i)).length;
    return [{ text, score: said / group.length - Math.abs(text.text.length - 60) / 400 }];
  });
  const quotes = new Map<string, T>();
  for (const { text } of scored.sort(
    (a, b) => b.score - a.score || (a.text.response_id < b.text.response_id ? -1 : 1),
  )) {
    const key = text.text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim();
    if (!quotes.has(key)) quotes.set(key, text);
    if (quotes.size === QUOTES) break;
  }
  return [...quotes.values()];
}

/**
 * Themes of free texts, deterministic: words that occur in the same texts are clustered (agglomeratively, by
 * mean cosine similarity); each cluster is a theme. Works in any language that Unicode can segment; English
 * words are stemmed.
 */
export function findThemes<T extends Text>(texts: readonly T[]): Theme<T>[] {
  const { terms, weight } = termsOf(texts);
  const groups = clusters(terms)
    .map((group) => {
      const sorted = group.toSorted((a, b) => b.texts.size - a.texts.size || (a.stem < b.stem ? -1 : 1));
      return { group: sorted, members: new Set(sorted.flatMap((term) => [...term.texts])) };
    })
    .sort((a, b) => {
      const [first, second] = [a.group[0], b.group[0]];
      return first && second ? weight(second) - weight(first) || (first.stem < second.stem ? -1 : 1) : 0;
    });
  return groups.slice(0, THEMES_MAX).flatMap(({ group, members }) => {
    const [first, ...rest] = [...members].sort((a, b) => a - b).flatMap((i) => texts[i] ?? []);
    const [word = "", ...also] = group.map(formOf);
    if (!first) return [];
    return [
      { word, also: also.slice(0, 4), texts: [first, ...rest], quotes: quotesOf(texts, members, group) },
    ];
  });
}
