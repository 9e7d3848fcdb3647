"use client";

import { Check, CircleCheck, CircleDashed, Copy, ExternalLink } from "lucide-react";
import { useState } from "react";
import { useFrame } from "#components/frame/frame-context.tsx";
import { surveyAddress, whatPeopleSee } from "#components/surveys/draft/share.ts";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { cn } from "#components/ui/cn.ts";
import { useCopy } from "#components/ui/copy-button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { QrCode } from "#components/ui/qr-code.tsx";
import { fileName } from "#components/ui/save-file.ts";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";

type Props = { survey: SurveyWritten };

/** The address of a hosted survey, whatever its state. */
export function ShareDialog({ survey, onClose }: Props & { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Share ${survey.name}`} size="md">
      <ShareDetails survey={survey} />
    </Dialog>
  );
}

/** The address to copy, its QR code, and what people see who open it now. */
export function ShareDetails({ survey }: Props) {
  const { publicAddress } = useFrame();
  const { copied, copy } = useCopy();
  const [now] = useState(() => Date.now());
  const address = surveyAddress(publicAddress, survey.id);
  return (
    <div className="flex flex-col gap-5 sm:flex-row">
      <div className="flex min-w-0 flex-1 flex-col gap-4">
        <State survey={survey} now={now} />
        <Field label="Address">
          <Textarea
            readOnly
            rows={2}
            value={address}
            onFocus={(event) => event.target.select()}
            mono
            className="resize-none break-all"
          />
        </Field>
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" icon={copied ? Check : Copy} onClick={() => copy(address)}>
            {copied ? "Copied" : "Copy address"}
          </Button>
          <a href={address} target="_blank" rel="noreferrer" className={buttonClass()}>
            <ExternalLink aria-hidden="true" />
            Open page
            <span className="sr-only"> in a new tab</span>
          </a>
          <span aria-live="polite" className="sr-only">
            {copied ? "Address copied" : ""}
          </span>
        </div>
      </div>
      <QrCode text={address} label="QR code of the survey's address" name={`${fileName(survey.name)}-qr`} />
    </div>
  );
}

function State({ survey, now }: Props & { now: number }) {
  const { title, text, open } = whatPeopleSee(survey, now);
  const Icon = open ? CircleCheck : CircleDashed;
  return (
    <p className="flex items-start gap-2 text-sm">
      <Icon
        aria-hidden="true"
        className={cn("mt-0.5 size-4 shrink-0", open ? "text-success-text" : "text-muted")}
      />
      <span className="min-w-0">
        <span className="font-medium">{title}</span>
        <span className="mt-0.5 block text-pretty text-muted text-xs">{text}</span>
      </span>
    </p>
  );
}
