"use client";

import { Callout } from "#components/ui/display/callout.tsx";
import { Checkbox } from "#components/ui/form/checkbox.tsx";
import { ChipsInput } from "#components/ui/form/chips-input.tsx";
import { Field } from "#components/ui/form/field.tsx";
import { Segmented } from "#components/ui/form/segmented.tsx";
import { Select } from "#components/ui/form/select.tsx";
import { parseLifetime } from "#lib/approvals/approval_policies/lifetime.ts";
import { plural } from "#lib/platform/format.ts";
import { ConditionFields } from "./condition-fields.tsx";
import { CountInput } from "./count-input.tsx";
import type { PolicyBody } from "./policy-body.ts";

type Props = {
  body: PolicyBody;
  onChange: (body: PolicyBody) => void;
  members: readonly { id: number; name: string }[] | null;
  timezone: string;
  /** What is wrong with it although it can be saved. */
  warnings: readonly string[];
};

const ACTIONS: { value: PolicyBody["action_key"]; label: string }[] = [
  { value: "change", label: "Any change of a flag, cohort, experiment or survey" },
  { value: "feature_flag.enable", label: "Enabling a flag" },
  { value: "feature_flag.disable", label: "Disabling a flag" },
  { value: "feature_flag.update", label: "Changing the rollout of a flag" },
];

const USUAL_QUORUMS = [1, 2, 3, 4, 5];
const DAY = 86_400;

/** A policy as a form. */
export function PolicyFields({ body, onChange, members, timezone, warnings }: Props) {
  const set = (part: Partial<PolicyBody>) => onChange({ ...body, ...part });
  return (
    <div className="flex flex-col gap-5">
      <Field label="Applies to">
        <Select
          value={body.action_key}
          options={ACTIONS}
          onValueChange={(action_key) => set({ action_key })}
        />
      </Field>
      <Field
        label="Only if all of these hold"
        as="group"
        description="Without any, it applies to every change."
      >
        <ConditionFields
          conditions={body.conditions ?? {}}
          onChange={(conditions) => set({ conditions })}
          timezone={timezone}
        />
      </Field>
      <Field label="Such a change" as="group">
        <Segmented
          label="Such a change"
          className="self-start"
          value={body.forbidden ? "forbidden" : "approved"}
          options={[
            { value: "approved", label: "needs approval" },
            { value: "forbidden", label: "is not allowed" },
          ]}
          onValueChange={(value) => set({ forbidden: value === "forbidden" })}
        />
      </Field>
      {body.forbidden ? null : <ApproverFields {...{ body, set, members, warnings }} />}
      <Field
        label="Does not apply to"
        as="group"
        description="Their changes take effect at once. Changes by their agents do not."
      >
        <LevelFields body={body} set={set} />
      </Field>
    </div>
  );
}

type PartProps = { body: PolicyBody; set: (part: Partial<PolicyBody>) => void };

function ApproverFields({ body, set, members, warnings }: PartProps & Pick<Props, "members" | "warnings">) {
  const { quorum, users = [] } = body.approver_config ?? { quorum: 1 };
  const approve = (part: { quorum?: number; users?: number[] }) =>
    set({ approver_config: { quorum, users, roles: [], ...part } });
  const seconds = parseLifetime(String(body.expires_after)) ?? 0;
  const quorums = [...new Set([...USUAL_QUORUMS, quorum])];
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="How many have to approve">
          <Select
            value={String(quorum)}
            options={quorums.map((each) => ({
              value: String(each),
              label: plural(each, "person", "people"),
            }))}
            onValueChange={(next) => approve({ quorum: Number(next) })}
          />
        </Field>
        <Field label="Requests lapse after">
          <CountInput
            suffix="days"
            value={Math.round(seconds / DAY)}
            onValueChange={(days) => set({ expires_after: days * DAY })}
          />
        </Field>
      </div>
      <Field
        label="Who may approve"
        hint={members ? undefined : "Your API key cannot read the members, so nobody can be chosen here."}
      >
        <ChipsInput
          values={users.map(String)}
          onValuesChange={(next) => approve({ users: next.map(Number) })}
          options={(members ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
          freeText={false}
          placeholder={users.length > 0 ? "" : "Any member of the organization"}
        />
      </Field>
      <Checkbox
        label="Requesters may approve their own changes"
        description="Otherwise somebody else has to."
        checked={body.allow_self_approve ?? false}
        onCheckedChange={(checked) => set({ allow_self_approve: checked === true })}
      />
      <PolicyWarnings warnings={warnings} />
    </>
  );
}

/** Beside what they are about: a long form does not show its other end. */
export function PolicyWarnings({ warnings }: Pick<Props, "warnings">) {
  return warnings.map((warning) => (
    <Callout key={warning} tone="warning" live>
      {warning}
    </Callout>
  ));
}

const LEVELS = [
  { level: 15, label: "Owners" },
  { level: 8, label: "Administrators" },
  { level: 1, label: "Members" },
] as const;

function LevelFields({ body, set }: PartProps) {
  const chosen = (body.bypass_org_membership_levels ?? []).map(Number);
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1.5">
      {LEVELS.map(({ level, label }) => (
        <Checkbox
          key={level}
          label={label}
          checked={chosen.includes(level)}
          onCheckedChange={(checked) =>
            set({
              bypass_org_membership_levels: LEVELS.map((each) => each.level).filter((each) =>
                each === level ? checked === true : chosen.includes(each),
              ),
            })
          }
        />
      ))}
    </div>
  );
}
