import type { Question } from "#lib/engines/branching/question.ts";
import { isObject } from "#lib/engines/json.ts";

/** A text that a choice had, from a moment (null: always) until another one (null: now); in milliseconds. */
type ChoiceText = {
  text: string;
  from: number | null;
  until: number | null;
  /** In another language than the question's own. */
  translated?: true;
};

/** A choice with all texts it ever had, in order. */
export type ChoiceRecord = { id: string; texts: ChoiceText[] };

/** The choices that each question has or had, by the id of the question. */
export type ChoiceHistory = Record<string, ChoiceRecord[]>;

/** The maximum number of texts that the choices of a question may have had. */
export const CHOICE_TEXTS_MAX = 5_000;

const textsOf = (choices: unknown): string[] => (Array.isArray(choices) ? choices.map(String) : []);

const isIdList = (ids: unknown, length: number): ids is string[] =>
  Array.isArray(ids) &&
  ids.length === length &&
  ids.every((id) => typeof id === "string" && id !== "") &&
  new Set(ids).size === length;

/**
 * The ids of a stored question's choices, parallel to `choices`. Questions stored before choices had ids get
 * stable ones by place, until they are saved again.
 */
export function choiceIdsOf({ choices, choice_ids: ids }: Question): string[] {
  const texts = textsOf(choices);
  return isIdList(ids, texts.length) ? ids : texts.map((_, place) => `c${place}`);
}

/** The question with the ids of its choices, where it has choices. */
export const withChoiceIds = <Q extends Question>(question: Q): Q =>
  textsOf(question.choices).length > 0 ? { ...question, choice_ids: choiceIdsOf(question) } : question;

type Listed = { id: string; text: string; place: number };

/** The choices except the open one, each text once. */
export function listedChoices(question: Question): Listed[] {
  const ids = choiceIdsOf(question);
  const all = textsOf(question.choices).map((text, place) => ({ id: ids[place] ?? "", text, place }));
  const listed = question.hasOpenChoice ? all.slice(0, -1) : all;
  return listed.filter(({ text }, place) => listed.findIndex((other) => other.text === text) === place);
}

/** The current texts of a question's choices, including translations; trimmed. */
function textsNow(question: Question): { id: string; text: string; translated: boolean }[] {
  const listed = listedChoices(question);
  const languages = isObject(question.translations) ? Object.values(question.translations) : [];
  const lists = languages.map((language) => textsOf(isObject(language) ? language.choices : null));
  return [
    ...listed.map(({ id, text }) => ({ id, text: text.trim(), translated: false })),
    ...listed.flatMap(({ id, text, place }) =>
      [...new Set(lists.map((list) => (list[place] ?? "").trim()))]
        .filter((translation) => translation !== "" && translation !== text.trim())
        .map((translation) => ({ id, text: translation, translated: true })),
    ),
  ];
}

const isOpen = ({ until }: ChoiceText) => until === null;

const isSameText = (one: { text: string; translated?: boolean }, other: typeof one) =>
  one.text === other.text && Boolean(one.translated) === Boolean(other.translated);

/** The records of a question without history: its choices always had their current texts. */
const firstRecords = (question: Question): ChoiceRecord[] => nextRecords([], question, null);

/** The same without translations: how answers were read before choices had ids. */
const untranslated = (records: readonly ChoiceRecord[]): ChoiceRecord[] =>
  records.map(({ id, texts }) => ({ id, texts: texts.filter(({ translated }) => !translated) }));

/**
 * Whether a choice's last period with a text can be continued: no other choice has had the text since, so no
 * answer would be read differently.
 */
const canGoOn = (records: readonly ChoiceRecord[], id: string, last: ChoiceText): boolean =>
  records.every(
    (other) =>
      other.id === id ||
      other.texts.every(
        ({ text, until }) => text !== last.text || (until !== null && until <= (last.from ?? -Infinity)),
      ),
  );

