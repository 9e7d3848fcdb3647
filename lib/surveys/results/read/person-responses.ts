import { personOf } from "#lib/people/persons/service.ts";
import type { Input } from "#lib/platform/http/contract.ts";
import { neighbours } from "#lib/platform/http/paging.ts";
import type { MemberContext } from "#lib/surveys/context.ts";
import { questionsOf } from "#lib/surveys/results/count/filter.ts";
import type { personSurveysContract } from "#lib/surveys/results/person-contract.ts";
import { selectSurveysById } from "#lib/surveys/surveys/store.ts";
import { selectMetSurveys, selectPersonResponses } from "./person-store.ts";
import { namesOf, rowOf } from "./responses.ts";

type Of<Name extends keyof typeof personSurveysContract> = Input<(typeof personSurveysContract)[Name]>;

/** What a person answered to any survey, and which surveys they have seen. */
export async function survey_responses(context: MemberContext, { params, query }: Of<"survey_responses">) {
  const { db, project } = context;
  const person = { project_id: project.id, person_id: (await personOf(context, params.id)).id };
  const [{ rows, count }, met] = await Promise.all([
    selectPersonResponses(db, person, query),
    selectMetSurveys(db, person),
  ]);
  const ids = [...new Set([...rows.map((row) => row.survey_id), ...met.map(({ id }) => id)])];
  const surveys = new Map((await selectSurveysById(db, project.id, ids)).map((row) => [row.id, row]));
  const nameOf = (id: string) => surveys.get(id)?.name ?? null;
  const questions = new Map([...surveys].map(([id, survey]) => [id, questionsOf(survey)]));
  const names = await namesOf(context, rows);
  return {
    count,
    ...neighbours(context.url, query, count),
    results: rows.map((row) => ({
      survey: { id: row.survey_id, name: nameOf(row.survey_id) },
      ...rowOf(row, questions.get(row.survey_id) ?? [], names),
    })),
    surveys: met.map((survey) => ({ ...survey, name: nameOf(survey.id) })),
  };
}
