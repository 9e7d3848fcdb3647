"use client";

import { CirclePlay, CircleStop, Flag, Pencil, Rocket } from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { Button, ButtonLink } from "#components/ui/button.tsx";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import { ConcludeDialog } from "./conclude_dialog.tsx";
import { type Asked, DeedDialog } from "./deed_dialogs.tsx";
import type { ExperimentActions } from "./experiment_actions.ts";
import { ExperimentMenu } from "./experiment_menu.tsx";

type Props = { projectId: string; experiment: ExperimentRecord; access: Access; actions: ExperimentActions };

/** What is most likely to be done next, the rest behind three dots. */
export function HeaderActions(props: Props) {
  const { projectId, experiment, access, actions } = props;
  const [asking, setAsking] = useState<Asked | "conclude">();
  const close = () => setAsking(undefined);
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
            <Button icon={CircleStop} onClick={() => setAsking("stop")}>
              Stop…
            </Button>
          ) : null}
          {status === "stopped" && !experiment.conclusion ? (
            <Button icon={CirclePlay} onClick={() => setAsking("resume")}>
              Resume…
            </Button>
          ) : null}
          {status === "draft" ? null : (
            <Button
              variant={experiment.conclusion ? "secondary" : "primary"}
              icon={Flag}
              onClick={() => setAsking("conclude")}
            >
              {experiment.conclusion ? "Conclusion…" : "Conclude…"}
            </Button>
          )}
        </>
      ) : null}
      {asking === "conclude" ? (
        <ConcludeDialog {...{ projectId, experiment, actions }} onClose={close} />
      ) : asking ? (
        <DeedDialog {...{ projectId, experiment, actions }} asked={asking} onClose={close} />
      ) : null}
    </>
  );
}
