"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useState } from "react";
import type { Access } from "#components/feature_flags/flag_actions.ts";
import { Permit, refused } from "#components/feature_flags/permit.tsx";
import { Button } from "#components/ui/button.tsx";
import { RowKeys } from "#components/ui/row-keys.tsx";
import { useShortcut } from "#components/ui/shortcuts.tsx";
import { Table, TableBody, TableHead, Th } from "#components/ui/table.tsx";
import { toast } from "#components/ui/toaster.tsx";
import type { KeyRecord } from "#lib/personal_api_keys/schema.ts";
import type { KeyActions, KeyGrants, KeyWithValue } from "./key_actions.ts";
import { RevokeDialog, RollDialog } from "./key_confirms.tsx";
import { KeyDialog } from "./key_dialog.tsx";
import { type KeyDeed, KeyRow } from "./key_row.tsx";
import { ValueDialog } from "./value_dialog.tsx";

type Props = {
  projectId: string;
  keys: readonly KeyRecord[];
  /** Id of the key that is signed in with; null where the API does not tell. */
  current: string | null;
  showOwner: boolean;
  now: number;
  grants: KeyGrants;
  access: Access;
  actions: KeyActions;
  /** Stands beside the button for a new key. */
  filters: ReactNode;
};

type Asking = { deed: KeyDeed; item: KeyRecord } | { deed: "create" };

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
  const [asking, setAsking] = useState<Asking>();
  const [shown, setShown] = useState<{ key: KeyWithValue; rolled: boolean }>();
  const projectNames = new Map(grants.projects.map((each) => [each.id, each.name]));
  const organizationNames = new Map(grants.organizations.map((each) => [each.id, each.name]));
  const close = () => setAsking(undefined);
  useShortcut("c", "Create an API key", () => setAsking({ deed: "create" }), { enabled: access.may_write });

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
            onClick={() => access.may_write && setAsking({ deed: "create" })}
          >
            New API key
          </Button>
        </Permit>
      </div>
      <Table caption="API keys" minWidth="sm:min-w-[54rem]">
        <TableHead>
          <Th>Key</Th>
          {showOwner ? <Th>Belongs to</Th> : null}
          <Th>May do</Th>
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
              onDeed={(deed) => setAsking({ deed, item })}
              {...{ showOwner, projectNames, organizationNames, now, access }}
            />
          ))}
        </TableBody>
      </Table>
      {asking?.deed === "create" || asking?.deed === "edit" ? (
        <KeyDialog
          projectId={projectId}
          edited={asking.deed === "edit" ? asking.item : null}
          grants={grants}
          actions={actions}
          onClose={close}
          onCreated={(key) => setShown({ key, rolled: false })}
        />
      ) : null}
      {asking?.deed === "roll" ? (
        <RollDialog
          item={asking.item}
          inUse={asking.item.id === current}
          actions={actions}
          onClose={close}
          onRolled={(key) => setShown({ key, rolled: true })}
        />
      ) : null}
      {asking?.deed === "revoke" ? (
        <RevokeDialog
          item={asking.item}
          inUse={asking.item.id === current}
          actions={actions}
          onClose={close}
          onRevoked={(signedOut) => revoked(asking.item.label, signedOut)}
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
