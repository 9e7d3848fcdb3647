"use client";

import { useState } from "react";
import type { KeyActions } from "#app/project/[project_id]/settings/api_keys/key-actions.ts";
import { attempt } from "#components/kit/action.ts";
import type { KeyGrants } from "#components/personal_api_keys/key-form-values.ts";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { DialogClose } from "#components/ui/overlay/dialog-close.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import { expiryOf } from "#lib/identity/personal_api_keys/expiry.ts";
import type { KeyRecord, KeyWithValue } from "#lib/identity/personal_api_keys/schema.ts";
import { KeyFields } from "./key-fields.tsx";
import {
  draftOfKey,
  findDraftProblems,
  type KeyDraft,
  type KeyProblems,
  newKeyDraft,
  problemsOf,
  restrictionOf,
} from "./key-form-values.ts";

type Props = {
  projectId: string;
  /** The key to edit; null for a new one. */
  edited: KeyRecord | null;
  grants: KeyGrants;
  actions: KeyActions;
  onClose: () => void;
  onCreated: (made: KeyWithValue) => void;
};

type Body = Parameters<KeyActions["create"]>[0];

/** Creates a key or edits its permissions. */
export function KeyDialog({ projectId, edited, grants, actions, onClose, onCreated }: Props) {
  const [draft, setDraft] = useState(() =>
    edited ? draftOfKey(edited) : newKeyDraft(grants.restricted, projectId),
  );
  const [problems, setProblems] = useState<KeyProblems>({});
  const [saving, setSaving] = useState(false);

  async function change(key: KeyRecord, body: Body) {
    const result = await attempt(() => actions.update(key.id, changesOf(body, key)));
    if (!result.ok) return result.error;
    toast.success(`${result.data.label} was updated`);
    return null;
  }
  async function create(body: Body) {
    const result = await attempt(() => actions.create(body));
    if (!result.ok) return result.error;
    onCreated(result.data);
    return null;
  }
  async function save() {
    const found = findDraftProblems(draft);
    setProblems(found);
    if (Object.keys(found).length > 0) return;
    setSaving(true);
    const body = bodyOf(draft);
    const problem = edited ? await change(edited, body) : await create(body);
    setSaving(false);
    if (problem) setProblems(problemsOf(problem));
    else onClose();
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="md"
      title={edited ? `Edit ${edited.label}` : "New API key"}
      description={
        edited
          ? "Its value stays the same. Changes apply from the next call."
          : "Its value is shown once, right after creation."
      }
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="primary" type="submit" form="key-form" loading={saving}>
            {edited ? "Save changes" : "Create key"}
          </Button>
        </>
      }
    >
      <form
        id="key-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {problems.all ? (
          <Callout tone="danger" live className="mb-4">
            {problems.all}
          </Callout>
        ) : null}
        <KeyFields
          draft={draft}
          onDraftChange={(change) => setDraft((before) => ({ ...before, ...change }))}
          problems={problems}
          grants={grants}
          {...(edited ? { expires_at: edited.expires_at } : {})}
        />
      </form>
    </Dialog>
  );
}

function bodyOf(draft: KeyDraft): Body {
  const expires_at = expiryOf(draft.expiry, draft.date, Date.now());
  return {
    label: draft.label.trim(),
    scopes: draft.scopes as Body["scopes"],
    ...restrictionOf(draft),
    ...(expires_at === undefined ? {} : { expires_at }),
    ...(draft.owner ? { user: draft.owner } : {}),
  };
}

/** Only what differs: an unchanged restriction may be one that the key in use could not give. */
function changesOf(body: Body, before: KeyRecord) {
  const { user: _, ...given } = body;
  const stored: Record<string, unknown> = before;
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(stored[name])),
  );
}
