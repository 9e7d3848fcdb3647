"use client";

import { CalendarClock, Copy, MoreHorizontal, Pencil, Trash2, TrendingUp } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useOptimistic, useState, useTransition } from "react";
import type { FlagActions } from "#app/project/[project_id]/feature_flags/flag-actions.ts";
import { KIND_WORDS, kindOf } from "#components/feature_flags/list-item.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt, problemOf, reportProblem } from "#components/kit/action.ts";
import { useGuardedPush } from "#components/kit/editor/unsaved-guard.tsx";
import { personName } from "#components/kit/person-name.ts";
import { later } from "#components/ui/after-page.ts";
import { ButtonLink } from "#components/ui/button.tsx";
import { CopyButton } from "#components/ui/copy-button.tsx";
import { Badge, Status } from "#components/ui/display/badge.tsx";
import { PageHeader } from "#components/ui/display/page-header.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { TabLinks } from "#components/ui/display/tab-links.tsx";
import { Switch } from "#components/ui/form/switch.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "#components/ui/overlay/menu.tsx";
import { useShortcut } from "#components/ui/overlay/shortcuts.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";
import type { Names } from "#lib/people/conditions/words.ts";

const ToggleDialog = later(
  async () => (await import("#components/feature_flags/changes/toggle-dialog.tsx")).ToggleDialog,
);

const DeleteDialog = later(
  async () => (await import("#components/feature_flags/changes/delete-dialog.tsx")).DeleteDialog,
);

const ScheduleDialog = later(
  async () => (await import("#components/feature_flags/schedules/schedule-dialog.tsx")).ScheduleDialog,
);

const RampDialog = later(
  async () => (await import("#components/feature_flags/ramps/ramp-dialog.tsx")).RampDialog,
);

export type FlagView = "overview" | "targeting" | "usage" | "replay" | "environments" | "history";

type Props = {
  projectId: string;
  flag: FlagRecord;
  /** The page that it heads. */
  current: FlagView;
  names: Names;
  /** Why it is stale; null when it is not. */
  stale: string | null;
  /** Whether other projects are environments of this one. */
  hasEnvironments: boolean;
  /** The project's time zone. */
  timezone: string;
  access: Access;
  actions: FlagActions;
};

