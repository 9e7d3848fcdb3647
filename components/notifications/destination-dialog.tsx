"use client";

import { Hash, Mail, Webhook } from "lucide-react";
import { useState } from "react";
import type { DestinationActions } from "#app/project/[project_id]/settings/notifications/destination-actions.ts";
import { attempt } from "#components/kit/action.ts";
import { Button } from "#components/ui/button.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { DialogClose } from "#components/ui/overlay/dialog-close.tsx";
import { toast } from "#components/ui/overlay/toaster.tsx";
import type { DestinationKind, DestinationRecord } from "#lib/notifications/destinations/schema.ts";
import {
  NOTIFICATION_TYPES,
  type NotificationType,
  TYPE_NAMES,
} from "#lib/notifications/messages/types-schema.ts";
import { type ChosenResource, ResourcePicker } from "./resource-picker.tsx";

export type DestinationDialogProps = {
  projectId: string;
  /** null: a new one. */
  destination: DestinationRecord | null;
  actions: DestinationActions;
  onClose: () => void;
  onSecret: (secret: string) => void;
};

const KINDS = [
  {
    value: "webhook",
    label: "Webhook",
    description: "Signed JSON",
    icon: <Webhook aria-hidden="true" className="size-4" />,
  },
  {
    value: "slack",
    label: "Slack",
    description: "Incoming webhook",
    icon: <Hash aria-hidden="true" className="size-4" />,
  },
  {
    value: "email",
    label: "E-mail",
    description: "One or more addresses",
    icon: <Mail aria-hidden="true" className="size-4" />,
  },
] as const;

const ADDRESS: Record<DestinationKind, { label: string; placeholder: string }> = {
  webhook: { label: "URL", placeholder: "https://example.com/hooks/switchyard" },
  slack: { label: "URL of the incoming webhook", placeholder: "https://hooks.slack.com/services/…" },
  email: { label: "Addresses, separated by commas", placeholder: "product@example.com" },
};

/** Creates or edits a destination. */
export function DestinationDialog({
  projectId,
  destination,
  actions,
  onClose,
  onSecret,
}: DestinationDialogProps) {
  const [kind, setKind] = useState<DestinationKind>(destination?.kind ?? "webhook");
  const [name, setName] = useState(destination?.name ?? "");
  const hidden = destination?.kind === "slack";
  const before = hidden ? "" : (destination?.address ?? "");
  const [address, setAddress] = useState(before);
  const [types, setTypes] = useState<readonly NotificationType[]>(destination?.types ?? []);
  const [resources, setResources] = useState<readonly ChosenResource[]>(destination?.resources ?? []);
  const [refusal, setRefusal] = useState<{ attr: string | null; detail: string }>();
  const [saving, setSaving] = useState(false);
  const problemOf = (attr: string) => (refusal?.attr?.startsWith(attr) ? refusal.detail : undefined);

  async function save() {
    setSaving(true);
    const body = { name, types: [...types], resources: resources.map(({ type, id }) => ({ type, id })) };
    const result = await attempt(() =>
      destination
        ? actions.update(projectId, destination.id, {
            ...body,
            ...(address !== before && { address }),
          })
        : actions.create(projectId, { kind, address, ...body }),
    );
    setSaving(false);
    if (!result.ok) return setRefusal({ attr: result.error.attr, detail: result.error.detail });
    toast.success(destination ? "The destination was changed" : "The destination was added");
    if (result.data.secret) onSecret(result.data.secret);
    else onClose();
  }
  const isPlaced = ["name", "address"].some((attr) => refusal?.attr?.startsWith(attr));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title={destination ? "Edit destination" : "New destination"}
      footer={
        <>
          <DialogClose>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="primary" loading={saving} onClick={save}>
            {destination ? "Save destination" : "Add destination"}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {destination ? null : (
          <RadioCards label="Kind" columns={3} value={kind} onValueChange={setKind} options={KINDS} />
        )}
        <Field label="Name" error={problemOf("name")}>
          <Input
            value={name}
            onChange={(event) => setName(event.target.value)}
            placeholder="Release channel"
          />
        </Field>
        <Field
          label={ADDRESS[kind].label}
          description={hidden ? "The current one is not shown. Leave this empty to keep it." : undefined}
          error={problemOf("address")}
        >
          <Input
            value={address}
            onChange={(event) => setAddress(event.target.value)}
            placeholder={ADDRESS[kind].placeholder}
          />
        </Field>
        <Field as="group" label="What it gets" description="If you choose none, it gets everything.">
          <div className="grid max-h-64 gap-2.5 overflow-y-auto rounded-lg border p-3 scroll-thin">
            {TYPE_NAMES.map((type) => (
              <Checkbox
                key={type}
                label={NOTIFICATION_TYPES[type].replace(/\.$/, "")}
                checked={types.includes(type)}
                onCheckedChange={(checked) =>
                  setTypes(checked === true ? [...types, type] : types.filter((each) => each !== type))
                }
              />
            ))}
          </div>
        </Field>
        <Field
          label="Only about"
          optional
          description="Without a choice, everything in the project."
          error={problemOf("resources")}
        >
          <ResourcePicker projectId={Number(projectId)} values={resources} onValuesChange={setResources} />
        </Field>
        <FieldError>{isPlaced || problemOf("resources") ? undefined : refusal?.detail}</FieldError>
      </div>
    </Dialog>
  );
}