/** Records after a question got other choices (null: after it was removed) at a moment. */
function nextRecords(
  records: readonly ChoiceRecord[],
  question: Question | null,
  now: number | null,
): ChoiceRecord[] {
  const wanted = question ? textsNow(question) : [];
  const next = records.map(({ id, texts }) => ({
    id,
    texts: texts
      .map((text) => {
        const goesOn = !isOpen(text) || wanted.some((one) => one.id === id && isSameText(one, text));
        return { ...text, until: goesOn ? text.until : now };
      })
      // Drop texts with an empty period.
      .filter(({ from, until }) => until === null || from !== until),
  }));
  for (const { id, text, translated } of wanted) {
    let record = next.find((one) => one.id === id);
    if (!record) {
      record = { id, texts: [] };
      next.push(record);
    }
    const known = record.texts.findLast((one) => isSameText(one, { text, translated }));
    if (known && isOpen(known)) continue;
    if (known && canGoOn(next, id, known)) known.until = null;
    else record.texts.push({ text, from: now, until: null, ...(translated && { translated }) });
  }
  return next.filter(({ texts }) => texts.length > 0);
}

type Stored = readonly Question[] | null;

const idOf = ({ id }: Question): string | null => (typeof id === "string" && id !== "" ? id : null);

/** Questions by id; of duplicates, the first. */
function byId(questions: Stored): Map<string, Question> {
  const found = new Map<string, Question>();
  for (const question of questions ?? []) {
    const id = idOf(question);
    if (id !== null && !found.has(id)) found.set(id, question);
  }
  return found;
}

/**
 * The history after a survey's questions were changed at a moment. Choices that are gone stay in it, and so
 * do the questions that are gone: their answers are still there, and a restored question takes them up again.
 *
 * @param now in milliseconds since the epoch
 */
export function nextHistory(
  history: ChoiceHistory | null,
  before: Stored,
  after: Stored,
  now: number,
): ChoiceHistory {
  const [was, is] = [byId(before), byId(after)];
  const ids = new Set([...Object.keys(history ?? {}), ...was.keys(), ...is.keys()]);
  const entries = [...ids].map((id): [string, ChoiceRecord[]] => {
    const [old, question] = [was.get(id), is.get(id) ?? null];
    const records = history && Object.hasOwn(history, id) ? history[id] : old && firstRecords(old);
    if (records && records.length > 0) return [id, nextRecords(records, question, now)];
    return [id, question ? nextRecords([], question, old ? now : null) : []];
  });
  return Object.fromEntries(entries.filter(([, records]) => records.length > 0));
}

type Recorded = { choice_records?: readonly ChoiceRecord[] | undefined };

/** A question with the records of its choices, by which its answers are read. */
export type RecordedQuestion = Question & Recorded;

/** Questions with the records of their choices; what a client stored under that name never counts. */
export function withRecords<Q extends Question>(
  questions: readonly Q[],
  history: ChoiceHistory | null,
): (Q & Recorded)[] {
  const first = byId(questions);
  return questions.map((question) => {
    const id = idOf(question);
    const known = id !== null && first.get(id) === question && Object.hasOwn(history ?? {}, id);
    return { ...question, choice_records: known ? history?.[id] : undefined };
  });
}

const recordsOf = (question: RecordedQuestion): readonly ChoiceRecord[] =>
  question.choice_records ?? untranslated(firstRecords(question));

/** The text that a choice had last, in the question's own language. A text that returns keeps its place in the list. */
function lastText({ texts }: ChoiceRecord): string {
  const own = texts.filter(({ translated }) => !translated);
  const end = ({ until }: ChoiceText) => until ?? Infinity;
  const last = (own.length > 0 ? own : texts).reduce<ChoiceText | null>(
    (last, text) => (last && end(text) < end(last) ? last : text),
    null,
  );
  return last?.text ?? "";
}

