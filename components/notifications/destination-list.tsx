"use client";

import { Ellipsis, Hash, KeyRound, Mail, Pencil, Plus, RotateCcw, Send, Trash2, Webhook } from "lucide-react";
import { useState } from "react";
import type { DestinationActions } from "#app/project/[project_id]/settings/notifications/destination-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import { attempt, findProblem } from "#components/kit/action.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Badge } from "#components/ui/display/badge.tsx";
import { Card } from "#components/ui/display/card.tsx";
import { EmptyState } from "#components/ui/display/empty-state.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import { Switch } from "#components/ui/form/switch.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Menu, MenuItem, MenuSeparator } from "#components/ui/overlay/menu.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { DestinationRecord } from "#lib/notifications/destinations/schema.ts";
import { plural } from "#lib/platform/format.ts";
import type { DestinationDialogProps } from "./destination-dialog.tsx";
import type { SecretDialogProps } from "./secret-dialog.tsx";

const DestinationDialog = later<DestinationDialogProps>(
  async () => (await import("./destination-dialog.tsx")).DestinationDialog,
);
const SecretDialog = later<SecretDialogProps>(async () => (await import("./secret-dialog.tsx")).SecretDialog);

const KINDS = { webhook: Webhook, email: Mail, slack: Hash } as const;

type Common = { projectId: string; access: Access; actions: DestinationActions };
type Asked =
  | { action: "edit"; destination: DestinationRecord | null }
  | { action: "rotate" | "delete"; destination: DestinationRecord }
  | { action: "show_secret"; secret: string };

/** The destinations of a project, and what can be done with them. */
export function DestinationList({
  destinations,
  ...common
}: Common & { destinations: readonly DestinationRecord[] }) {
  const { projectId, access, actions } = common;
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const newOne = (
    <Permit access={access}>
      <Button
        size={destinations.length > 0 ? "sm" : "md"}
        variant="primary"
        icon={Plus}
        {...refused(access)}
        onClick={() => access.may_write && setAsked({ action: "edit", destination: null })}
      >
        New destination
      </Button>
    </Permit>
  );
  return (
    <>
      {destinations.length === 0 ? (
        <EmptyState icon={Send} title="Nothing is sent anywhere" actions={newOne}>
          Send what happens here to a webhook of yours, to a channel in Slack or to a mailing list.
        </EmptyState>
      ) : (
        <Card title="Destinations" actions={newOne} padded={false}>
          <ul aria-label="Destinations" className="divide-y border-t">
            {destinations.map((destination) => (
              <DestinationRow key={destination.id} {...common} destination={destination} onAsk={setAsked} />
            ))}
          </ul>
        </Card>
      )}
      {asked?.action === "edit" ? (
        <DestinationDialog
          projectId={projectId}
          destination={asked.destination}
          actions={actions}
          onClose={close}
          onSecret={(secret) => setAsked({ action: "show_secret", secret })}
        />
      ) : null}
      {asked?.action === "show_secret" ? <SecretDialog secret={asked.secret} onClose={close} /> : null}
      {asked?.action === "rotate" ? (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && close()}
          title="Rotate the secret?"
          description="For 24 hours, messages are signed with both secrets, so that you have time to switch."
          confirmLabel="Rotate the secret"
          onConfirm={async () => {
            const result = await attempt(() => actions.rotate(projectId, asked.destination.id));
            if (!result.ok) return result.error.detail;
            setAsked({ action: "show_secret", secret: result.data.secret ?? "" });
            return undefined;
          }}
        />
      ) : null}
      {asked?.action === "delete" ? (
        <ConfirmDialog
          open
          onOpenChange={(open) => !open && close()}
          title={`Delete ${asked.destination.name}?`}
          description="The messages that were sent to it or are waiting are deleted too."
          confirmLabel="Delete destination"
          danger
          onConfirm={() => findProblem(() => actions.remove(projectId, asked.destination.id))}
        />
      ) : null}
    </>
  );
}

