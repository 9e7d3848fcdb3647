"use client";

import { CalendarClock, Redo2, Rocket, Share2, Undo2 } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { type SurveyStatus, statusOf } from "#components/surveys/draft/status.ts";
import { useBuilder } from "#components/surveys/editing/builder-context.tsx";
import { later } from "#components/ui/after-page.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import { Status } from "#components/ui/display/badge.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { PageHeader } from "#components/ui/display/page-header.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import { SurveyMenu } from "./survey-menu.tsx";

const ShareDialog = later(async () => (await import("./sharing/share-dialog.tsx")).ShareDialog);

type Props = {
  access: Access;
  actions: SurveyActions;
  /** Milliseconds since the epoch. */
  now: number;
  onLaunch: () => void;
  dirty: boolean;
};

/** The header of the builder: name, status, and launch button. */
export function BuilderHeader({ access, actions, now, onLaunch, dirty }: Props) {
  const { projectId, survey, readOnly, undo, effects } = useBuilder();
  const list = `/project/${projectId}/surveys` as Route;
  const status = survey ? statusOf(survey, now) : null;
  const asked = status === "running" || status === "complete";
  // Shown until it is known that nobody has, so that the page does not jump where people have.
  const answered = effects.found?.questions.some(({ answers }) => answers > 0) ?? true;
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Surveys", href: list }]}
        title={survey?.name ?? "New survey"}
        mark={status ? <Status status={status} /> : null}
        actions={
          <>
            {readOnly ? null : (
              <>
                <IconButton
                  icon={Undo2}
                  label="Undo"
                  keys="mod+z"
                  disabled={!undo.back}
                  onClick={() => undo.back?.()}
                />
                <IconButton
                  icon={Redo2}
                  label="Redo"
                  keys="mod+shift+z"
                  disabled={!undo.forward}
                  onClick={() => undo.forward?.()}
                />
              </>
            )}
            {survey && status ? (
              <StoredActions {...{ survey, status, access, actions, now, onLaunch, dirty }} />
            ) : null}
          </>
        }
      />
      {asked && answered && !readOnly ? (
        <Callout tone="warning" className="mb-4" title="People may have answered this survey">
          Questions and choices keep their answers when you move or reword them. To ask something else, add a
          question or replace the choice. The answers of a deleted question leave the results.
        </Callout>
      ) : null}
    </>
  );
}

type StoredProps = Props & { survey: SurveyWritten; status: SurveyStatus };

/** The actions on a survey that has been saved. */
function StoredActions({ survey, status, access, actions, now, onLaunch, dirty }: StoredProps) {
  const { projectId, readOnly } = useBuilder();
  const [sharing, setSharing] = useState(false);
  return (
    <>
      {survey.type === "external_survey" ? (
        // The menu has it too, where there is no room for both.
        <Button icon={Share2} className="max-sm:hidden" onClick={() => setSharing(true)}>
          Share
        </Button>
      ) : null}
      {status === "draft" && !readOnly ? (
        <Button variant="primary" icon={Rocket} onClick={onLaunch}>
          {dirty ? "Save and launch…" : "Launch…"}
        </Button>
      ) : null}
      {status === "scheduled" && !readOnly ? (
        <Button icon={CalendarClock} onClick={onLaunch}>
          {dirty ? "Save and change the launch…" : "Change the launch…"}
        </Button>
      ) : null}
      {status === "draft" ? null : (
        <ButtonLink href={`/project/${projectId}/surveys/${survey.id}` as Route}>Results</ButtonLink>
      )}
      <SurveyMenu {...{ projectId, survey, access, actions, now }} />
      {sharing ? (
        <ShareDialog projectId={projectId} survey={survey} onClose={() => setSharing(false)} />
      ) : null}
    </>
  );
}
