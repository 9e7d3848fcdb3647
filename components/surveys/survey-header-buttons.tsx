"use client";

import { CalendarClock, CirclePause, CirclePlay, Pencil, Rocket, Share2 } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { statusOf } from "#components/surveys/draft/status.ts";
import { later } from "#components/ui/after-page.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import { SurveyMenu } from "./survey-menu.tsx";

const SurveyActionDialog = later(async () => (await import("./survey-dialogs.tsx")).SurveyActionDialog);

const ShareDialog = later(async () => (await import("./sharing/share-dialog.tsx")).ShareDialog);

const LaunchDialog = later(async () => (await import("./launch-dialog.tsx")).LaunchDialog);

type Props = {
  projectId: string;
  survey: SurveyWritten;
  access: Access;
  actions: SurveyActions;
  /** Milliseconds since the epoch, when the survey was read. */
  now: number;
};

/** The action buttons in the header of a survey. */
export function SurveyButtons({ projectId, survey, access, actions, now }: Props) {
  const [asking, setAsking] = useState<"launch" | "stop" | "resume" | "share">();
  const status = statusOf(survey, now);
  const close = () => setAsking(undefined);
  const ask = (action: typeof asking) => () => access.may_write && setAsking(action);
  return (
    <>
      {survey.type === "external_survey" ? (
        <Button icon={Share2} onClick={() => setAsking("share")}>
          Share
        </Button>
      ) : null}
      {/* The menu has it too, where there is no room for both. */}
      <ButtonLink
        href={`/project/${projectId}/surveys/${survey.id}/edit` as Route}
        icon={Pencil}
        className="max-sm:hidden"
      >
        {access.may_write ? "Edit" : "Open in the builder"}
      </ButtonLink>
      {status === "draft" ? (
        <Permit access={access}>
          <Button variant="primary" icon={Rocket} onClick={ask("launch")} {...refused(access)}>
            Launch…
          </Button>
        </Permit>
      ) : null}
      {status === "scheduled" ? (
        <Permit access={access}>
          <Button icon={CalendarClock} onClick={ask("launch")} {...refused(access)}>
            Change the launch…
          </Button>
        </Permit>
      ) : null}
      {status === "running" || status === "scheduled" ? (
        <Permit access={access}>
          <Button icon={CirclePause} onClick={ask("stop")} {...refused(access)}>
            Stop…
          </Button>
        </Permit>
      ) : null}
      {status === "complete" ? (
        <Permit access={access}>
          <Button icon={CirclePlay} onClick={ask("resume")} {...refused(access)}>
            Resume…
          </Button>
        </Permit>
      ) : null}
      <SurveyMenu {...{ projectId, survey, access, actions, now }} />
      {asking === "share" ? <ShareDialog projectId={projectId} survey={survey} onClose={close} /> : null}
      {asking === "launch" ? <LaunchDialog {...{ projectId, survey, actions }} onClose={close} /> : null}
      {asking === "stop" || asking === "resume" ? (
        <SurveyActionDialog {...{ projectId, survey, actions }} asked={asking} onClose={close} />
      ) : null}
    </>
  );
}
