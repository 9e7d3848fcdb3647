"use client";

import { Copy, FlaskConical, MessageSquare, MoreHorizontal, Trash2 } from "lucide-react";
import type { Route } from "next";
import { Sparkline } from "#components/charts/sparkline.tsx";
import { Sentence } from "#components/conditions/sentence.tsx";
import { KIND_WORDS, type ListItem, RUNTIME_WORDS } from "#components/feature_flags/list-item.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { cn } from "#components/ui/cn.ts";
import { Status, Tag } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { ShareBar } from "#components/ui/display/share-bar.tsx";
import { Td, Tr } from "#components/ui/display/table.tsx";
import { UnreadableBadge } from "#components/ui/display/unreadable.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Switch } from "#components/ui/form/switch.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Link } from "#components/ui/link.tsx";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "#components/ui/overlay/menu.tsx";
import { formatCount } from "#lib/platform/format.ts";

type Props = {
  projectId: string;
  flag: ListItem;
  /** One line, from 640 px on: what does not fit is on the flag's page. */
  compact: boolean;
  access: Access;
  selected: boolean;
  onSelect: (selected: boolean) => void;
  onToggle: () => void;
  onDelete: () => void;
};

export function FlagRow(props: Props) {
  const { projectId, flag, compact, access, selected } = props;
  return (
    <Tr selected={selected} className={compact ? "sm:*:py-1" : undefined}>
      <Td className="w-8 pr-0 max-sm:hidden">
        <Permit access={access}>
          <Checkbox
            aria-label={`Select ${flag.key}`}
            checked={selected}
            {...refused(access)}
            className={cn(!access.may_write && "opacity-50")}
            onCheckedChange={(next) => access.may_write && props.onSelect(next === true)}
          />
        </Permit>
      </Td>
      <Td place="title" className="sm:max-w-[22rem] sm:min-w-[13rem]">
        <FlagName projectId={projectId} flag={flag} compact={compact} />
      </Td>
      <Td label="Status">
        <State {...props} />
      </Td>
      <Td label="Serves" className="sm:max-w-[26rem]">
        <Rollout flag={flag} compact={compact} />
      </Td>
      <Td
        label="Evaluated"
        className={cn(
          "whitespace-nowrap text-muted text-xs sm:max-xl:hidden",
          flag.runtime === "all" && "max-sm:hidden",
        )}
      >
        {RUNTIME_WORDS[flag.runtime]}
      </Td>
      <Td label="Changed" className="text-muted text-xs">
        <RelativeTime date={flag.changed.at} className="whitespace-nowrap" />
        {flag.changed.by ? (
          <span className={cn("truncate text-faint sm:block sm:max-w-28", compact && ONLY_CARD)}>
            <span className="sm:sr-only"> by </span>
            {flag.changed.by}
          </span>
        ) : null}
      </Td>
      <Td
        label="Last called"
        className={cn(
          "whitespace-nowrap text-muted text-xs sm:max-lg:hidden",
          !flag.last_called_at && !flag.calls && "max-sm:hidden",
        )}
      >
        <LastCalled projectId={projectId} flag={flag} compact={compact} />
      </Td>
      <Td place="corner" align="right" className="pl-0 sm:w-10">
        <RowMenu {...props} />
      </Td>
    </Tr>
  );
}

/** Shown where rows are cards, which have room. */
const ONLY_CARD = "sm:hidden";

type CellProps = Pick<Props, "flag" | "compact">;

function LastCalled({ projectId, flag, compact }: CellProps & { projectId: string }) {
  const last = flag.last_called_at;
  if (!flag.calls) return last ? <RelativeTime date={last} /> : <span className="text-faint">Never</span>;
  const total = formatCount(flag.calls.reduce((sum, count) => sum + count, 0));
  const label = `${total} calls in ${flag.calls.length} days, by day: ${flag.calls.join(", ")}`;
  return (
    <span className="flex flex-col gap-0.5">
      <span className="flex items-center gap-2">
        <Sparkline values={flag.calls} label={label} />
        <Link
          href={`/project/${projectId}/feature_flags/${flag.id}/usage` as Route}
          title="Show these calls"
          className="tabular rounded-xs hover:text-accent-text hover:underline"
        >
          {total}
          <span className="sr-only"> calls</span>{" "}
          <span className="text-faint">in {flag.calls.length} days</span>
        </Link>
      </span>
      {/* Noted once a minute at most: the first calls may be counted before. */}
      {last ? <RelativeTime date={last} className={cn("text-faint", compact && ONLY_CARD)} /> : null}
    </span>
  );
}

