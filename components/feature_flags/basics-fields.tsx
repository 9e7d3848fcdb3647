"use client";

import { useController, useFormContext } from "react-hook-form";
import { withVariants } from "#components/conditions/editor/edit-draft.ts";
import { useFacets } from "#components/feature_flags/list/use-facets.ts";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { RadioCards } from "#components/ui/form/radio-cards.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Textarea } from "#components/ui/form/textarea.tsx";
import { type FlagForm, HeldFilters } from "./form-values.ts";
import { KeyField } from "./key-field.tsx";
import type { FlagKind } from "./list-item.ts";

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
  { value: "variants", label: "Variants", description: "People get one of several, split by percentage." },
  {
    value: "remote",
    label: "Remote configuration",
    description: "A payload that your code reads, such as limits or copy.",
  },
] as const satisfies readonly { value: FlagKind; label: string; description: string }[];

export function KindField({ readOnly }: { readOnly: boolean }) {
  const filters = useController<FlagForm, "filters">({ name: "filters" });
  const remote = useController<FlagForm, "is_remote_configuration">({ name: "is_remote_configuration" });
  const kind: FlagKind = remote.field.value
    ? "remote"
    : filters.field.value.draft.multivariate
      ? "variants"
      : "boolean";
  return (
    <Field as="group" label="Flag type" error={remote.fieldState.error?.message}>
      <RadioCards
        value={kind}
        disabled={readOnly}
        columns={3}
        options={KINDS}
        onValueChange={(next) => {
          remote.field.onChange(next === "remote");
          filters.field.onChange(
            new HeldFilters(withVariants(filters.field.value.draft, next === "variants")),
          );
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
  all: "Available to browsers, apps and servers.",
  server: "Browsers and apps never see it.",
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
          description="People keep the value they had before signing in. Adds a lookup to every evaluation, and SDKs cannot evaluate it locally."
        />
        <Ticked
          name="has_encrypted_payloads"
          readOnly={readOnly}
          label="Encrypt payloads"
          description="Stored encrypted; only personal API keys can read them."
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
