"use client";

import { Button } from "#components/ui/button.tsx";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { DialogClose } from "#components/ui/overlay/dialog-close.tsx";

export type SecretDialogProps = { secret: string; onClose: () => void };

/** Shows the secret of a webhook, once. */
export function SecretDialog({ secret, onClose }: SecretDialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="The secret of this webhook"
      description="It is shown only now. Your receiver checks with it that messages come from here."
      footer={
        <DialogClose>
          <Button variant="primary">I have copied it</Button>
        </DialogClose>
      }
    >
      <CodeBlock code={secret} label="secret" wrap />
    </Dialog>
  );
}
