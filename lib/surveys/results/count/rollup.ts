import type { Db } from "#lib/platform/db/connect.ts";
import { areMembers } from "#lib/surveys/results/ingest/across-surveys.ts";
import { ACROSS_SURVEYS } from "#lib/surveys/results/ingest/across-surveys-store.ts";
import type { SurveyScope } from "#lib/surveys/results/ingest/ingest-store.ts";
import { type Days, selectCounts, selectRespondents } from "./results-store.ts";
import { type Span, selectMoments, selectPeopleOf, selectResponseMoments } from "./rollup-store.ts";
import type { EventCounts, SurveyEventName } from "./statistics.ts";
import { buildCounts, type SurveyCounts } from "./tables.ts";

export { selectAnsweredSince as answeredSince } from "./rollup-store.ts";

/** The public counts of surveys, as `figuresOf` takes them. */
export type RollupFigures = { counts: Record<SurveyEventName, EventCounts>; both: number };

const DAY_MS = 86_400_000;

const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The days of a window that consists of whole UTC days; null for any other. */
export function wholeDaysOf(window: { date_from: Date | null; date_to: Date | null }): Days | null {
  const [from, to] = [window.date_from?.getTime() ?? null, window.date_to?.getTime() ?? null];
  if (from !== null && from % DAY_MS !== 0) return null;
  if (to !== null && (to + 1) % DAY_MS !== 0) return null;
  return { date_from: from === null ? null : dayText(from), date_to: to === null ? null : dayText(to) };
}

type Part = { counts: SurveyCounts; spans: Record<"shown" | "dismissed" | "answered", Span> };

async function partOf(db: Db, scope: SurveyScope, days: Days): Promise<Part> {
  const [rows, shown, dismissed, answered] = await Promise.all([
    selectCounts(db, scope, days),
    selectMoments(db, scope, "shown", days),
    selectMoments(db, scope, "dismissed", days),
    selectResponseMoments(db, scope, days),
  ]);
  return { counts: buildCounts(rows, []), spans: { shown, dismissed, answered } };
}

type People = Awaited<ReturnType<typeof selectPeopleOf>>;

const isIrregular = ({ counts }: Part) => counts.isIrregular;

/** People across a project's surveys; null if these are not the surveys in the rollup. */
export async function readPeopleAcrossSurveys(
  db: Db,
  project_id: number,
  ids: readonly string[],
  days: Days,
): Promise<People | null> {
  if (!(await areMembers(db, project_id, ids))) return null;
  const rows = await selectCounts(db, { project_id, survey_id: ACROSS_SURVEYS }, days);
  const { shown, dismissed, answered, answering, closed } = buildCounts(rows, []).people;
  return { shown, dismissed, answered, both: dismissed + answering - closed };
}

async function peopleOf(
  db: Db,
  scopes: readonly SurveyScope[],
  parts: readonly Part[],
  days: Days,
): Promise<People> {
  const [scope, part] = [scopes[0], parts[0]];
  if (!scope || !part) return { shown: 0, dismissed: 0, answered: 0, both: 0 };
  if (scopes.length > 1) {
    const ids = scopes.map(({ survey_id }) => survey_id);
    return (
      (await readPeopleAcrossSurveys(db, scope.project_id, ids, days)) ??
      selectPeopleOf(db, scope.project_id, ids, days)
    );
  }
  const { shown, dismissed, answering, closed } = part.counts.people;
  const filter = { ...days, iteration: null, persons: null, answers: [], fields: [] };
  const answered = isIrregular(part)
    ? (await selectRespondents(db, scope, filter)).answered
    : part.counts.people.answered;
  return { shown, dismissed, answered, both: dismissed + answering - closed };
}

/** The earliest first and the latest last. */
function joined(spans: readonly Span[]): Span {
  const all = (of: "first" | "last") => spans.flatMap((span) => span[of] ?? []);
  const [firsts, lasts] = [all("first"), all("last")];
  return {
    first: firsts.length > 0 ? Math.min(...firsts) : null,
    last: lasts.length > 0 ? Math.max(...lasts) : null,
  };
}

/**
 * Public counts across surveys for whole days, from the rollups.
 *
 * @returns null if the rollups cannot tell the people of several surveys
 */
export async function readRollup(
  db: Db,
  scopes: readonly SurveyScope[],
  days: Days,
): Promise<RollupFigures | null> {
  const parts = await Promise.all(scopes.map((scope) => partOf(db, scope, days)));
  if (parts.length > 1 && parts.some(isIrregular)) return null;
  const people = await peopleOf(db, scopes, parts, days);
  const counts = (kind: "shown" | "dismissed" | "answered"): EventCounts => ({
    total: parts.reduce((sum, part) => sum + part.counts.events[kind], 0),
    persons: people[kind],
    ...joined(parts.map(({ spans }) => spans[kind])),
  });
  return {
    counts: {
      "survey shown": counts("shown"),
      "survey dismissed": counts("dismissed"),
      "survey sent": counts("answered"),
    },
    both: people.both,
  };
}
