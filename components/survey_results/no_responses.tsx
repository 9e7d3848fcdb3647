import { CircleDashed, Inbox } from "lucide-react";
import type { Route } from "next";
import { surveyAddress } from "#components/surveys/share.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/code-block.tsx";
import { Copyable } from "#components/ui/copyable.tsx";
import { EmptyState } from "#components/ui/empty-state.tsx";
import type { SurveyRecord } from "#lib/surveys/schema.ts";

/** `origin`: where respondents reach the service, without a slash at its end. */
type Props = { projectId: string; survey: SurveyRecord; token: string | null; origin: string; now: number };

/** Nothing to count yet: what is missing, and how the first answer comes. */
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
          ? "It has no questions yet. Once it is launched and answered, its figures stand here."
          : "Nobody is asked before it is launched. Its checklist says what is left to do; then its figures stand here."}
      </EmptyState>
    );
  const waits = Date.parse(survey.start_date) > now;
  return (
    <div className="flex flex-col gap-6">
      <EmptyState
        icon={Inbox}
        title={waits ? "It begins later" : "Nobody has seen it yet"}
        actions={<Look edit={edit} />}
      >
        {waits
          ? `It is asked from ${survey.start_date.slice(0, 16).replace("T", " ")} UTC on.`
          : survey.end_date && Date.parse(survey.end_date) <= now
            ? "It has ended without a view or an answer."
            : HOW[survey.type]}
      </EmptyState>
      <FirstAnswer survey={survey} token={token} origin={origin} />
    </div>
  );
}

const Look = ({ edit }: { edit: Route }) => <ButtonLink href={edit}>Look at whom it asks</ButtonLink>;

const HOW: Record<SurveyRecord["type"], string> = {
  popover: "It comes up by itself where posthog-js runs, for the people and pages that it is meant for.",
  widget: "It opens when people press its button where posthog-js runs.",
  external_survey: "It is a page of its own: send its address to the people you want to ask.",
  api: "Your own code shows it and sends the answers as events.",
};

function FirstAnswer({ survey, token, origin }: Pick<Props, "survey" | "token" | "origin">) {
  if (survey.type === "external_survey")
    return (
      <div className="mx-auto w-full max-w-2xl">
        <h2 className="mb-2 font-medium text-sm">The address to send</h2>
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
