"use client";

import { useController, useFormContext } from "react-hook-form";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { ChipsInput } from "#components/ui/chips-input.tsx";
import { Field } from "#components/ui/field.tsx";
import { RadioCards } from "#components/ui/radio-cards.tsx";
import { Segmented } from "#components/ui/segmented.tsx";
import { Textarea } from "#components/ui/textarea.tsx";
import { withVariants } from "./edit_draft.ts";
import type { FlagForm } from "./form_values.ts";
import { KeyField } from "./key_field.tsx";
import type { FlagKind } from "./list_item.ts";
import { useFacets } from "./use_facets.ts";

type Props = { projectId: string; storedKey: string | null; readOnly: boolean };

export function NameFields({ projectId, storedKey, readOnly }: Props) {
  const { register, formState } = useFormContext<FlagForm>();
  return (
    <>
      <Field label="Description" optional error={formState.errors.name?.message}>
        <Textarea
          rows={2}
          readOnly={readOnly}
          placeholder="What it changes, and for whom"
          autoFocus={storedKey === null}
          {...register("name")}
        />
      </Field>
      <KeyField projectId={projectId} storedKey={storedKey} readOnly={readOnly} />
    </>
  );
}

const KINDS = [
  { value: "boolean", label: "On or off", description: "People get it or they do not." },
  { value: "variants", label: "Variants", description: "People get one of several, split by share." },
  {
    value: "remote",
    label: "Remote configuration",
    description: "A payload that code reads, such as limits or texts.",
  },
] as const satisfies readonly { value: FlagKind; label: string; description: string }[];

export function KindField({ readOnly }: { readOnly: boolean }) {
  const filters = useController<FlagForm, "filters">({ name: "filters" });
  const remote = useController<FlagForm, "is_remote_configuration">({ name: "is_remote_configuration" });
  const kind: FlagKind = remote.field.value
    ? "remote"
    : filters.field.value.multivariate
      ? "variants"
      : "boolean";
  return (
    <Field as="group" label="What it answers" error={remote.fieldState.error?.message}>
      <RadioCards
        value={kind}
        disabled={readOnly}
        columns={3}
        options={KINDS}
        onValueChange={(next) => {
          remote.field.onChange(next === "remote");
          filters.field.onChange(withVariants(filters.field.value, next === "variants"));
        }}
      />
    </Field>
  );
}

const RUNTIMES = [
  { value: "all", label: "Everywhere" },
  { value: "server", label: "Servers only" },
  { value: "client", label: "Clients only" },
] as const;

const RUNTIME_HELP = {
  all: "Browsers, apps and servers get it.",
  server: "Browsers and apps never learn of it.",
  client: "Servers do not evaluate it.",
};

export function SettingsFields({ projectId, readOnly }: { projectId: string; readOnly: boolean }) {
  const runtime = useController<FlagForm, "evaluation_runtime">({ name: "evaluation_runtime" });
  const tags = useController<FlagForm, "tags">({ name: "tags" });
  const facets = useFacets(projectId);
  return (
    <>
      <Field as="group" label="Where it is evaluated" hint={RUNTIME_HELP[runtime.field.value]}>
        <div>
          <Segmented
            label="Where it is evaluated"
            value={runtime.field.value}
            onValueChange={(next) => !readOnly && runtime.field.onChange(next)}
            options={RUNTIMES}
          />
        </div>
      </Field>
      <Field label="Tags" optional error={tags.fieldState.error?.message}>
        <ChipsInput
          values={tags.field.value}
          onValuesChange={(next) =>
            tags.field.onChange([...new Set(next.map((tag) => tag.trim().toLowerCase()))])
          }
          options={facets.data?.tags.map(({ name, count }) => ({ value: name, hint: count })) ?? []}
          freeText="Create tag"
          disabled={readOnly}
          placeholder="billing, growth…"
        />
      </Field>
      <div className="flex flex-col gap-3">
        <Ticked
          name="ensure_experience_continuity"
          readOnly={readOnly}
          label="Keep a person's value across sign-in"
          description="Who had it before signing in keeps the same value after. Costs a look-up on every evaluation, and SDKs cannot evaluate it locally."
        />
        <Ticked
          name="has_encrypted_payloads"
          readOnly={readOnly}
          label="Encrypt the payloads"
          description="Stored encrypted, and shown to personal API keys only."
        />
      </div>
    </>
  );
}

type TickedProps = {
  name: "ensure_experience_continuity" | "has_encrypted_payloads" | "active";
  label: string;
  description: string;
  readOnly: boolean;
};

export function Ticked({ name, label, description, readOnly }: TickedProps) {
  const { field } = useController<FlagForm, TickedProps["name"]>({ name });
  return (
    <Checkbox
      label={label}
      description={description}
      disabled={readOnly}
      checked={field.value}
      onCheckedChange={(next) => field.onChange(next === true)}
    />
  );
}
