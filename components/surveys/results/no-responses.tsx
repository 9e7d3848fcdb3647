import { CircleDashed, Inbox } from "lucide-react";
import type { Route } from "next";
import { surveyAddress } from "#components/surveys/draft/share.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import { Copyable } from "#components/ui/display/copyable.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import type { SurveyRecord } from "#lib/surveys/surveys/schema.ts";

/** `origin`: where respondents reach the service, without a slash at its end. */
type Props = { projectId: string; survey: SurveyRecord; token: string | null; origin: string; now: number };

/** The empty state: what is missing, and how to get the first answer. */
export function NoResponses({ projectId, survey, token, origin, now }: Props) {
  const edit = `/project/${projectId}/surveys/${survey.id}/edit` as Route;
  if (!survey.start_date)
    return (
      <EmptyState
        icon={CircleDashed}
        title="Still a draft"
        actions={
          <ButtonLink href={edit} variant="primary">
            Finish and launch it
          </ButtonLink>
        }
      >
        {(survey.questions ?? []).length === 0
          ? "Add questions and launch it to see its figures here."
          : "Launch it to see its figures here. The launch checklist shows what is left to do."}
      </EmptyState>
    );
  const waits = Date.parse(survey.start_date) > now;
  return (
    <div className="flex flex-col gap-6">
      <EmptyState
        icon={Inbox}
        title={waits ? "Not started yet" : "Nobody has seen it yet"}
        actions={<Look edit={edit} />}
      >
        {waits
          ? `It starts on ${survey.start_date.slice(0, 16).replace("T", " ")} UTC.`
          : survey.end_date && Date.parse(survey.end_date) <= now
            ? "It ended without a view or an answer."
            : HOW[survey.type]}
      </EmptyState>
      <FirstAnswer survey={survey} token={token} origin={origin} />
    </div>
  );
}

const Look = ({ edit }: { edit: Route }) => <ButtonLink href={edit}>Check the audience</ButtonLink>;

const HOW: Record<SurveyRecord["type"], string> = {
  popover: "It appears wherever posthog-js runs, for the people and pages it targets.",
  widget: "It opens when people press its button, wherever posthog-js runs.",
  external_survey: "It is a hosted page: send its address to the people you want to ask.",
  api: "Your own code shows it and sends the answers as events.",
};

function FirstAnswer({ survey, token, origin }: Pick<Props, "survey" | "token" | "origin">) {
  if (survey.type === "external_survey")
    return (
      <div className="mx-auto w-full max-w-2xl">
        <h2 className="mb-2 font-medium text-sm">Address to send</h2>
        <Copyable text={surveyAddress(origin, survey.id)} label="address of the survey" />
      </div>
    );
  return (
    <div className="mx-auto w-full max-w-2xl">
      <h2 className="mb-2 font-medium text-sm">In your pages</h2>
      <CodeBlock title="JavaScript" code={snippet(survey, token ?? "<project token>", origin)} />
    </div>
  );
}

function snippet(survey: SurveyRecord, token: string, origin: string): string {
  const start = `import posthog from "posthog-js";

posthog.init("${token}", { api_host: "${origin}" });`;
  if (survey.type !== "api") return start;
  const question = survey.questions?.[0]?.id ?? "<question id>";
  return `${start}

posthog.capture("survey shown", { $survey_id: "${survey.id}" });
posthog.capture("survey sent", {
  $survey_id: "${survey.id}",
  "$survey_response_${question}": "…",
});`;
}
