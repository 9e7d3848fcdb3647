import { z } from "zod";
import { onePerson } from "#lib/people/persons/contract.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";
import { count, responseRow } from "./schema.ts";

const PAGE_MAX = 1_000;

const survey = z.object({
  id: z.string().meta({ description: "UUID of the survey." }),
  name: z.string().nullable().meta({ description: "null: the survey was deleted." }),
});

const personResponse = z
  .object({ survey, ...responseRow.shape })
  .meta({ id: "PersonSurveyResponse", description: "A response of a person, archived or not." });

const metSurvey = z
  .object({
    ...survey.shape,
    shown: count.meta({ description: "How often it was shown to the person." }),
    dismissed: count.meta({ description: "How often they closed it before any answer." }),
    left: count.meta({ description: "How often they closed it after some answers." }),
    abandoned: count.meta({ description: "How often they left it open without an answer." }),
    last_day: z.string().meta({ description: "Latest day with any event of it, UTC." }),
  })
  .meta({ id: "PersonSurvey", description: "A survey that a person has seen." });

/** What a person was asked, and answered. */
export const personSurveysContract = {
  survey_responses: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/persons/{id}/survey_responses/",
    tag: "Persons",
    scope: "survey:read",
    summary: "List the survey responses of a person",
    description: "Newest first, of all surveys; and the surveys that the person has seen.",
    params: onePerson,
    query: z.object({ limit: limitUpTo(PAGE_MAX), offset: pageQuery.offset }),
    status: 200,
    response: envelope(personResponse).extend({
      surveys: z.array(metSurvey).meta({ description: "Surveys the person has seen, latest first." }),
    }),
  }),
};
