"use client";

import { CircleX, Ellipsis, Pencil, RefreshCw, Trash2, TriangleAlert } from "lucide-react";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { cn } from "#components/ui/cn.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Td, Tr } from "#components/ui/display/table.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem, MenuSeparator } from "#components/ui/overlay/menu.tsx";
import { expiryState } from "#lib/identity/personal_api_keys/expiry.ts";
import type { KeyRecord } from "#lib/identity/personal_api_keys/schema.ts";
import { scopeSummary } from "#lib/identity/personal_api_keys/scope-words.ts";

const SHOWN = 3;

/** Scopes in words: what the key may change, and what it may only read. */
function ScopeText({ scopes }: { scopes: readonly string[] }) {
  return (
    <span className="flex flex-col text-xs">
      {scopeSummary(scopes).map(({ action, objects }) => (
        <span key={action} title={objects.join(", ")} className="text-pretty">
          <span className="text-faint">{action}</span>{" "}
          <span className={action === "Read" ? "text-muted" : "text-ink"}>
            {objects.slice(0, objects.length > SHOWN + 1 ? SHOWN : undefined).join(", ")}
          </span>
          {objects.length > SHOWN + 1 ? (
            <span className="text-faint"> and {objects.length - SHOWN} more</span>
          ) : null}
        </span>
      ))}
    </span>
  );
}

export type KeyAction = "edit" | "roll" | "revoke";

type Props = {
  item: KeyRecord;
  inUse: boolean;
  showOwner: boolean;
  projectNames: ReadonlyMap<number, string>;
  organizationNames: ReadonlyMap<string, string>;
  now: number;
  access: Access;
  onAction: (action: KeyAction) => void;
};

export function KeyRow({ item, inUse, showOwner, now, access, onAction, ...names }: Props) {
  const owner = `${item.user.first_name} ${item.user.last_name}`.trim() || item.user.email;
  const expired = expiryState(item.expires_at, now) === "expired";
  return (
    <Tr dimmed={expired}>
      <Td place="title">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5">
          <button
            type="button"
            data-row-link=""
            className="min-w-0 rounded-xs text-left font-medium break-words hover:underline aria-disabled:no-underline"
            {...refused(access)}
            onClick={() => access.may_write && onAction("edit")}
          >
            {item.label}
          </button>
          {inUse ? (
            <Badge tone="accent" title="You are signed in with this key">
              Signed in with this
            </Badge>
          ) : null}
        </div>
        <code className="text-faint text-xs">{item.mask_value}</code>
      </Td>
      {showOwner ? (
        <Td label="Belongs to" className="text-muted text-xs">
          {owner}
        </Td>
      ) : null}
      <Td label="Permissions">
        <ScopeText scopes={item.scopes} />
      </Td>
      <Td label="Works in" className="text-muted text-xs">
        <ReachText item={item} {...names} />
      </Td>
      <Td label="Created" className="whitespace-nowrap text-muted text-xs">
        <RelativeTime date={item.created_at} />
      </Td>
      <Td label="Last used" className="whitespace-nowrap text-muted text-xs">
        {item.last_used_at ? (
          <RelativeTime date={item.last_used_at} />
        ) : (
          <span className="text-faint">Never</span>
        )}
      </Td>
      <Td label="Expires" className="whitespace-nowrap text-xs">
        <Expiry expires_at={item.expires_at} now={now} />
      </Td>
      <Td place="corner" align="right" className="sm:w-10">
        {access.may_write ? (
          <Menu trigger={<IconButton icon={Ellipsis} label={`Actions on ${item.label}`} size="sm" />}>
            <MenuItem icon={Pencil} onSelect={() => onAction("edit")}>
              Edit…
            </MenuItem>
            <MenuItem
              icon={RefreshCw}
              onSelect={() => onAction("roll")}
              description="New value, same permissions"
            >
              Roll…
            </MenuItem>
            <MenuSeparator />
            <MenuItem icon={Trash2} danger onSelect={() => onAction("revoke")}>
              Revoke…
            </MenuItem>
          </Menu>
        ) : (
          <Permit access={access}>
            <IconButton icon={Ellipsis} label={`Actions on ${item.label}`} size="sm" aria-disabled />
          </Permit>
        )}
      </Td>
    </Tr>
  );
}

type ReachProps = Pick<Props, "item" | "projectNames" | "organizationNames">;

function ReachText({ item, projectNames, organizationNames }: ReachProps) {
  if (item.scoped_teams.length > 0) {
    const names = item.scoped_teams.map((id) => projectNames.get(id) ?? `Project ${id}`);
    return <Names names={names} />;
  }
  if (item.scoped_organizations.length > 0) {
    const names = item.scoped_organizations.map((id) => organizationNames.get(id) ?? "an organization");
    return <Names names={names.map((name) => `All of ${name}`)} />;
  }
  return <span>All its owner’s projects</span>;
}

function Names({ names }: { names: readonly string[] }) {
  const shown = names.slice(0, names.length > 3 ? 2 : 3);
  return (
    <span title={names.join(", ")}>
      {shown.join(", ")}
      {names.length > shown.length ? ` and ${names.length - shown.length} more` : ""}
    </span>
  );
}

function Expiry({ expires_at, now }: { expires_at: string | null; now: number }) {
  const state = expiryState(expires_at, now);
  if (expires_at === null) return <span className="text-faint">Never</span>;
  const Icon = state === "expired" ? CircleX : state === "soon" ? TriangleAlert : null;
  return (
    <span
      className={cn(
        "inline-flex items-center gap-1",
        state === "expired" ? "text-danger-text" : state === "soon" ? "text-warning-text" : "text-muted",
      )}
    >
      {Icon ? <Icon aria-hidden="true" className="size-3.5 shrink-0" /> : null}
      {state === "expired" ? "Expired " : ""}
      <RelativeTime date={expires_at} />
    </span>
  );
}
