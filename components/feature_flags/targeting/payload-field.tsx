"use client";

import { Braces } from "lucide-react";
import { useState } from "react";
import { payloadText } from "#components/conditions/editor/draft.ts";
import { changePayload } from "#components/conditions/editor/edit-draft.ts";
import { useFilters, useProblemAt } from "#components/conditions/editor/filters-context.tsx";
import { Button } from "#components/ui/button.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { JsonEditor } from "#components/ui/form/json/json-editor.tsx";

type Props = {
  /** The variant it belongs to; null for a flag without variants. */
  uid: string | null;
  /** The variant's key. */
  name: string;
  payload: unknown;
  /** Always open: the payload is the point of a remote configuration. */
  open?: boolean;
};

/** JSON delivered with the value. */
export function PayloadField({ uid, name, payload, open = false }: Props) {
  const { change, readOnly } = useFilters();
  const problem = useProblemAt(["payloads", uid === null ? "true" : name]);
  const [opened, setOpened] = useState(open || payload !== undefined);
  const whose = uid === null ? "Payload" : `Payload of ${name || "this variant"}`;
  if (!opened && !open && payload === undefined)
    return (
      <Button size="sm" variant="ghost" icon={Braces} className="w-fit" onClick={() => setOpened(true)}>
        Add a payload<span className="sr-only"> to {name || "the flag"}</span>
      </Button>
    );
  const text = payloadText(payload);
  return (
    <Field
      label={whose}
      error={problem ?? jsonProblem(text)}
      description={uid === null ? undefined : "JSON delivered with the variant."}
      aside={
        open ? undefined : (
          <button
            type="button"
            className="rounded-xs text-muted text-xs hover:text-ink hover:underline"
            onClick={() => {
              change((draft) => changePayload(draft, uid, undefined));
              setOpened(false);
            }}
          >
            Remove
          </button>
        )
      }
    >
      <JsonEditor
        value={text}
        readOnly={readOnly}
        minLines={open ? 6 : 2}
        placeholder='{"color": "blue"}'
        onValueChange={(next) => change((draft) => changePayload(draft, uid, next === "" ? undefined : next))}
      />
    </Field>
  );
}

/** Why a text is not JSON; empty text is fine. */
export function jsonProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return `Not valid JSON: ${error instanceof Error ? error.message : "it cannot be read"}`;
  }
}