/** The header of a flag's pages: key, status, actions, and the way from one page to another. */
export function FlagHeader(props: Props) {
  const { projectId, flag, current, names, stale, hasEnvironments, timezone, access, actions } = props;
  const router = useRouter();
  const [dialog, setDialog] = useState<"toggle" | "delete" | "schedule" | "ramp">();
  const [active, showActive] = useOptimistic(flag.active);
  const [, start] = useTransition();
  const list = `/project/${projectId}/feature_flags` as Route;
  const own = `${list}/${flag.id}` as Route;
  const push = useGuardedPush();
  const verb = access.may_write ? "Edit" : "Show";
  useShortcut("e", `${verb} the targeting`, () => push(`${own}/targeting`), {
    group: "Feature flags",
    enabled: current !== "targeting",
  });

  const put = (body: { active?: boolean; deleted?: boolean }) =>
    attempt(() => actions.update(projectId, flag.id, body));
  const undoing = (body: Parameters<typeof put>[0]) => async () => problemOf(await put(body));

  function toggle(next: boolean) {
    start(async () => {
      showActive(next);
      const result = await put({ active: next });
      if (!result.ok) reportProblem(`${flag.key} was not changed`, result);
      else
        toast.withUndo(
          `${flag.key} is ${next ? "on" : "off"}`,
          undoing({ active: !next }),
          `${flag.key} is ${next ? "off" : "on"} again`,
        );
    });
  }

  async function remove() {
    const result = await put({ deleted: true });
    if (!result.ok) return problemOf(result);
    toast.withUndo(`${flag.key} was deleted`, undoing({ deleted: false }), `${flag.key} is back`);
    router.push(list);
    return undefined;
  }

  const by = personName(flag.last_modified_by);
  return (
    <>
      <PageHeader
        crumbs={[{ label: "Feature flags", href: list }]}
        title={flag.key}
        mark={
          <>
            <CopyButton text={flag.key} label="Copy the key" className="-ml-2" />
            <State flag={flag} active={active} stale={stale} />
            <Badge>{KIND_WORDS[kindOf(flag)]}</Badge>
          </>
        }
        description={
          <>
            {stale ? <span className="text-warning-text">{stale}. </span> : null}
            Changed <RelativeTime date={flag.updated_at ?? flag.created_at} />
            {by ? ` by ${by}` : ""} · version {flag.version}
          </>
        }
        actions={
          <>
            {flag.deleted ? null : (
              <Permit access={access}>
                <Switch
                  label={`${flag.key} is ${active ? "on" : "off"}`}
                  checked={active}
                  {...refused(access)}
                  className={access.may_write ? undefined : "cursor-not-allowed opacity-50"}
                  onCheckedChange={() => access.may_write && setDialog("toggle")}
                />
              </Permit>
            )}
            {current === "overview" && access.may_write && !flag.deleted ? (
              <ButtonLink href={`${own}/targeting` as Route} icon={Pencil}>
                Edit
              </ButtonLink>
            ) : null}
            <Menu trigger={<IconButton icon={MoreHorizontal} label="More" variant="secondary" />}>
              <MenuLink href={`${list}/new?from=${flag.id}` as Route} icon={Copy}>
                Duplicate
              </MenuLink>
              <MenuItem
                icon={CalendarClock}
                disabled={!access.may_write || flag.deleted}
                onSelect={() => setDialog("schedule")}
              >
                Schedule…
              </MenuItem>
              <MenuItem
                icon={TrendingUp}
                disabled={!access.may_write || flag.deleted}
                onSelect={() => setDialog("ramp")}
              >
                Ramp…
              </MenuItem>
              <MenuSeparator />
              <MenuItem
                icon={Trash2}
                danger
                disabled={!access.may_write || flag.deleted}
                description={access.may_write ? undefined : "Your API key is read-only"}
                onSelect={() => setDialog("delete")}
              >
                Delete
              </MenuItem>
            </Menu>
          </>
        }
        tabs={
          <TabLinks
            label="Views of the flag"
            tabs={[
              { label: "Overview", href: own, current: current === "overview" },
              {
                label: "Targeting",
                href: `${own}/targeting` as Route,
                current: current === "targeting",
              },
              { label: "Usage", href: `${own}/usage` as Route, current: current === "usage" },
              { label: "Replay", href: `${own}/replay` as Route, current: current === "replay" },
              ...(hasEnvironments
                ? [
                    {
                      label: "Environments",
                      href: `${own}/environments` as Route,
                      current: current === "environments",
                    },
                  ]
                : []),
              { label: "History", href: `${own}/history` as Route, current: current === "history" },
            ]}
          />
        }
      />
      {dialog === "toggle" ? (
        <ToggleDialog
          projectId={projectId}
          actions={actions}
          flag={{ id: flag.id, key: flag.key, active }}
          names={names}
          onClose={() => setDialog(undefined)}
          onConfirm={toggle}
        />
      ) : null}
      {dialog === "schedule" ? (
        <ScheduleDialog
          {...{ projectId, timezone, actions }}
          flag={{ id: flag.id, key: flag.key, active }}
          form={null}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
      {dialog === "ramp" ? (
        <RampDialog {...{ projectId, flag, actions }} onClose={() => setDialog(undefined)} />
      ) : null}
      {dialog === "delete" ? (
        <DeleteDialog
          projectId={projectId}
          actions={actions}
          flag={flag}
          onClose={() => setDialog(undefined)}
          onConfirm={remove}
        />
      ) : null}
    </>
  );
}

function State({ flag, active, stale }: { flag: FlagRecord; active: boolean; stale: string | null }) {
  if (flag.deleted) return <Status status="deleted" />;
  if (!active) return <Status status="inactive">Off</Status>;
  return stale ? <Status status="stale" reason={stale} /> : <Status status="active">On</Status>;
}
