import { setTimeout as delay } from "node:timers/promises";
import {
  type Answer,
  ask,
  type Difference,
  differences,
  isNewField,
  type Read,
  UNANSWERED,
} from "./answers.ts";

/** Jobs that were just under way may have changed what one of them answered. */
const SECOND_LOOK_AFTER_MS = 1_000;
/** Of a differing answer, so many places are shown. */
const PLACES_SHOWN = 5;
const VALUE_SHOWN = 80;

/** How often each was seen. */
type Counts = Map<string, number>;

const count = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

type Outcome = {
  equal: number;
  different: number;
  /** Of the equal ones, those that both refused, by operation. */
  refused: Counts;
  /** Fields that only the later version answers. */
  new_fields: Counts;
};

type Say = (line: string) => void;

/** Answers that are keyed by flag: there, something new is another value. */
const BY_FLAG = /^(POST )?\/(flags|decide|ofrep)\/|\/(evaluation_reasons|my_flags)\/$/;

function differencesOf(earlier: Answer, later: Answer): Difference[] {
  // What nobody has answered is not equal.
  if (earlier.status === later.status && earlier.status !== UNANSWERED)
    return differences(earlier.body, later.body);
  return [{ place: "status", earlier: wordOf(earlier), later: wordOf(later) }];
}

const wordOf = ({ status, body }: Answer) => (status === UNANSWERED ? body : status);

/** As much of two values as shows how they differ. */
function shown({ earlier, later }: Difference): string {
  const texts = [earlier, later].map((value) => (value === undefined ? "nothing" : JSON.stringify(value)));
  const [a = "", b = ""] = texts;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  const from = Math.max(a.length, b.length) > VALUE_SHOWN ? Math.max(0, same - VALUE_SHOWN / 4) : 0;
  return texts
    .map((text) => {
      const to = from + VALUE_SHOWN;
      return `${from > 0 ? "…" : ""}${text.slice(from, to)}${text.length > to ? "…" : ""}`;
    })
    .join(" → ");
}

const nameOf = ({ path, body }: Read): string =>
  body === undefined ? `GET ${path}` : `POST ${path} ${body}`;

function report(say: Say, read: Read, found: readonly Difference[]): void {
  say(`DIFFERENT  ${nameOf(read)}`);
  for (const difference of found.slice(0, PLACES_SHOWN))
    say(`           ${difference.place}: ${shown(difference)}`);
  if (found.length > PLACES_SHOWN) say(`           and at ${found.length - PLACES_SHOWN} more places`);
}

type Versions = { earlier: string; later: string };

/**
 * Asks two versions the same, one read after another, and reports every answer that differs.
 *
 * @param began when both had the same data, in ms
 */
export async function replay(reads: readonly Read[], { earlier, later }: Versions, began: number, say: Say) {
  const outcome: Outcome = { equal: 0, different: 0, refused: new Map(), new_fields: new Map() };
  const both = (read: Read) => Promise.all([ask(earlier, read, began), ask(later, read, began)]);
  for (const read of reads) {
    let [before, after] = await both(read);
    if (differencesOf(before, after).length > 0) {
      await delay(SECOND_LOOK_AFTER_MS);
      [before, after] = await both(read);
    }
    const found = differencesOf(before, after);
    const isHarmless = (each: Difference) => isNewField(each) && !BY_FLAG.test(read.operation);
    const changed = found.filter((each) => !isHarmless(each));
    const added = found.filter(isHarmless).map(({ place }) => place.replace(/\[\d+\]/g, "[]"));
    for (const place of new Set(added)) count(outcome.new_fields, `${read.operation} ${place}`);
    if (changed.length > 0) {
      outcome.different += 1;
      report(say, read, changed);
      continue;
    }
    outcome.equal += 1;
    if (before.status >= 400) count(outcome.refused, `${read.operation} (${before.status})`);
  }
  return outcome;
}
