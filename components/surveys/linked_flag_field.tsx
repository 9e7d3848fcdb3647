"use client";

import { X } from "lucide-react";
import { FlagPicker, useFlagAnswers } from "#components/feature_flags/pickers.tsx";
import { Field } from "#components/ui/field.tsx";
import { IconButton } from "#components/ui/icon-button.tsx";
import { Select } from "#components/ui/select.tsx";
import { useBuilder, useProblem } from "./builder_context.tsx";

/** The flag that has to be on for a person to be asked, and which of its variants. */
export function LinkedFlagField() {
  const { draft, putFields, putMembers, readOnly } = useBuilder();
  const id = draft.fields.linked_flag_id;
  const variants = useFlagAnswers(id === null ? "" : String(id));
  const problem = useProblem("linked_flag_id");
  const variant = draft.conditions?.linkedFlagVariant;
  const chosen = typeof variant === "string" ? variant : "any";
  const options = [
    { value: "any", label: "on, or any variant" },
    ...variants.map((key) => ({ value: key, label: key })),
    ...(chosen !== "any" && !variants.includes(chosen)
      ? [{ value: chosen, label: `${chosen} (no such variant)` }]
      : []),
  ];
  function link(next: number | null) {
    putFields({ linked_flag_id: next });
    putMembers("conditions", { linkedFlagVariant: undefined });
  }
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label="Flag" error={problem}>
        <div className="flex items-center gap-1">
          <FlagPicker
            label="Linked flag"
            value={id === null ? "" : String(id)}
            onValueChange={(next) => link(Number(next))}
          />
          {id === null || readOnly ? null : (
            <IconButton icon={X} label="Unlink the flag" onClick={() => link(null)} />
          )}
        </div>
      </Field>
      {id !== null && (variants.length > 0 || chosen !== "any") ? (
        <Field label="Serves">
          <Select
            disabled={readOnly}
            value={chosen}
            options={options}
            onValueChange={(next) =>
              putMembers("conditions", { linkedFlagVariant: next === "any" ? undefined : next })
            }
          />
        </Field>
      ) : null}
    </div>
  );
}
