"use client";

import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import type { SurveyWritten } from "#lib/surveys/schema.ts";
import type { SurveyActions } from "./survey_actions.ts";
import { useSurveyDeeds } from "./use_survey_deeds.ts";

export type Asked = "stop" | "resume" | "archive" | "unarchive" | "delete";

type Words = { title: string; text: string; confirm: string; danger?: boolean };

/** What each deed means, for this survey. */
function wordsOf(asked: Asked, survey: SurveyWritten): Words {
  const { name } = survey;
  const words: Record<Asked, Words> = {
    stop: {
      title: `Stop ${name}?`,
      text: "Nobody is asked any more, within a few minutes on pages that are open. Answers stay, and it can be resumed.",
      confirm: "Stop survey",
    },
    resume: {
      title: `Resume ${name}?`,
      text: survey.responses_limit
        ? `People are asked again, until ${survey.responses_limit.toLocaleString("en")} responses are reached. Who has answered is not asked twice.`
        : "People are asked again. Who has answered is not asked twice.",
      confirm: "Resume survey",
    },
    archive: {
      title: `Archive ${name}?`,
      text: "It leaves the list and is not shown to anybody. Answers stay, and it can come back.",
      confirm: "Archive survey",
    },
    unarchive: {
      title: `Take ${name} out of the archive?`,
      text:
        survey.start_date && !survey.end_date
          ? "It was running when it was archived: it is shown again at once."
          : "It stands in the list again.",
      confirm: "Take it out",
    },
    delete: {
      title: `Delete ${name}?`,
      text: survey.start_date
        ? "For good, with the flags that were made for it. The events of its respondents stay, but no page shows them any more. To keep the answers in reach, archive it instead."
        : "It was never launched, so no answers are lost. You can undo this for a moment.",
      confirm: "Delete survey",
      danger: true,
    },
  };
  return words[asked];
}

type Props = {
  projectId: string;
  survey: SurveyWritten;
  actions: SurveyActions;
  asked: Asked;
  onClose: () => void;
};

/** Asks before something that respondents feel, and does it. */
export function DeedDialog({ projectId, survey, actions, asked, onClose }: Props) {
  const deeds = useSurveyDeeds({ projectId, survey, actions });
  const words = wordsOf(asked, survey);
  const final = asked === "delete" && survey.start_date !== null;
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={words.title}
      description={words.text}
      confirmLabel={words.confirm}
      danger={words.danger ?? false}
      {...(final && { typeToConfirm: survey.name.trim() })}
      onConfirm={asked === "delete" ? deeds.remove : deeds[asked]}
    />
  );
}
