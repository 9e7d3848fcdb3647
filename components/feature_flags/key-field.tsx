"use client";

import { useController, useWatch } from "react-hook-form";
import { useEndpoint } from "#components/kit/use-endpoint.ts";
import { useSettled } from "#components/kit/use-settled.ts";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import type { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { flagKey } from "#lib/flags/feature_flags/schema.ts";
import { errorOf } from "#lib/platform/http/validation.ts";
import { type FlagForm, suggestKey } from "./form-values.ts";

type Props = { projectId: string; storedKey: string | null; readOnly: boolean };

/** The key used in code; validated while typing, including availability. */
export function KeyField({ projectId, storedKey, readOnly }: Props) {
  const { field, fieldState } = useController<FlagForm, "key">({ name: "key" });
  const name = useWatch<FlagForm, "name">({ name: "name" });
  const key = field.value.trim();
  const checked = flagKey.safeParse(key, { reportInput: true });
  const checks = checked.success && key !== storedKey;
  const free = useFree(projectId, key, checks);
  const suggestion = suggestKey(name);
  const live = key !== "" && !checked.success ? errorOf(checked.error).message : undefined;
  const taken = free === false ? "There is already a feature flag with this key." : undefined;
  return (
    <Field
      label="Key"
      required
      description="The name your code uses."
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
          "Code that uses the old key no longer gets a value."
        ) : checks && free ? (
          "This key is available."
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
  const found = useEndpoint<typeof flagContract.list>(
    "/api/projects/{project_id}/feature_flags/",
    { params: { project_id: projectId }, query: { search: value, limit: "1000" } },
    { enabled: enabled && settled, staleTime: 10_000, retry: false },
  );
  if (!enabled || !settled || !found.data) return undefined;
  return !found.data.results.some((flag) => flag.key === value);
}