function wordsOf({ types, resources }: DestinationRecord): string {
  const what =
    types.length === 0
      ? "Everything"
      : plural(types.length, "type of notification", "types of notifications");
  return resources.length === 0 ? what : `${what} about ${plural(resources.length, "resource")}`;
}

function DestinationRow({
  projectId,
  access,
  actions,
  destination,
  onAsk,
}: Common & { destination: DestinationRecord; onAsk: (asked: Asked) => void }) {
  const { id, kind, name, address, enabled, waiting, dead, blocked_until, delivered_at } = destination;
  const [busy, setBusy] = useState<"enable" | "test">();
  const Icon = KINDS[kind];

  async function enable(next: boolean) {
    if (!access.may_write) return;
    setBusy("enable");
    const problem = await findProblem(() => actions.update(projectId, id, { enabled: next }));
    setBusy(undefined);
    if (problem) toast.error(problem);
  }
  async function test() {
    if (!access.may_write) return;
    setBusy("test");
    const result = await attempt(() => actions.test(projectId, id));
    setBusy(undefined);
    if (!result.ok) return toast.error(result.error.detail);
    const { delivered, error } = result.data;
    if (delivered) toast.success(`The test has reached ${name}`);
    else toast.error(`The test has not reached ${name}`, { description: error ?? "" });
  }
  async function replayAll() {
    const result = await attempt(() => actions.replayAll(projectId, id));
    if (!result.ok) return toast.error(result.error.detail);
    toast.success(`${plural(result.data.replayed, "message is", "messages are")} sent again`);
  }
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-2 px-4 py-3 sm:flex-nowrap">
      <Permit access={access}>
        <Switch
          label={`Send to ${name}`}
          checked={enabled}
          pending={busy === "enable"}
          onCheckedChange={enable}
          className="mt-0.5"
          {...refused(access)}
        />
      </Permit>
      <div className="min-w-0 flex-1 basis-60">
        <p className="flex flex-wrap items-center gap-1.5 font-medium text-sm">
          <Icon aria-hidden="true" className="size-4 shrink-0 text-faint" />
          <span className="min-w-0 break-words">{name}</span>
          {blocked_until && enabled ? <Badge tone="warning">Does not answer</Badge> : null}
          {dead > 0 ? <Badge tone="danger">{plural(dead, "failed message")}</Badge> : null}
        </p>
        <p className="break-all text-muted text-xs">
          {address ?? "Stored with another ENCRYPTION_KEY: enter the address again."}
        </p>
        <p className="mt-0.5 text-faint text-xs">
          {wordsOf(destination)}
          {waiting > 0 ? ` · ${plural(waiting, "message waits", "messages wait")}` : ""}
          {delivered_at ? (
            <>
              {" · last delivered "}
              <RelativeTime date={delivered_at} />
            </>
          ) : null}
        </p>
      </div>
      {access.may_write ? (
        <div className="flex items-center gap-1.5">
          <Button size="sm" loading={busy === "test"} onClick={test} aria-label={`Send a test to ${name}`}>
            Send test
          </Button>
          <Menu trigger={<IconButton icon={Ellipsis} label={`Actions on ${name}`} size="sm" />}>
            <MenuItem icon={Pencil} onSelect={() => onAsk({ action: "edit", destination })}>
              Edit…
            </MenuItem>
            {kind === "webhook" ? (
              <MenuItem icon={KeyRound} onSelect={() => onAsk({ action: "rotate", destination })}>
                Rotate the secret…
              </MenuItem>
            ) : null}
            <MenuItem icon={RotateCcw} disabled={dead === 0 || !enabled} onSelect={replayAll}>
              Send failed messages again
            </MenuItem>
            <MenuSeparator />
            <MenuItem icon={Trash2} danger onSelect={() => onAsk({ action: "delete", destination })}>
              Delete…
            </MenuItem>
          </Menu>
        </div>
      ) : null}
    </li>
  );
}
