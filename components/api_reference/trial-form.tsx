"use client";

import { Play } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "#components/ui/button.tsx";
import { ConfirmDialog } from "#components/ui/confirm-dialog.tsx";
import { Callout } from "#components/ui/display/callout.tsx";
import { CodeBlock } from "#components/ui/display/code-block.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { JsonEditor } from "#components/ui/form/json/json-editor.tsx";
import { buildCurl, mayChange, missingParams, pathOf } from "#lib/app/api_reference/call.ts";
import type { Operation, Parameter, Schemas } from "#lib/app/api_reference/document.ts";
import { exampleOf } from "#lib/app/api_reference/schemas.ts";
import type { Tried } from "#lib/app/session/try-it.ts";
import type { Scope } from "#lib/platform/http/contract.ts";
import { allows } from "#lib/platform/http/scopes.ts";
import type { ReferenceContext, TryIt } from "./context.ts";
import { TrialAnswer } from "./trial-answer.tsx";

type Props = { operation: Operation; schemas: Schemas; context: ReferenceContext; tryIt: TryIt };

/** Lets people fill in a call, shows it as curl, and sends it with the signed-in key. */
export function TrialForm({ operation, schemas, context, tryIt }: Props) {
  const [params, setParams] = useState<Record<string, string>>({
    project_id: context.projectId,
    organization_id: "@current",
  });
  const [query, setQuery] = useState<Record<string, string>>({});
  const [body, setBody] = useState(() =>
    operation.body ? JSON.stringify(exampleOf(operation.body, schemas), null, 2) : null,
  );
  const trial = useTrial(tryIt);
  const [confirming, setConfirming] = useState(false);
  const base = useBase(context.base);
  const missing = missingParams(operation, params);
  const bodyProblem = body === null ? undefined : jsonProblem(body);
  const { scope, or_scopes } = operation;
  const allowed = !scope || [scope, ...or_scopes].some((each) => allows(context.scopes, each as Scope));
  const ready = missing.length === 0 && !bodyProblem && allowed;
  const send = () => trial.send({ method: operation.method, path: pathOf(operation, params), query, body });

  return (
    <form
      aria-label={`Try ${operation.summary}`}
      className="flex min-w-0 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!ready) return;
        if (mayChange(operation)) setConfirming(true);
        else void send();
      }}
    >
      <CodeBlock
        title="curl"
        wrap
        code={buildCurl(operation, base, { params, query, body: operation.method === "GET" ? null : body })}
      />
      <Inputs
        parameters={operation.parameters.filter((each) => each.in === "path")}
        values={params}
        onValues={setParams}
      />
      <Inputs
        parameters={operation.parameters.filter((each) => each.in === "query")}
        values={query}
        onValues={setQuery}
      />
      {body === null ? null : (
        <Field label="Body" error={bodyProblem}>
          <JsonEditor value={body} onValueChange={setBody} minLines={4} />
        </Field>
      )}
      {allowed ? null : (
        <Callout tone="warning" title={`Your API key does not have the scope ${operation.scope}`}>
          The API would reject this call with 403, so you cannot try it.
        </Callout>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="primary" icon={Play} loading={trial.pending} disabled={!ready}>
          Send {operation.method}
        </Button>
        <span className="text-muted text-xs">
          {missing.length > 0
            ? `Fill in ${missing.join(" and ")} first.`
            : mayChange(operation)
              ? "A real call: you confirm it before it is sent."
              : "A real call; it only reads."}
        </span>
      </div>
      {trial.problem ? (
        <Callout tone="danger" live>
          {trial.problem}
        </Callout>
      ) : null}
      {trial.answer ? <TrialAnswer answer={trial.answer} /> : null}
      <ConfirmDialog
        open={confirming}
        onOpenChange={setConfirming}
        title={`Send ${operation.method} for real?`}
        description={`This changes ${
          operation.path.includes("{project_id}")
            ? `${params.project_id === context.projectId ? `the project “${context.projectName}”` : `project ${params.project_id}`}`
            : "whatever your key can access"
        }. The call is real, and not every call can be undone.`}
        confirmLabel={`Send ${operation.method}`}
        danger={operation.method === "DELETE"}
        onConfirm={async () => {
          await send();
          return undefined;
        }}
      >
        <p className="break-all rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
          {operation.method} {pathOf(operation, params)}
        </p>
      </ConfirmDialog>
    </form>
  );
}

function useTrial(tryIt: TryIt) {
  const [answer, setAnswer] = useState<Tried>();
  const [problem, setProblem] = useState<string>();
  const [pending, setPending] = useState(false);
  async function send(trial: Parameters<TryIt>[0]) {
    setPending(true);
    setProblem(undefined);
    const result = await tryIt(trial).catch(() => null);
    setPending(false);
    setAnswer(result?.ok ? result.data : undefined);
    if (!result?.ok) setProblem(result?.problem ?? "The dashboard server did not respond.");
  }
  return { answer, problem, pending, send };
}

/** The address that commands are written with; the server does not know by which name it is reached. */
function useBase(base: string | null): string {
  const [origin, setOrigin] = useState("http://localhost:3000");
  useEffect(() => setOrigin(window.location.origin), []);
  return base ?? origin;
}

function jsonProblem(text: string): string | undefined {
  if (text.trim() === "") return "The body must be JSON, at least {}.";
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `Not valid JSON: ${error instanceof Error ? error.message : "it cannot be read"}`;
  }
}

type InputsProps = {
  parameters: readonly Parameter[];
  values: Record<string, string>;
  onValues: (values: Record<string, string>) => void;
};

function Inputs({ parameters, values, onValues }: InputsProps) {
  if (parameters.length === 0) return null;
  return (
    <div className="grid gap-x-3 gap-y-2.5 sm:grid-cols-2">
      {parameters.map((each) => (
        <Field
          key={each.name}
          label={<code className="font-medium text-xs">{each.name}</code>}
          required={each.required}
          optional={!each.required}
        >
          <Input
            size="sm"
            mono
            autoComplete="off"
            spellCheck={false}
            value={values[each.name] ?? ""}
            onChange={(event) => onValues({ ...values, [each.name]: event.target.value })}
          />
        </Field>
      ))}
    </div>
  );
}
