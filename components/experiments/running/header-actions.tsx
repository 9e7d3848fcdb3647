"use client";

import { CirclePlay, CircleStop, Flag, Pencil, Rocket } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { later } from "#components/ui/after-page.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import type { ExperimentAction } from "./action-dialogs.tsx";
import { ExperimentMenu } from "./experiment-menu.tsx";

const ConcludeDialog = later(async () => (await import("./conclude-dialog.tsx")).ConcludeDialog);

const ActionDialog = later(async () => (await import("./action-dialogs.tsx")).ActionDialog);

type Props = { projectId: string; experiment: ExperimentRecord; access: Access; actions: ExperimentActions };

type Requested = { action: ExperimentAction | "conclude"; experiment: ExperimentRecord };

/** The most likely next actions; the rest is in a menu. */
export function HeaderActions(props: Props) {
  const { projectId, experiment, access, actions } = props;
  /** With the experiment as it was then: what somebody else changes meanwhile is not overwritten unnoticed. */
  const [requested, setRequested] = useState<Requested>();
  const request = (action: Requested["action"]) => setRequested({ action, experiment });
  const close = () => setRequested(undefined);
  const edit = `/project/${projectId}/experiments/${experiment.id}/edit`;
  const { status } = experiment;
  const runs = status === "running" || status === "paused";
  return (
    <>
      <ExperimentMenu {...props} />
      {access.may_write ? (
        <>
          {status === "draft" ? (
            <>
              <ButtonLink href={edit as Route} icon={Pencil}>
                Edit
              </ButtonLink>
              <ButtonLink href={`${edit}?step=launch` as Route} variant="primary" icon={Rocket}>
                Launch…
              </ButtonLink>
            </>
          ) : null}
          {runs ? (
            <Button icon={CircleStop} onClick={() => request("stop")}>
              Stop…
            </Button>
          ) : null}
          {status === "stopped" && !experiment.conclusion ? (
            <Button icon={CirclePlay} onClick={() => request("resume")}>
              Resume…
            </Button>
          ) : null}
          {status === "draft" ? null : (
            <Button
              variant={experiment.conclusion ? "secondary" : "primary"}
              icon={Flag}
              onClick={() => request("conclude")}
            >
              {experiment.conclusion ? "Conclusion…" : "Conclude…"}
            </Button>
          )}
        </>
      ) : null}
      {requested?.action === "conclude" ? (
        <ConcludeDialog {...{ projectId, actions }} experiment={requested.experiment} onClose={close} />
      ) : requested ? (
        <ActionDialog
          {...{ projectId, actions }}
          experiment={requested.experiment}
          action={requested.action}
          onClose={close}
        />
      ) : null}
    </>
  );
}