/** Choices that a question no longer has, by their last texts; several that had the same one are one. */
export function formerChoices(question: RecordedQuestion): { text: string; ids: string[] }[] {
  const listed = new Set(listedChoices(question).map(({ id }) => id));
  const former = recordsOf(question).filter(({ id }) => !listed.has(id));
  return [...Map.groupBy(former, lastText)].map(([text, records]) => ({
    text,
    ids: records.map(({ id }) => id),
  }));
}

/** A period in which a choice had a text; `slot` names the choice. */
type Holder = { slot: string; from: number; until: number; translated: boolean };

/** The choice that had a text at a moment, else before, else after it. */
const ageOf = ({ from, until }: Holder, at: number): number => (until <= at ? 1 : from > at ? 2 : 0);

function isBetter(one: Holder, other: Holder, at: number): boolean {
  const [age, otherAge] = [ageOf(one, at), ageOf(other, at)];
  if (age !== otherAge) return age < otherAge;
  if (one.translated !== other.translated) return other.translated;
  if (age === 1) return one.until > other.until;
  return age === 2 ? one.from < other.from : true;
}

/**
 * Which choice a text means: its place among the listed ones, "f" and its place among the former ones, or
 * null.
 */
export type ChoiceReader = (text: string, at: number) => string | null;

/**
 * Reads the texts of answers to a question: SDKs send the text of a choice and not the choice itself.
 *
 * A text that was recorded at a moment means
 * 1. the choice that had this text then;
 * 2. else the choice that had it last before: pages and apps show the survey as they loaded it, and answers
 * may come
 * hours after a text was changed;
 * 3. else the choice that got it first afterwards: clocks of respondents are wrong, answers are imported, and
 * what
 * people typed is counted for the choice that says the same since;
 * 4. else no choice: it is a free text.
 *
 * In each step the question's own language comes before translations. So an answer stays with its choice
 * whatever happens to choices later: new texts, other places, removal, or another choice that takes over the
 * text.
 */
export function choiceReader(question: RecordedQuestion): ChoiceReader {
  const slots = new Map(listedChoices(question).map(({ id }, place) => [id, String(place)]));
  for (const [place, { ids }] of formerChoices(question).entries())
    for (const id of ids) slots.set(id, `f${place}`);
  const holders = new Map<string, Holder[]>();
  for (const { id, texts } of recordsOf(question)) {
    const slot = slots.get(id);
    if (slot === undefined) continue;
    for (const { text, from, until, translated } of texts) {
      const found = holders.get(text) ?? [];
      holders.set(text, found);
      found.push({
        slot,
        from: from ?? -Infinity,
        until: until ?? Infinity,
        translated: translated === true,
      });
    }
  }
  return (text, at) => {
    const [first, ...others] = holders.get(text.trim()) ?? [];
    if (!first) return null;
    return others.reduce((best, one) => (isBetter(one, best, at) ? one : best), first).slot;
  };
}

/** All texts that ever meant a choice of a question. */
export const knownTexts = (question: RecordedQuestion): string[] => [
  ...new Set(recordsOf(question).flatMap(({ texts }) => texts.map(({ text }) => text))),
];

/** A fingerprint of how a question's answers are read. */
export const readingOf = (question: RecordedQuestion): unknown => [
  listedChoices(question).map(({ id, text }) => [id, text]),
  recordsOf(question).map(({ id, texts }) => [
    id,
    texts.map(({ text, from, until, translated }) => [text, from, until, translated === true]),
  ]),
];

const sentIds = (question: Question): readonly unknown[] | null =>
  Array.isArray(question.choice_ids) ? question.choice_ids : null;

