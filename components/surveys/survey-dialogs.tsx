"use client";

import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import { ConfirmOrPropose } from "#components/kit/propose/confirm-or-propose.tsx";
import { formatCount } from "#lib/platform/format.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import { askedOnce } from "./draft/status.ts";
import { proposalOf } from "./survey-proposal.ts";
import { changesOf, useSurveyActions, withLinks } from "./use-survey-actions.ts";

export type SurveyAction = "stop" | "resume" | "archive" | "unarchive" | "delete";

type Words = { title: string; text: string; confirm: string; danger?: boolean };

/** The texts of each action. */
function wordsOf(asked: SurveyAction, survey: SurveyWritten): Words {
  const { name } = survey;
  const words: Record<SurveyAction, Words> = {
    stop: {
      title: `Stop “${name}”?`,
      text: "The survey is no longer shown; open pages follow within a few minutes. Answers are kept, and you can resume it.",
      confirm: "Stop survey",
    },
    resume: {
      title: `Resume “${name}”?`,
      text: survey.responses_limit
        ? `People are asked again until there are ${formatCount(survey.responses_limit)} responses. ${askedOnce(survey)}`
        : `People are asked again. ${askedOnce(survey)}`,
      confirm: "Resume survey",
    },
    archive: {
      title: `Archive “${name}”?`,
      text: "It leaves the list and is no longer shown. Answers are kept, and you can restore it.",
      confirm: "Archive survey",
    },
    unarchive: {
      title: `Restore “${name}”?`,
      text:
        survey.start_date && !survey.end_date
          ? "It was running when it was archived, so it is shown again at once."
          : "It returns to the list.",
      confirm: "Restore survey",
    },
    delete: {
      title: `Delete “${name}”?`,
      text: survey.start_date
        ? "The survey and the flags made for it are deleted permanently. Its events stay, but no page shows them. To keep the answers accessible, archive it instead."
        : "It was never launched, so no answers are lost. You can undo this for a few seconds.",
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
  asked: SurveyAction;
  onClose: () => void;
};

const VERBS: Record<SurveyAction, string> = {
  stop: "stop",
  resume: "resume",
  archive: "archive",
  unarchive: "restore",
  delete: "delete",
};

/** Confirms and runs an action that affects respondents. */
export function SurveyActionDialog({ projectId, survey, actions, asked, onClose }: Props) {
  const commands = useSurveyActions({ projectId, survey, actions });
  const words = wordsOf(asked, survey);
  const final = asked === "delete" && survey.start_date !== null;
  return (
    <ConfirmOrPropose
      onClose={onClose}
      proposal={proposalOf(
        { projectId, survey, actions },
        VERBS[asked],
        asked === "delete"
          ? { method: "DELETE" }
          : { method: "PATCH", body: withLinks(survey, changesOf[asked]()) },
      )}
      title={words.title}
      description={words.text}
      confirmLabel={words.confirm}
      danger={words.danger ?? false}
      {...(final && { typeToConfirm: survey.name.trim() })}
      onConfirm={asked === "delete" ? commands.remove : commands[asked]}
    />
  );
}
