import type { RowFigures } from "#components/surveys/list-figures.tsx";
import { accessTo, permitted } from "#lib/app/session/permitted.ts";
import { requireWho } from "#lib/app/session/who.ts";
import { isObject } from "#lib/engines/json.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { cohortContract } from "#lib/people/cohorts/contract.ts";
import type { Names } from "#lib/people/conditions/words.ts";
import { groupContract } from "#lib/people/groups/contract.ts";
import type { Client } from "#lib/platform/http/client.ts";
import { ApiError } from "#lib/platform/http/errors.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import { surveyResultsContract } from "#lib/surveys/results/contract.ts";
import { surveyContract } from "#lib/surveys/surveys/contract.ts";
import type { SurveyRecord } from "#lib/surveys/surveys/schema.ts";

export const surveyAccess = () => accessTo("survey:write", "make, change or delete surveys");

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One survey; null if there is none with this id, or the key may not read it. */
export const surveyBy = async (api: Client, project_id: string, id: string): Promise<SurveyRecord | null> =>
  UUID.test(id) ? permitted(api.call(surveyContract.retrieve, { params: { project_id, id } })) : null;

/** The ids of flags in anything that mentions them: records, filters or changes. */
function flagIdsIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(flagIdsIn);
  if (!isObject(value)) return [];
  const isLink = value.field === "linked_flag_id";
  return [
    value.linked_flag_id,
    ...(value.type === "flag" ? [value.key] : []),
    ...(isLink ? [value.before, value.after] : []),
    ...Object.values(value).flatMap(flagIdsIn),
  ].filter((id) => typeof id === "number" || typeof id === "string");
}

/** The names of cohorts and group types that targeting can use, and of the flags that something mentions. */
export async function namesFor(
  api: Client,
  project_id: string,
  mentioning: unknown,
): Promise<Required<Names>> {
  const { who } = await requireWho();
  const params = { project_id };
  const may = <T>(scope: Parameters<typeof allows>[1], read: () => Promise<T>) =>
    allows(who.scopes, scope) ? permitted(read()) : null;
  const ids = [...new Set(flagIdsIn(mentioning))];
  const [flags, cohorts, groups] = await Promise.all([
    ids.length > 0
      ? may("feature_flag:read", () => api.call(flagContract.bulk_keys, { params, body: { ids } }))
      : null,
    may("cohort:read", () => api.call(cohortContract.list, { params, query: { limit: "1000" } })),
    permitted(api.call(groupContract.types, { params })),
  ]);
  return {
    flags: new Map(Object.entries(flags?.keys ?? {})),
    cohorts: new Map((cohorts?.results ?? []).map((cohort) => [String(cohort.id), cohort.name])),
    groups: new Map(
      (groups ?? []).map((each) => [
        each.group_type_index,
        each.name_plural ?? `groups of type ${each.group_type}`,
      ]),
    ),
  };
}

const DAY_MS = 86_400_000;
const TREND_DAYS = 29;

/** Responses by day since a day; none if the API does not tell, as that of another service may not. */
async function trendOf(api: Client, project_id: string, id: string, date_from: string): Promise<number[]> {
  const found = await api
    .call(surveyResultsContract.results, { params: { project_id, id }, query: { date_from } })
    .catch((error: unknown) => {
      if (error instanceof ApiError) return null;
      throw error;
    });
  const byDay = new Map(found?.over_time.map((day) => [day.date, day.answered.count]));
  return found ? daysFrom(date_from).map((day) => byDay.get(day) ?? 0) : [];
}

/** All days until today, including those without responses. */
const daysFrom = (first: string): string[] =>
  Array.from({ length: TREND_DAYS + 1 }, (_, i) =>
    new Date(Date.parse(first) + i * DAY_MS).toISOString().slice(0, 10),
  );

/** Responses and rates of the surveys of a page. */
export async function figuresOf(
  api: Client,
  project_id: string,
  surveys: readonly Pick<SurveyRecord, "id" | "start_date">[],
): Promise<RowFigures> {
  const launched = surveys.filter((survey) => survey.start_date !== null);
  const date_from = new Date(Date.now() - TREND_DAYS * DAY_MS).toISOString().slice(0, 10);
  const [stats, results] = await Promise.all([
    Promise.all(
      launched.map(({ id }) => permitted(api.call(surveyContract.stats, { params: { project_id, id } }))),
    ),
    Promise.all(launched.map(({ id }) => trendOf(api, project_id, id, date_from))),
  ]);
  return Object.fromEntries(
    launched.map(({ id }, place) => {
      const found = stats[place];
      return [
        id,
        found
          ? {
              shown: found.stats["survey shown"].total_count,
              responses: found.stats["survey sent"].total_count,
              rate: found.rates.response_rate,
              days: results[place] ?? [],
            }
          : null,
      ];
    }),
  );
}
