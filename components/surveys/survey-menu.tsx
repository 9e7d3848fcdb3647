"use client";

import {
  Archive,
  ArchiveRestore,
  ChartNoAxesColumn,
  CirclePause,
  CirclePlay,
  Copy,
  MoreHorizontal,
  Pencil,
  Rocket,
  Share2,
  Trash2,
} from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import type { SurveyActions } from "#app/project/[project_id]/surveys/survey-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { statusOf } from "#components/surveys/draft/status.ts";
import { later } from "#components/ui/after-page.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "#components/ui/overlay/menu.tsx";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import type { SurveyAction } from "./survey-dialogs.tsx";

const SurveyActionDialog = later(async () => (await import("./survey-dialogs.tsx")).SurveyActionDialog);

const ShareDialog = later(async () => (await import("./sharing/share-dialog.tsx")).ShareDialog);

const LaunchDialog = later(async () => (await import("./launch-dialog.tsx")).LaunchDialog);

type Props = {
  projectId: string;
  survey: SurveyWritten;
  access: Access;
  actions: SurveyActions;
  /** Milliseconds since the epoch. */
  now: number;
};

/** The menu of a survey's actions. */
export function SurveyMenu({ projectId, survey, access, actions, now }: Props) {
  const [asking, setAsking] = useState<SurveyAction | "launch" | "share">();
  const close = () => setAsking(undefined);
  const base = `/project/${projectId}/surveys`;
  const status = statusOf(survey, now);
  const denied = access.may_write ? {} : { disabled: true, description: "Your API key is read-only" };
  const item = (asked: SurveyAction | "launch") => ({ ...denied, onSelect: () => setAsking(asked) });
  return (
    <>
      <Menu trigger={<IconButton icon={MoreHorizontal} label={`More for ${survey.name}`} size="sm" />}>
        <MenuLink href={`${base}/${survey.id}/edit` as Route} icon={Pencil}>
          {access.may_write ? "Edit" : "Open in the builder"}
        </MenuLink>
        {status === "draft" ? null : (
          <MenuLink href={`${base}/${survey.id}` as Route} icon={ChartNoAxesColumn}>
            Results
          </MenuLink>
        )}
        {survey.type === "external_survey" ? (
          <MenuItem icon={Share2} onSelect={() => setAsking("share")}>
            Share…
          </MenuItem>
        ) : null}
        <MenuLink href={`${base}/new?from=${survey.id}` as Route} icon={Copy}>
          Duplicate
        </MenuLink>
        <MenuSeparator />
        {status === "draft" ? (
          <MenuItem icon={Rocket} {...item("launch")}>
            Launch…
          </MenuItem>
        ) : null}
        {status === "running" || status === "scheduled" ? (
          <MenuItem icon={CirclePause} {...item("stop")}>
            Stop…
          </MenuItem>
        ) : null}
        {status === "complete" ? (
          <MenuItem icon={CirclePlay} {...item("resume")}>
            Resume…
          </MenuItem>
        ) : null}
        {survey.archived ? (
          <MenuItem icon={ArchiveRestore} {...item("unarchive")}>
            Restore…
          </MenuItem>
        ) : (
          <MenuItem icon={Archive} {...item("archive")}>
            Archive…
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={Trash2} danger {...item("delete")}>
          Delete…
        </MenuItem>
      </Menu>
      {asking === "share" ? (
        <ShareDialog projectId={projectId} survey={survey} onClose={close} />
      ) : asking === "launch" ? (
        <LaunchDialog {...{ projectId, survey, actions }} onClose={close} />
      ) : asking ? (
        <SurveyActionDialog {...{ projectId, survey, actions }} asked={asking} onClose={close} />
      ) : null}
    </>
  );
}
