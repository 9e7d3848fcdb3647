"use client";

import { useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { Callout } from "#components/ui/callout.tsx";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { useCopy } from "#components/ui/copy-button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, FieldError } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";

type Props = { label: string; value: string; rolled: boolean; onClose: () => void };

/** A key's value, shown this once; it closes only when somebody says that it is kept. */
export function ValueDialog({ label, value, rolled, onClose }: Props) {
  const { copied, copy } = useCopy();
  const [kept, setKept] = useState(false);
  const [reminded, setReminded] = useState(false);
  const leave = () => (kept ? onClose() : setReminded(true));
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && leave()}
      title={rolled ? `New value of ${label}` : `${label} is ready`}
      footer={
        <Button variant="primary" aria-disabled={!kept} onClick={leave}>
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
          Only a digest of it is stored. If it gets lost, roll the key or make another one.
          {rolled ? " The old value has stopped working." : ""}
        </Callout>
        <div className="flex flex-col gap-1">
          <Checkbox
            label="I have put the key where it is safe"
            checked={kept}
            aria-invalid={reminded && !kept}
            onCheckedChange={(next) => setKept(next === true)}
          />
          <FieldError>
            {reminded && !kept ? "Tick this first: once closed, the value cannot be shown again." : undefined}
          </FieldError>
        </div>
      </div>
    </Dialog>
  );
}
