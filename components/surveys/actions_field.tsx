"use client";

import { X } from "lucide-react";
import { Callout } from "#components/ui/callout.tsx";
import { Field } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { useBuilder } from "./builder_context.tsx";
import type { Json } from "./draft.ts";
import { actionsOf, withoutAction } from "./event_draft.ts";

type Props = { actions: unknown; onActionsChange: (actions: Json | undefined) => void };

/**
 * Actions that other tools linked to the survey: what each is, and a way to take it out. New ones are not made here,
 * events with conditions do the same.
 */
export function ActionsField({ actions, onActionsChange }: Props) {
  const { readOnly, announce } = useBuilder();
  const linked = actionsOf(actions);
  if (linked.length === 0) return null;
  return (
    <Field as="group" label="After an action" hint="Linked by another tool. An event above can say the same.">
      <ul aria-label="Linked actions" className="flex flex-col divide-y rounded-md border">
        {linked.map(({ name, steps }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two actions may have one name; they stand in a fixed order
          <li key={place} className="flex items-start justify-between gap-3 px-2.5 py-2 text-sm">
            <span className="min-w-0">
              <span className="block break-words font-medium">{name}</span>
              <span className="block break-words text-muted text-xs">
                {steps.length > 0 ? steps.join(", or ") : "It does not say what makes it happen."}
              </span>
            </span>
            {readOnly ? null : (
              <IconButton
                icon={X}
                size="sm"
                label={`Take out the action ${name}`}
                onClick={() => {
                  onActionsChange(withoutAction(actions, place));
                  announce(`The action ${name} was taken out`);
                }}
              />
            )}
          </li>
        ))}
      </ul>
      {linked.every(({ steps }) => steps.length === 0) ? (
        <Callout tone="warning">
          None of them says what makes it happen, so browsers wait for them for ever. Take them out, or choose
          an event.
        </Callout>
      ) : null}
    </Field>
  );
}
