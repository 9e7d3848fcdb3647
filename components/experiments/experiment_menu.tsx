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
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "#components/ui/menu.tsx";
import type { ExperimentRecord } from "#lib/experiments/schema.ts";
import { type Asked, DeedDialog } from "./deed_dialogs.tsx";
import type { ExperimentActions } from "./experiment_actions.ts";

type Props = {
  projectId: string;
  experiment: ExperimentRecord;
  access: Access;
  actions: ExperimentActions;
};

/** Everything that can be done with an experiment, behind three dots. */
export function ExperimentMenu({ projectId, experiment, access, actions }: Props) {
  const [asking, setAsking] = useState<Asked>();
  const base = `/project/${projectId}/experiments/${experiment.id}`;
  const { status } = experiment;
  const denied = access.may_write ? {} : { disabled: true, description: "Your API key only reads" };
  const item = (asked: Asked) => ({ ...denied, onSelect: () => setAsking(asked) });
  return (
    <>
      <Menu trigger={<IconButton icon={MoreHorizontal} label={`More for ${experiment.name}`} size="sm" />}>
        <MenuLink href={`${base}/edit` as Route} icon={Pencil}>
          {access.may_write ? "Edit" : "Open the plan"}
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
      {asking ? (
        <DeedDialog
          {...{ projectId, experiment, actions }}
          asked={asking}
          onClose={() => setAsking(undefined)}
        />
      ) : null}
    </>
  );
}

type ItemOf = (asked: Asked) => { onSelect: () => void; disabled?: boolean; description?: string };

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
          Take out of the archive…
        </MenuItem>
      ) : (
        <MenuItem icon={Archive} {...item("archive")}>
          Archive…
        </MenuItem>
      )}
    </>
  );
}
