"use client";

import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { useCopy } from "#components/ui/copy-button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { Field, FieldError } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";

type Props = { label: string; value: string; rolled: boolean; onClose: () => void };

/** Shows a key's value once; closes only after the user confirms that it is stored. */
export function ValueDialog({ label, value, rolled, onClose }: Props) {
  const { copied, copy } = useCopy();
  const [saved, setSaved] = useState(false);
  const [reminded, setReminded] = useState(false);
  const leave = () => (saved ? onClose() : setReminded(true));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && leave()}
      title={rolled ? `New value of ${label}` : `${label} is ready`}
      footer={
        <Button variant="primary" aria-disabled={!saved} onClick={leave}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="API key">
          <span className="flex gap-2">
            <Input
              readOnly
              mono
              value={value}
              className="flex-1"
              onFocus={(event) => event.target.select()}
              spellCheck={false}
            />
            <Button onClick={() => copy(value)}>{copied ? "Copied" : "Copy"}</Button>
          </span>
        </Field>
        <Callout tone="warning" title="This is the only time it is shown">
          Only a digest of it is stored. If you lose it, roll the key or create a new one.
          {rolled ? " The old value has stopped working." : ""}
        </Callout>
        <div className="flex flex-col gap-1">
          <Checkbox
            label="I have stored the key safely"
            checked={saved}
            aria-invalid={reminded && !saved}
            onCheckedChange={(next) => setSaved(next === true)}
          />
          <FieldError>
            {reminded && !saved
              ? "Tick this first: once closed, the value cannot be shown again."
              : undefined}
          </FieldError>
        </div>
      </div>
    </Dialog>
  );
}
