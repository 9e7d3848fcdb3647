"use client";

import { useEffect, useState } from "react";
import type { KeyGrants } from "#components/personal_api_keys/key-form-values.ts";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Combobox } from "#components/ui/form/combobox.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Input } from "#components/ui/form/input.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { EXPIRY_CHOICES, type ExpiryChoice, expiryOf } from "#lib/identity/personal_api_keys/expiry.ts";
import { exactTime } from "#lib/platform/format.ts";
import type { KeyDraft, KeyProblems, Reach } from "./key-form-values.ts";
import { ScopeMatrix } from "./scope-matrix.tsx";

type Props = {
  draft: KeyDraft;
  onDraftChange: (change: Partial<KeyDraft>) => void;
  problems: KeyProblems;
  grants: KeyGrants;
  /** Of the key that is edited; undefined for a new one. */
  expires_at?: string | null;
};

/** Everything that a key has besides its value. */
export function KeyFields({ draft, onDraftChange, problems, grants, expires_at }: Props) {
  const isNew = expires_at === undefined;
  return (
    <div className="flex flex-col gap-5">
      <Field
        label="Label"
        error={problems.label}
        hint="Where it is used, so that you can find it later."
        required
      >
        <Input
          maxLength={40}
          autoComplete="off"
          placeholder="Checkout server, production"
          value={draft.label}
          onChange={(event) => onDraftChange({ label: event.target.value })}
        />
      </Field>
      {isNew && grants.members.length > 0 ? (
        <Field label="For" error={problems.owner}>
          <Combobox
            label="For"
            value={draft.owner || "me"}
            onValueChange={(owner) => onDraftChange({ owner: owner === "me" ? "" : owner })}
            options={[
              { value: "me", label: "Myself" },
              ...grants.members.map((each) => ({
                value: each.email,
                label: each.name,
                description: each.email,
              })),
            ]}
          />
        </Field>
      ) : null}
      <Field label="Permissions" as="group" error={problems.scopes}>
        <ScopeMatrix
          scopes={draft.scopes}
          onScopesChange={(scopes) => onDraftChange({ scopes })}
          held={grants.scopes}
        />
      </Field>
      <ReachFields {...{ draft, onDraftChange, problems, grants }} />
      <ExpiryFields {...{ draft, onDraftChange, problems, expires_at }} />
    </div>
  );
}

function ReachFields({ draft, onDraftChange, problems, grants }: Omit<Props, "expires_at">) {
  const choices = [
    {
      value: "everything" as const,
      label: grants.restricted
        ? "Everywhere (not available to a restricted key)"
        : draft.owner
          ? "Every organization that you administer"
          : "Every project its owner belongs to",
      disabled: grants.restricted,
    },
    { value: "projects" as const, label: "Only these projects" },
    ...(grants.organizations.length > 0 || draft.reach === "organizations"
      ? [{ value: "organizations" as const, label: "Only these organizations" }]
      : []),
  ];
  return (
    <Field label="Works in" as="group" error={problems.reach}>
      <div className="flex flex-col gap-1.5">
        <Select
          label="Works in"
          value={draft.reach}
          onValueChange={(reach: Reach) => onDraftChange({ reach })}
          options={choices}
        />
        {draft.reach === "projects" ? (
          <ChipsInput
            label="Projects"
            values={draft.projects}
            onValuesChange={(projects) => onDraftChange({ projects })}
            options={grants.projects.map((each) => ({
              value: String(each.id),
              label: each.name,
              hint: each.id,
            }))}
            freeText={false}
            placeholder="Choose projects…"
          />
        ) : null}
        {draft.reach === "organizations" ? (
          <ChipsInput
            label="Organizations"
            values={draft.organizations}
            onValuesChange={(organizations) => onDraftChange({ organizations })}
            options={grants.organizations.map((each) => ({ value: each.id, label: each.name }))}
            freeText={false}
            placeholder="Choose organizations…"
          />
        ) : null}
      </div>
    </Field>
  );
}

function ExpiryFields({ draft, onDraftChange, problems, expires_at }: Omit<Props, "grants">) {
  const [now, setNow] = useState<number>();
  useEffect(() => setNow(Date.now()), []);
  const keep = { value: "keep" as const, label: "Unchanged" };
  const moment = draft.expiry === "keep" ? expires_at : now && expiryOf(draft.expiry, draft.date, now);
  const tomorrow = now && new Date(now + 86_400_000).toLocaleDateString("sv");
  return (
    <Field
      label="Expires"
      as="group"
      error={problems.expiry}
      hint={
        draft.expiry === "never" || moment === null
          ? "It works until revoked. An expiry limits the damage of a leak."
          : moment
            ? `It stops working on ${exactTime(moment, true)}.`
            : null
      }
    >
      <div className="flex flex-wrap gap-2">
        <Select
          label="Expires"
          className="w-40"
          value={draft.expiry}
          onValueChange={(expiry: ExpiryChoice) => onDraftChange({ expiry })}
          options={expires_at === undefined ? EXPIRY_CHOICES : [keep, ...EXPIRY_CHOICES]}
        />
        {draft.expiry === "date" ? (
          <Input
            type="date"
            aria-label="Last day it works"
            className="w-44"
            min={tomorrow || undefined}
            value={draft.date}
            onChange={(event) => onDraftChange({ date: event.target.value })}
          />
        ) : null}
      </div>
    </Field>
  );
}
