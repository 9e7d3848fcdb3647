"use client";

import { attempt } from "#components/feature_flags/flag_actions.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { RelativeTime } from "#components/ui/relative-time.tsx";
import { useEndpoint } from "#components/use-endpoint.ts";
import { personalApiKeyContract } from "#lib/personal_api_keys/contract.ts";
import type { KeyRecord } from "#lib/personal_api_keys/schema.ts";
import type { KeyActions, KeyWithValue } from "./key_actions.ts";

type Props = { item: KeyRecord; inUse: boolean; actions: KeyActions; onClose: () => void };

/** Asks before a key gets a new value. */
export function RollDialog({
  item,
  inUse,
  actions,
  onClose,
  onRolled,
}: Props & { onRolled: (rolled: KeyWithValue) => void }) {
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Roll ${item.label}?`}
      description="It gets a new value and keeps its rights. The old value stops working at once."
      confirmLabel="Roll key"
      danger
      onConfirm={async () => {
        const result = await attempt(() => actions.roll(item.id));
        if (!result.ok) return result.error.detail;
        onRolled(result.data);
        return undefined;
      }}
    >
      <Breaks item={item} />
      {inUse ? (
        <p className="text-muted text-sm">
          You are signed in with this key. This browser goes on with the new value; other places where you are
          signed in with it are signed out.
        </p>
      ) : null}
    </ConfirmDialog>
  );
}

/** Asks before a key ends for good. */
export function RevokeDialog({
  item,
  inUse,
  actions,
  onClose,
  onRevoked,
}: Props & { onRevoked: (signedOut: boolean) => void }) {
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke ${item.label}?`}
      description={
        inUse
          ? "You are signed in with this key: revoking it signs you out. It stops working at once and cannot be brought back."
          : "It stops working at once and cannot be brought back."
      }
      confirmLabel="Revoke key"
      danger
      typeToConfirm={item.label}
      onConfirm={async () => {
        const result = await attempt(() => actions.revoke(item.id));
        if (!result.ok) return result.error.detail;
        onRevoked(result.data.signed_out);
        return undefined;
      }}
    >
      <Breaks item={item} />
    </ConfirmDialog>
  );
}

/** What stops working with the old value, by when the key was last used: asked now, not when the page was read. */
function Breaks({ item }: { item: KeyRecord }) {
  const fresh = useEndpoint(
    personalApiKeyContract.retrieve,
    { params: { id: item.id } },
    { staleTime: 0, gcTime: 0, retry: false },
  );
  return (
    <p aria-live="polite" className="rounded-md border bg-sunken px-3 py-2 text-muted text-sm">
      {fresh.isPending ? (
        "Looking up when it was last used…"
      ) : (
        <LastUse at={(fresh.data ?? item).last_used_at} />
      )}
    </p>
  );
}

function LastUse({ at }: { at: string | null }) {
  if (at === null) return "It has never been used, so nothing should break.";
  return (
    <>
      It was last used <RelativeTime date={at} className="font-medium text-ink" />. Whatever uses it gets 401
      answers until it has another key; server SDKs go on with the flags that they hold.
    </>
  );
}
