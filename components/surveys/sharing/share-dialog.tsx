"use client";

import { Check, CircleCheck, CircleDashed, Copy, ExternalLink, Eye, Mail } from "lucide-react";
import { useState } from "react";
import { useFrame } from "#components/frame/frame-context.tsx";
import {
  addressWith,
  embedCode,
  mailtoFor,
  messageFor,
  type Prefill,
  suggestionsFor,
  surveyAddress,
  whatPeopleSee,
} from "#components/surveys/draft/share.ts";
import { Button } from "#components/ui/button.tsx";
import { buttonClass } from "#components/ui/button-class.ts";
import { cn } from "#components/ui/cn.ts";
import { useCopy } from "#components/ui/copy-button.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { Dialog } from "#components/ui/overlay/dialog.tsx";
import { fileName } from "#components/ui/save-file.ts";
import { TabPanel, Tabs } from "#components/ui/tabs.tsx";
import type { SurveyWritten } from "#lib/surveys/surveys/schema.ts";
import { PreviewLink } from "./preview-link.tsx";
import { QrCode } from "./qr-code.tsx";

type Props = { projectId: string; survey: SurveyWritten };

/** The address of a hosted survey, whatever its state. */
export function ShareDialog({ onClose, ...props }: Props & { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={`Share ${props.survey.name}`} size="lg">
      <ShareDetails {...props} />
    </Dialog>
  );
}

const WAYS = [
  { value: "address", label: "Address" },
  { value: "email", label: "E-mail" },
  { value: "embed", label: "Embed" },
];

/** The address and texts to copy, its QR code, and what people see who open it now. */
export function ShareDetails({ projectId, survey }: Props) {
  const { publicAddress } = useFrame();
  const [now] = useState(() => Date.now());
  const [way, setWay] = useState("address");
  const [prefill, setPrefill] = useState<Prefill>(new Map());
  const [fields, setFields] = useState("");
  const address = addressWith(surveyAddress(publicAddress, survey.id), prefill, fields);
  const message = messageFor(survey.name, address);
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-col gap-5 sm:flex-row">
        <div className="flex min-w-0 flex-1 flex-col gap-4">
          <State survey={survey} now={now} />
          <Tabs label="Ways to share" tabs={WAYS} value={way} onValueChange={setWay}>
            <TabPanel value="address">
              <ToCopy label="Address" text={address} rows={2} code>
                <a href={address} target="_blank" rel="noreferrer" className={buttonClass()}>
                  <ExternalLink aria-hidden="true" />
                  Open page
                  <span className="sr-only"> in a new tab</span>
                </a>
                <PreviewLink projectId={projectId} surveyId={survey.id} className={buttonClass()}>
                  <Eye aria-hidden="true" />
                  Preview
                </PreviewLink>
              </ToCopy>
            </TabPanel>
            <TabPanel value="email">
              <ToCopy label="E-mail text" text={message.body} rows={7}>
                <a href={mailtoFor(message)} className={buttonClass()}>
                  <Mail aria-hidden="true" />
                  Open in your e-mail program
                </a>
              </ToCopy>
            </TabPanel>
            <TabPanel value="embed">
              {survey.appearance?.enableIframeEmbedding === true ? null : (
                <Callout tone="warning" className="mb-3">
                  Other sites cannot embed this survey yet. Allow it under Appearance, Behaviour.
                </Callout>
              )}
              <ToCopy label="HTML" text={embedCode(survey.name, address)} rows={4} code />
            </TabPanel>
          </Tabs>
        </div>
        <QrCode text={address} label="QR code of the survey's address" name={`${fileName(survey.name)}-qr`} />
      </div>
      <Additions
        questions={survey.questions ?? []}
        prefill={prefill}
        onPrefill={setPrefill}
        fields={fields}
        onFields={setFields}
      />
    </div>
  );
}

type ToCopyProps = { label: string; text: string; rows: number; code?: boolean; children?: React.ReactNode };

function ToCopy({ label, text, rows, code = false, children }: ToCopyProps) {
  const { copied, copy } = useCopy();
  return (
    <div className="flex flex-col gap-3">
      <Field label={label}>
        <Textarea
          readOnly
          rows={rows}
          value={text}
          onFocus={(event) => event.target.select()}
          mono={code}
          className={code ? "resize-none break-all" : "resize-none break-words"}
        />
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" icon={copied ? Check : Copy} onClick={() => copy(text)}>
          {copied ? "Copied" : `Copy ${label === "HTML" ? label : label.toLowerCase()}`}
        </Button>
        {children}
        <span aria-live="polite" className="sr-only">
          {copied ? `${label} copied` : ""}
        </span>
      </div>
    </div>
  );
}

type AdditionsProps = {
  questions: NonNullable<SurveyWritten["questions"]>;
  prefill: Prefill;
  onPrefill: (prefill: Prefill) => void;
  fields: string;
  onFields: (fields: string) => void;
};

const NONE = { value: "", label: "Nothing suggested" };

/** What the address says besides: suggested answers and hidden fields. */
function Additions({ questions, prefill, onPrefill, fields, onFields }: AdditionsProps) {
  function suggest(place: number, answer: string) {
    const rest = [...prefill].filter(([each]) => each !== place);
    onPrefill(new Map(answer === "" ? rest : [...rest, [place, Number(answer)]]));
  }
  return (
    <details className="border-t pt-4 text-sm">
      <summary className="w-fit cursor-pointer rounded-xs text-accent-text hover:underline">
        Suggested answers and hidden fields
      </summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">
        <Field
          label="Hidden fields"
          optional
          hint="Recorded with every answer. distinct_id names the person, who is then asked only once."
          className="sm:col-span-2"
        >
          <Input
            mono
            spellCheck={false}
            placeholder="utm_source=newsletter&plan=pro"
            value={fields}
            onChange={(event) => onFields(event.target.value)}
          />
        </Field>
        {questions.map((question, place) => {
          const options = suggestionsFor(question).map(({ value, label }) => ({
            value: String(value),
            label,
          }));
          return options.length === 0 ? null : (
            <Field
              key={question.id}
              label={`Answer to question ${place + 1}`}
              optional
              hint={question.question}
            >
              <Select
                value={prefill.has(place) ? String(prefill.get(place)) : NONE.value}
                options={[NONE, ...options]}
                onValueChange={(answer) => suggest(place, answer)}
              />
            </Field>
          );
        })}
      </div>
    </details>
  );
}

function State({ survey, now }: Pick<Props, "survey"> & { now: number }) {
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
