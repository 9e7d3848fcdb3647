import { z } from "zod";
import { activityQuery } from "#lib/activity/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope } from "#lib/platform/http/paging.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { pathReport, questionsToCheck } from "#lib/surveys/surveys/questions/check-schema.ts";
import { surveyActivityPage } from "./activity-schema.ts";
import {
  allSurveyStats,
  responsesCount,
  statsQuery,
  summaryQuery,
  surveyStats,
  surveySummary,
} from "./figures-schema.ts";
import { surveyCreate, surveyListQuery, surveyRecord, surveyUpdate, surveyWritten } from "./schema.ts";

const tag = "Surveys";
const root = "/api/projects/{project_id}/surveys/" as const;
const project = z.object(projectParam);
const one = z.object({ ...projectParam, id: z.uuid().meta({ description: "UUID of the survey." }) });

/** The endpoints of surveys: the public eleven, the check of branching, the preview, launch and stop. */
export const surveyContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "survey:read",
    summary: "List surveys",
    description: "Newest first, archived ones included.",
    params: project,
    query: surveyListQuery,
    status: 200,
    response: envelope(surveyRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "survey:write",
    summary: "Create a survey",
    description:
      "Every survey gets a flag of its own that excludes people who have answered or dismissed it, and another " +
      "one made from targeting_flag_filters. Both are on while it runs.",
    params: project,
    body: surveyCreate,
    status: 201,
    response: surveyWritten,
  }),
  all_activity: endpoint({
    method: "GET",
    path: `${root}activity/`,
    tag,
    scope: "activity_log:read",
    summary: "Activity of all surveys",
    description: "Newest first, including deleted surveys.",
    params: project,
    query: activityQuery,
    status: 200,
    response: surveyActivityPage,
  }),
  responses_count: endpoint({
    method: "GET",
    path: `${root}responses_count/`,
    tag,
    scope: "survey:read",
    summary: "Count the responses of each survey",
    description: "Responses since the earliest launch in the project.",
    params: project,
    status: 200,
    response: responsesCount,
  }),
  check_questions: endpoint({
    method: "POST",
    path: `${root}check/`,
    tag,
    scope: "survey:read",
    summary: "Check questions that are not stored",
    description: "The same report as for a stored survey. Nothing is written.",
    params: project,
    body: questionsToCheck,
    status: 200,
    response: pathReport,
  }),
  all_stats: endpoint({
    method: "GET",
    path: `${root}stats/`,
    tag,
    scope: "survey:read",
    summary: "Statistics across all surveys",
    description: "Archived surveys are excluded.",
    params: project,
    query: statsQuery,
    status: 200,
    response: allSurveyStats,
  }),
  retrieve: endpoint({
    method: "GET",
    path: `${root}{id}/`,
    tag,
    scope: "survey:read",
    summary: "Retrieve a survey",
    params: one,
    status: 200,
    response: surveyRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: `${root}{id}/`,
    tag,
    scope: "survey:write",
    summary: "Update a survey",
    description:
      "Absent fields stay unchanged. Launch, stop and resume with start_date and end_date, now or in the future. Questions whose " +
      "rules can only be mistakes are rejected if the survey is running or scheduled; see its check. With version, the " +
      "request is rejected with 409 if the survey has been changed since that version.",
    params: one,
    body: surveyUpdate,
    status: 200,
    response: surveyWritten,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: `${root}{id}/`,
    tag,
    scope: "survey:write",
    summary: "Delete a survey",
    description: "Permanent, including the flags it created. The events of its respondents stay.",
    params: one,
    status: 204,
  }),
  launch: endpoint({
    method: "POST",
    path: `${root}{id}/launch/`,
    tag,
    scope: "survey:write",
    summary: "Launch a survey now",
    description: "A draft or scheduled survey starts, a stopped one resumes, a running one does not change.",
    params: one,
    status: 200,
    response: surveyWritten,
  }),
  stop: endpoint({
    method: "POST",
    path: `${root}{id}/stop/`,
    tag,
    scope: "survey:write",
    summary: "Stop a survey now",
    description: "A survey that has ended does not change.",
    params: one,
    status: 200,
    response: surveyWritten,
  }),
  check: endpoint({
    method: "GET",
    path: `${root}{id}/check/`,
    tag,
    scope: "survey:read",
    summary: "Check the branching of a survey",
    description:
      "Walks every path that answers can take: loops, dead ends, missing targets, rules for answers that cannot be " +
      "given, unreachable questions, and path lengths. A survey with errors cannot be launched.",
    params: one,
    status: 200,
    response: pathReport,
  }),
  preview: endpoint({
    method: "GET",
    path: `${root}{id}/preview/`,
    tag,
    scope: "survey:read",
    summary: "Where a hosted survey can be tried out",
    description:
      "The path of its page for the team, whether it has been launched or not. Views and answers there are not recorded.",
    params: one,
    status: 200,
    response: z.object({ path: z.string() }).meta({ id: "SurveyPreview" }),
  }),
  activity: endpoint({
    method: "GET",
    path: `${root}{id}/activity/`,
    tag,
    scope: "activity_log:read",
    summary: "Activity of a survey",
    params: one,
    query: activityQuery,
    status: 200,
    response: surveyActivityPage,
  }),
  stats: endpoint({
    method: "GET",
    path: `${root}{id}/stats/`,
    tag,
    scope: "survey:read",
    summary: "Statistics of a survey",
    params: one,
    query: statsQuery,
    status: 200,
    response: surveyStats,
  }),
  summarize_responses: endpoint({
    method: "POST",
    path: `${root}{id}/summarize_responses/`,
    tag,
    scope: "survey:read",
    summary: "Summarize the answers to one question",
    description:
      "Statements, each with the responses that support it. Pass the question in the query string.",
    params: one,
    query: summaryQuery,
    body: z.unknown().meta({ description: "Ignored." }),
    status: 200,
    response: surveySummary,
  }),
};
