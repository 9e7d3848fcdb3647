"use client";

import { useController, useWatch } from "react-hook-form";
import { Field } from "#components/ui/field.tsx";
import { Input } from "#components/ui/input.tsx";
import { useEndpoint } from "#components/use-endpoint.ts";
import { flagContract } from "#lib/feature_flags/contract.ts";
import { flagKey } from "#lib/feature_flags/schema.ts";
import { errorOf } from "#lib/http/validation.ts";
import { type FlagForm, suggestedKey } from "./form_values.ts";
import { useSettled } from "./use_reach.ts";

type Props = { projectId: string; storedKey: string | null; readOnly: boolean };

/** The name by which code asks; checked as it is typed, also for being free. */
export function KeyField({ projectId, storedKey, readOnly }: Props) {
  const { field, fieldState } = useController<FlagForm, "key">({ name: "key" });
  const name = useWatch<FlagForm, "name">({ name: "name" });
  const key = field.value.trim();
  const checked = flagKey.safeParse(key, { reportInput: true });
  const asked = checked.success && key !== storedKey;
  const free = useFree(projectId, key, asked);
  const suggestion = suggestedKey(name);
  const live = key !== "" && !checked.success ? errorOf(checked.error).message : undefined;
  const taken = free === false ? "There is already a feature flag with this key." : undefined;
  return (
    <Field
      label="Key"
      required
      description="The name that your code asks for."
      error={live ?? taken ?? fieldState.error?.message}
      hint={
        key === "" && suggestion && !readOnly ? (
          <button
            type="button"
            className="rounded-xs text-accent-text underline decoration-accent-line underline-offset-[3px]"
            onClick={() => field.onChange(suggestion)}
          >
            Use <span className="font-mono">{suggestion}</span>
          </button>
        ) : storedKey !== null && checked.success && key !== storedKey ? (
          "Code that asks for the former key gets no answer any more."
        ) : asked && free ? (
          "This key is free."
        ) : undefined
      }
    >
      <Input
        mono
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder="new-checkout"
        readOnly={readOnly}
        {...field}
      />
    </Field>
  );
}

/** Whether no flag has this key; undefined until that is known. */
function useFree(projectId: string, key: string, enabled: boolean): boolean | undefined {
  const { value, settled } = useSettled(key, key);
  const found = useEndpoint(
    flagContract.list,
    { params: { project_id: projectId }, query: { search: value, limit: "1000" } },
    { enabled: enabled && settled, staleTime: 10_000, retry: false },
  );
  if (!enabled || !settled || !found.data) return undefined;
  return !found.data.results.some((flag) => flag.key === value);
}