function FlagName({ projectId, flag, compact }: CellProps & { projectId: string }) {
  return (
    <div className={cn("flex min-w-0 flex-col gap-0.5", compact && "sm:flex-row sm:items-baseline sm:gap-2")}>
      <Link
        href={`/project/${projectId}/feature_flags/${flag.id}` as Route}
        data-row-link=""
        className={cn(
          "-mx-1 w-fit max-w-full break-words rounded-xs px-1 font-medium text-ink hover:text-accent-text hover:underline hover:underline-offset-[3px]",
          compact && "sm:max-w-64 sm:shrink-0 sm:truncate",
        )}
      >
        {flag.key}
      </Link>
      {flag.name ? (
        <span className="line-clamp-2 text-muted text-xs sm:line-clamp-1">{flag.name}</span>
      ) : null}
      <UnreadableBadge fields={flag.unreadable} />
      {flag.tags.length + flag.surveys.length + flag.experiments.length > 0 ? (
        <span className={cn("mt-0.5 flex flex-wrap items-center gap-1", compact && ONLY_CARD)}>
          {flag.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
          {flag.experiments.length > 0 ? (
            <Link
              href={`/project/${projectId}/experiments?flag=${flag.id}` as Route}
              className="inline-flex h-5 max-w-full items-center gap-1 rounded-sm px-1 text-info-text text-xs hover:underline"
            >
              <FlaskConical aria-hidden="true" className="size-3 shrink-0" />
              {flag.experiments.length === 1 ? "1 experiment" : `${flag.experiments.length} experiments`}
              <span className="sr-only"> on {flag.key}</span>
            </Link>
          ) : null}
          {flag.surveys.map((survey) => (
            <Link
              key={survey.id}
              href={`/project/${projectId}/surveys/${survey.id}` as Route}
              className="inline-flex h-5 max-w-full items-center gap-1 rounded-sm px-1 text-info-text text-xs hover:underline"
            >
              <MessageSquare aria-hidden="true" className="size-3 shrink-0" />
              <span className="sr-only">Survey </span>
              <span className="truncate">{survey.name}</span>
            </Link>
          ))}
        </span>
      ) : null}
    </div>
  );
}

function State({ flag, compact, access, onToggle }: Props) {
  const status = !flag.active ? "inactive" : flag.stale ? "stale" : "active";
  return (
    <div className="flex items-start gap-2.5 sm:w-36">
      <Permit access={access}>
        <Switch
          label={`${flag.key} is ${flag.active ? "on" : "off"}`}
          checked={flag.active}
          {...refused(access)}
          className={cn("mt-px", !access.may_write && "cursor-not-allowed opacity-50")}
          onCheckedChange={() => access.may_write && onToggle()}
        />
      </Permit>
      <div className="min-w-0">
        <Status status={status} reason={flag.stale ?? undefined}>
          {status === "active" ? "On" : status === "inactive" ? "Off" : "Stale"}
        </Status>
        {flag.stale ? (
          <p className={cn("text-pretty text-2xs text-muted", compact && ONLY_CARD)}>{flag.stale}</p>
        ) : null}
      </div>
    </div>
  );
}

function Rollout({ flag, compact }: CellProps) {
  return (
    <div className="flex min-w-0 flex-col gap-1 text-xs">
      <Sentence
        tokens={flag.rollout}
        className={cn("line-clamp-2 text-muted", compact && "sm:line-clamp-1", !flag.active && "text-faint")}
      />
      {flag.kind === "remote" ? (
        <span className={cn("text-faint", compact && ONLY_CARD)}>{KIND_WORDS.remote}</span>
      ) : null}
      {flag.variants.length > 0 ? (
        <span className={cn("flex items-center gap-2", compact && ONLY_CARD)}>
          <ShareBar shares={flag.variants} label={`Variants of ${flag.key}`} className="max-w-32" />
          <span className="truncate text-faint">
            {flag.variants.map((variant) => variant.name).join(", ")}
          </span>
        </span>
      ) : null}
    </div>
  );
}

function RowMenu({ projectId, flag, access, onDelete }: Props) {
  return (
    <Menu trigger={<IconButton icon={MoreHorizontal} label={`More for ${flag.key}`} size="sm" />}>
      <MenuLink href={`/project/${projectId}/feature_flags/new?from=${flag.id}` as Route} icon={Copy}>
        Duplicate
      </MenuLink>
      <MenuSeparator />
      <MenuItem
        icon={Trash2}
        danger
        disabled={!access.may_write}
        description={access.may_write ? undefined : "Your API key is read-only"}
        onSelect={onDelete}
      >
        Delete
      </MenuItem>
    </Menu>
  );
}