/** The records of a question that is stored, or was once; null for a new one. */
function pastOf(
  id: string | null,
  before: ReadonlyMap<string, Question>,
  history: ChoiceHistory | null,
): { question: Question | null; records: readonly ChoiceRecord[]; ids: Set<string> } | null {
  const question = (id !== null && before.get(id)) || null;
  const known = id !== null && history && Object.hasOwn(history, id) ? (history[id] ?? []) : [];
  if (!question && known.length === 0) return null;
  const records = known.length > 0 ? known : question ? firstRecords(question) : [];
  const ids = [...records.map((record) => record.id), ...(question ? choiceIdsOf(question) : [])];
  return { question, records, ids: new Set(ids) };
}

/**
 * The first question that names a choice which it does not have and never had. A question that the survey
 * does not know yet may bring ids along, as it may bring its own: it is a copy.
 *
 * @returns its place, and the id; null if all is right
 */
export function findUnknownChoice(
  sent: readonly Question[],
  before: Stored,
  history: ChoiceHistory | null,
): { place: number; id: string } | null {
  const stored = byId(before);
  for (const [place, question] of sent.entries()) {
    const past = pastOf(idOf(question), stored, history);
    if (!past || past.ids.size === 0) continue;
    const id = sentIds(question)?.find((one) => typeof one === "string" && !past.ids.has(one));
    if (typeof id === "string") return { place, id };
  }
  return null;
}

/** Assigns ids by text to choices sent without ids. */
function idsByText(question: Question, past: NonNullable<ReturnType<typeof pastOf>>): (string | null)[] {
  const texts = textsOf(question.choices);
  const ids: (string | null)[] = texts.map(() => null);
  const stored = textsOf(past.question?.choices);
  const storedIds = past.question ? choiceIdsOf(past.question) : [];
  for (const [place, id] of storedIds.entries()) {
    const match = texts.findIndex((text, at) => ids[at] === null && text.trim() === stored[place]?.trim());
    if (match >= 0) ids[match] = id;
  }
  // The rest may match a former text of another choice.
  const owners = past.records.flatMap(({ id, texts: had }) =>
    had
      .filter(({ translated }) => !translated)
      .map(({ text, until }) => ({ id, text, until: until ?? Infinity })),
  );
  owners.sort((a, b) => b.until - a.until);
  for (const [at, text] of texts.entries())
    if (ids[at] === null)
      ids[at] = owners.find((one) => one.text === text.trim() && !ids.includes(one.id))?.id ?? null;
  return ids;
}

/**
 * Sent questions with an id for each choice.
 *
 * `choice_ids`, parallel to `choices`, says which choices they are: the same id with another text corrects
 * the wording, null makes a new choice. Without `choice_ids` a choice is known by its text, the one it has or
 * had before. A text that no choice had makes a new choice, even where only one text changed: whether that
 * corrects a word or asks something else, nobody can tell, and the earlier answers stay under the former
 * choice.
 *
 * @param newId of a choice; called again while it gives one that the question had already
 */
export function assignChoiceIds<Q extends Question>(
  sent: readonly Q[],
  before: Stored,
  history: ChoiceHistory | null,
  newId: () => string,
): Q[] {
  const stored = byId(before);
  return sent.map((question) => {
    const { choice_ids: given, ...rest } = question;
    if (textsOf(question.choices).length === 0) return rest as Q;
    const past = pastOf(idOf(question), stored, history);
    const ids =
      sentIds(question)?.map((id) => (typeof id === "string" ? id : null)) ??
      (past ? idsByText(question, past) : textsOf(question.choices).map(() => null));
    const taken = new Set([...(past?.ids ?? []), ...ids]);
    return {
      ...question,
      choice_ids: ids.map((id) => {
        if (id !== null) return id;
        let made = newId();
        while (taken.has(made)) made = newId();
        taken.add(made);
        return made;
      }),
    };
  });
}

/** The question whose choices have had too many texts; null if none has. */
export const findOverfullQuestion = (history: ChoiceHistory): string | null =>
  Object.entries(history).find(
    ([, records]) => records.reduce((sum, { texts }) => sum + texts.length, 0) > CHOICE_TEXTS_MAX,
  )?.[0] ?? null;
