"use client";

import type { KeyActions } from "#app/project/[project_id]/settings/api_keys/key-actions.ts";
import { attempt } from "#components/kit/action.ts";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { RelativeTime } from "#components/ui/display/relative-time.tsx";
import type { personalApiKeyContract } from "#lib/identity/personal_api_keys/contract.ts";
import type { KeyRecord, KeyWithValue } from "#lib/identity/personal_api_keys/schema.ts";

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
      description="It gets a new value and keeps its permissions. The old value stops working immediately."
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
          You are signed in with this key. This browser switches to the new value; other sessions with this
          key are signed out.
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
          ? "You are signed in with this key: revoking it signs you out. It stops working immediately and cannot be restored."
          : "It stops working immediately and cannot be restored."
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

/** What stops working with the old value, by when the key was last used: checked now, not when the page was loaded. */
function Breaks({ item }: { item: KeyRecord }) {
  const fresh = useEndpoint<typeof personalApiKeyContract.retrieve>(
    "/api/personal_api_keys/{id}/",
    { params: { id: item.id } },
    { staleTime: 0, gcTime: 0, retry: false },
  );
  return (
    <p aria-live="polite" className="rounded-md border bg-sunken px-3 py-2 text-muted text-sm">
      {fresh.isPending ? (
        "Checking when it was last used…"
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
      It was last used <RelativeTime date={at} className="font-medium text-ink" />. Anything that uses it gets
      401 until it has a new key; server SDKs keep their current flags.
    </>
  );
}
