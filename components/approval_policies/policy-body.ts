import type { z } from "zod";
import type { PolicyRecord, policyCreate } from "#lib/approvals/approval_policies/schema.ts";

/** A policy as the API takes it: what the form and the JSON edit. */
export type PolicyBody = z.input<typeof policyCreate>;

export const NEW_POLICY: PolicyBody = {
  action_key: "change",
  conditions: { type: "impact", share_above: 1 },
  approver_config: { quorum: 1, users: [], roles: [] },
  forbidden: false,
  allow_self_approve: false,
  bypass_org_membership_levels: [],
  expires_after: "14 00:00:00",
  enabled: true,
};

/** What can be changed of a policy. */
export const bodyOf = (policy: PolicyRecord): PolicyBody => ({
  action_key: policy.action_key,
  conditions: policy.conditions,
  approver_config: policy.approver_config,
  forbidden: policy.forbidden,
  allow_self_approve: policy.allow_self_approve,
  bypass_org_membership_levels: policy.bypass_org_membership_levels as (1 | 8 | 15)[],
  expires_after: policy.expires_after,
  enabled: policy.enabled,
});

type Template = { title: string; body: PolicyBody };

const reviewed = (title: string, quorum: number, conditions: object): Template => ({
  title,
  body: {
    ...NEW_POLICY,
    conditions: { type: "impact", ...conditions },
    approver_config: { quorum, users: [], roles: [] },
  },
});

/** Policies that many teams begin with. */
export const TEMPLATES: readonly Template[] = [
  reviewed("One reviewer above 1% of people", 1, { share_above: 1 }),
  reviewed("Two reviewers above 20% of people", 2, { share_above: 20 }),
  reviewed("Two reviewers while an experiment runs", 2, { running_experiment: true }),
  reviewed("Never by an agent alone", 1, { actors: ["agent"] }),
  {
    title: "Not on Friday evening",
    body: {
      ...NEW_POLICY,
      conditions: { type: "impact", times: [{ days: ["friday"], from: "16:00", to: "24:00" }] },
      forbidden: true,
    },
  },
];
