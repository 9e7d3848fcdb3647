"use client";

import {
  Archive,
  ArchiveRestore,
  ChartNoAxesColumn,
  CirclePlay,
  CircleStop,
  Copy,
  MoreHorizontal,
  Pencil,
  RotateCcw,
  Trash2,
  UsersRound,
} from "lucide-react";
import type { Route } from "next";
import { useState } from "react";
import type { ExperimentActions } from "#app/project/[project_id]/experiments/experiment-actions.ts";
import type { Access } from "#components/kit/access.tsx";
import { later } from "#components/ui/after-page.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "#components/ui/overlay/menu.tsx";
import type { ExperimentRecord } from "#lib/experiments/experiments/schema.ts";
import type { ExperimentAction } from "./action-dialogs.tsx";

const ActionDialog = later(async () => (await import("./action-dialogs.tsx")).ActionDialog);

type Props = {
  projectId: string;
  experiment: ExperimentRecord;
  access: Access;
  actions: ExperimentActions;
};

/** Menu of all actions on an experiment. */
export function ExperimentMenu({ projectId, experiment, access, actions }: Props) {
  const [requested, setRequested] = useState<ExperimentAction>();
  const base = `/project/${projectId}/experiments/${experiment.id}`;
  const { status } = experiment;
  const denied = access.may_write ? {} : { disabled: true, description: "Your API key is read-only" };
  const item = (action: ExperimentAction) => ({ ...denied, onSelect: () => setRequested(action) });
  return (
    <>
      <Menu trigger={<IconButton icon={MoreHorizontal} label={`More for ${experiment.name}`} size="sm" />}>
        <MenuLink href={`${base}/edit` as Route} icon={Pencil}>
          {access.may_write ? "Edit" : "View the plan"}
        </MenuLink>
        {status === "draft" ? null : (
          <MenuLink href={base as Route} icon={ChartNoAxesColumn}>
            Results
          </MenuLink>
        )}
        <MenuItem icon={Copy} {...item("duplicate")}>
          Duplicate…
        </MenuItem>
        {status === "draft" ? null : experiment.exposure_cohort ? (
          <MenuLink
            href={`/project/${projectId}/cohorts/${experiment.exposure_cohort}` as Route}
            icon={UsersRound}
          >
            Cohort of exposed people
          </MenuLink>
        ) : (
          <MenuItem icon={UsersRound} {...item("cohort")}>
            Cohort of exposed people…
          </MenuItem>
        )}
        <MenuSeparator />
        <StateItems experiment={experiment} item={item} />
        <MenuSeparator />
        <MenuItem icon={Trash2} danger {...item("delete")}>
          Delete…
        </MenuItem>
      </Menu>
      {requested ? (
        <ActionDialog
          {...{ projectId, experiment, actions }}
          action={requested}
          onClose={() => setRequested(undefined)}
        />
      ) : null}
    </>
  );
}

type ItemOf = (action: ExperimentAction) => {
  onSelect: () => void;
  disabled?: boolean;
  description?: string;
};

function StateItems({ experiment, item }: { experiment: ExperimentRecord; item: ItemOf }) {
  const { status, archived } = experiment;
  return (
    <>
      {status === "running" || status === "paused" ? (
        <MenuItem icon={CircleStop} {...item("stop")}>
          Stop…
        </MenuItem>
      ) : null}
      {status === "stopped" ? (
        <MenuItem icon={CirclePlay} {...item("resume")}>
          Resume…
        </MenuItem>
      ) : null}
      {status === "draft" ? null : (
        <MenuItem icon={RotateCcw} {...item("reset")}>
          Reset to draft…
        </MenuItem>
      )}
      {archived ? (
        <MenuItem icon={ArchiveRestore} {...item("unarchive")}>
          Unarchive…
        </MenuItem>
      ) : (
        <MenuItem icon={Archive} {...item("archive")}>
          Archive…
        </MenuItem>
      )}
    </>
  );
}
