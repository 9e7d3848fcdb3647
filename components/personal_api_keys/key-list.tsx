"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import type { KeyActions } from "#app/project/[project_id]/settings/api_keys/key-actions.ts";
import { type Access, Permit, refused } from "#components/kit/access.tsx";
import type { KeyGrants } from "#components/personal_api_keys/key-form-values.ts";
import { later } from "#components/ui/after-page.ts";
import { Button } from "#components/ui/button.tsx";
import { Table, TableBody, TableHead, Th } from "#components/ui/display/table.tsx";
import { useShortcut } from "#components/ui/overlay/shortcuts.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import type { KeyRecord, KeyWithValue } from "#lib/identity/personal_api_keys/schema.ts";
import { type KeyAction, KeyRow } from "./key-row.tsx";

const ValueDialog = later(async () => (await import("./value-dialog.tsx")).ValueDialog);

const RollDialog = later(async () => (await import("./key-confirms.tsx")).RollDialog);

const RevokeDialog = later(async () => (await import("./key-confirms.tsx")).RevokeDialog);

const KeyDialog = later(async () => (await import("./key-dialog.tsx")).KeyDialog);

type Props = {
  projectId: string;
  keys: readonly KeyRecord[];
  /** Id of the key that is signed in with; null if the API does not say. */
  current: string | null;
  showOwner: boolean;
  now: number;
  grants: KeyGrants;
  access: Access;
  actions: KeyActions;
  /** Shown beside the button for a new key. */
  filters: ReactNode;
};

type OpenDialog = { action: KeyAction; item: KeyRecord } | { action: "create" };

/** The keys, and everything that can be done with them. */
export function KeyList({
  projectId,
  keys,
  current,
  showOwner,
  now,
  grants,
  access,
  actions,
  filters,
}: Props) {
  const router = useRouter();
  const [dialog, setDialog] = useState<OpenDialog>();
  const [shown, setShown] = useState<{ key: KeyWithValue; rolled: boolean }>();
  const projectNames = new Map(grants.projects.map((each) => [each.id, each.name]));
  const organizationNames = new Map(grants.organizations.map((each) => [each.id, each.name]));
  const close = () => setDialog(undefined);
  useShortcut("c", "Create an API key", () => setDialog({ action: "create" }), { enabled: access.may_write });

  function revoked(label: string, signedOut: boolean) {
    if (signedOut) router.push("/sign-in");
    else toast.success(`${label} was revoked`);
  }
  return (
    <RowKeys noun="key">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        {filters}
        <Permit access={access}>
          <Button
            variant="primary"
            icon={Plus}
            className="ml-auto"
            {...refused(access)}
            onClick={() => access.may_write && setDialog({ action: "create" })}
          >
            New API key
          </Button>
        </Permit>
      </div>
      <Table caption="API keys" minWidth="sm:min-w-[54rem]">
        <TableHead>
          <Th>Key</Th>
          {showOwner ? <Th>Belongs to</Th> : null}
          <Th>Permissions</Th>
          <Th>Works in</Th>
          <Th>Created</Th>
          <Th>Last used</Th>
          <Th>Expires</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </TableHead>
        <TableBody>
          {keys.map((item) => (
            <KeyRow
              key={item.id}
              item={item}
              inUse={item.id === current}
              onAction={(action) => setDialog({ action, item })}
              {...{ showOwner, projectNames, organizationNames, now, access }}
            />
          ))}
        </TableBody>
      </Table>
      {dialog?.action === "create" || dialog?.action === "edit" ? (
        <KeyDialog
          projectId={projectId}
          edited={dialog.action === "edit" ? dialog.item : null}
          grants={grants}
          actions={actions}
          onClose={close}
          onCreated={(key) => setShown({ key, rolled: false })}
        />
      ) : null}
      {dialog?.action === "roll" ? (
        <RollDialog
          item={dialog.item}
          inUse={dialog.item.id === current}
          actions={actions}
          onClose={close}
          onRolled={(key) => setShown({ key, rolled: true })}
        />
      ) : null}
      {dialog?.action === "revoke" ? (
        <RevokeDialog
          item={dialog.item}
          inUse={dialog.item.id === current}
          actions={actions}
          onClose={close}
          onRevoked={(signedOut) => revoked(dialog.item.label, signedOut)}
        />
      ) : null}
      {shown ? (
        <ValueDialog
          label={shown.key.label}
          value={shown.key.value}
          rolled={shown.rolled}
          onClose={() => setShown(undefined)}
        />
      ) : null}
    </RowKeys>
  );
}
