"use client";

import { ChevronRight, Link2 } from "lucide-react";
import { cn } from "#components/ui/cn.ts";
import { Badge } from "#components/ui/display/badge.tsx";
import type { Answer, Operation, Schemas } from "#lib/app/api_reference/document.ts";
import { objectWithin, typeInWords } from "#lib/app/api_reference/schemas.ts";
import type { ReferenceContext, TryIt } from "./context.ts";
import { FieldList, ParameterList } from "./field-list.tsx";
import { Method, PathText } from "./method.tsx";
import { TrialForm } from "./trial-form.tsx";

type Props = {
  operation: Operation;
  schemas: Schemas;
  context: ReferenceContext;
  tryIt: TryIt;
  open: boolean;
  onOpenChange: (open: boolean) => void;
};

/** One endpoint: a line that expands to its details. */
export function OperationCard({ open, onOpenChange, ...props }: Props) {
  const { operation } = props;
  return (
    <li id={operation.id} className="scroll-mt-14" data-row="">
      <h3>
        <button
          type="button"
          data-row-link=""
          aria-expanded={open}
          aria-controls={open ? `${operation.id}-more` : undefined}
          onClick={() => onOpenChange(!open)}
          className={cn(
            "focus-inset grid w-full grid-cols-[auto_3.25rem_minmax(0,1fr)] items-baseline gap-x-2 px-3 py-2 text-left hover:bg-hover/60",
            open && "bg-hover/60",
          )}
        >
          <ChevronRight
            aria-hidden="true"
            className={cn("size-3.5 self-center text-faint transition-transform", open && "rotate-90")}
          />
          <Method method={operation.method} />
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-4">
            <span className="min-w-0 flex-1 basis-72 font-mono text-xs">
              <PathText path={operation.path} />
            </span>
            <span className="min-w-0 text-muted text-xs sm:w-72">{operation.summary}</span>
          </span>
        </button>
      </h3>
      {open ? <Details {...props} /> : null}
    </li>
  );
}

function Details({ operation, schemas, context, tryIt }: Omit<Props, "open" | "onOpenChange">) {
  const path = operation.parameters.filter((each) => each.in === "path");
  const query = operation.parameters.filter((each) => each.in === "query");
  const [bodyFields, bodyType] = operation.body
    ? [objectWithin(operation.body, schemas), typeInWords(operation.body, schemas)]
    : [null, ""];
  return (
    <div
      id={`${operation.id}-more`}
      className="grid gap-x-8 gap-y-6 border-t bg-page px-4 py-4 xl:grid-cols-2"
    >
      <div className="flex min-w-0 flex-col gap-5">
        <div>
          <div className="flex items-center gap-2">
            <p className="font-semibold text-base">{operation.summary}</p>
            <a
              href={`#${operation.id}`}
              aria-label={`Link to ${operation.summary}`}
              className="rounded-sm p-0.5 text-faint hover:text-ink"
            >
              <Link2 aria-hidden="true" className="size-3.5" />
            </a>
          </div>
          {operation.description ? (
            <p className="mt-1 text-pretty text-muted text-sm">{operation.description}</p>
          ) : null}
          <p className="mt-2 flex flex-wrap items-center gap-1.5 text-muted text-xs">
            {operation.credentials.map((credential) => (
              <Badge key={credential}>{credential}</Badge>
            ))}
            {operation.scope ? (
              <Badge tone="accent">{operation.scope}</Badge>
            ) : (
              <span>No scope required</span>
            )}
          </p>
        </div>
        {path.length > 0 ? (
          <Part title="Path">
            <ParameterList label="Path parameters" parameters={path} schemas={schemas} />
          </Part>
        ) : null}
        {query.length > 0 ? (
          <Part title="Query">
            <ParameterList label="Query parameters" parameters={query} schemas={schemas} />
          </Part>
        ) : null}
        {operation.body ? (
          <Part title="Body" aside={`JSON, ${bodyType}`}>
            {bodyFields ? (
              <FieldList label="Body fields" schema={bodyFields} schemas={schemas} />
            ) : (
              <p className="text-muted text-xs">{operation.body.description ?? "Any JSON."}</p>
            )}
          </Part>
        ) : null}
        <Answers answers={operation.answers} schemas={schemas} />
      </div>
      <TrialForm operation={operation} schemas={schemas} context={context} tryIt={tryIt} />
    </div>
  );
}

function Part({ title, aside, children }: { title: string; aside?: string; children: React.ReactNode }) {
  return (
    <section>
      <h4 className="mb-1.5 flex items-baseline gap-2 font-medium text-sm">
        {title}
        {aside ? <span className="font-normal text-faint text-xs">{aside}</span> : null}
      </h4>
      {children}
    </section>
  );
}

function Answers({ answers, schemas }: { answers: readonly Answer[]; schemas: Schemas }) {
  const good = answers.filter((each) => Number(each.status) < 400);
  const bad = answers.filter((each) => Number(each.status) >= 400);
  return (
    <Part title="Responses">
      <div className="flex flex-col gap-2">
        {good.map((answer) => (
          <AnswerFields key={answer.status} answer={answer} schemas={schemas} />
        ))}
        <ul className="flex flex-col gap-1 text-xs">
          {bad.map((answer) => (
            <li key={answer.status} className="flex gap-2">
              <span className="tabular shrink-0 font-medium font-mono text-danger-text">{answer.status}</span>
              <span className="text-muted">{answer.description}</span>
            </li>
          ))}
        </ul>
      </div>
    </Part>
  );
}

function AnswerFields({ answer, schemas }: { answer: Answer; schemas: Schemas }) {
  const fields = answer.schema && objectWithin(answer.schema, schemas);
  const type = answer.schema ? typeInWords(answer.schema, schemas) : "no body";
  return (
    <div className="flex flex-col gap-1.5 text-xs">
      <p className="flex gap-2">
        <span className="tabular font-medium font-mono text-success-text">{answer.status}</span>
        <span className="text-muted">
          {answer.description} <span className="text-faint">{type}</span>
        </span>
      </p>
      {fields ? (
        <FieldList
          label={`Fields of the ${answer.status} response`}
          schema={fields}
          schemas={schemas}
          given
        />
      ) : null}
    </div>
  );
}
