import { z } from "zod";
import { flagValue } from "#lib/flags/feature_flags/schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { DATABASE_INTEGER_MAX, projectParam } from "#lib/platform/http/params.ts";
import { flagDraft } from "./evaluate-contract.ts";

const proveBody = z
  .object({
    id: z.number().int().min(0).max(DATABASE_INTEGER_MAX).nullish().meta({
      description: "Id of a stored flag; absent or null for the draft of a new flag.",
    }),
    draft: flagDraft
      .nullish()
      .meta({ description: "Looks at the flag with these fields; absent: as stored." }),
  })
  .meta({ id: "FeatureFlagProofRequest" });

const properties = z.record(z.string(), z.unknown());

const witness = z
  .object({
    distinct_id: z.string(),
    person_properties: properties,
    groups: z.record(z.string(), z.string()).meta({ description: "Group keys by group type." }),
    group_properties: z.record(z.string(), properties).meta({ description: "By group type." }),
    value: flagValue.meta({ description: "What this person gets from the flag." }),
    decided_by: z.number().int().nullable().meta({
      description: "The set that decides, counted from 1; null when none does.",
    }),
    failing_row: z.number().int().nullable().meta({
      description: "The only row of the set that this person does not satisfy, counted from 1; null: none.",
    }),
    flags: z.record(z.string(), flagValue).meta({
      description: "What this person gets from the flags that this one depends on, by key.",
    }),
  })
  .meta({
    id: "FeatureFlagWitness",
    description:
      "A made-up person, evaluated without anything stored. Evaluating the flag for them shows what is claimed.",
  });

const finding = z.object({
  code: z
    .enum([
      "no_sets",
      "never_matches",
      "shadowed",
      "redundant",
      "rollout_excludes_everyone",
      "invalid_value",
      "invalid_regex",
      "variants_sum",
      "duplicate_variant",
      "unknown_variant",
      "unreachable_variant",
      "unknown_cohort",
      "unknown_flag",
      "impossible_value",
      "same_flag",
      "unknown_property",
    ])
    .meta({
      description:
        "What was found. shadowed: an earlier set decides for everyone; redundant: without the set everyone gets the same; impossible_value: another flag never has the value; same_flag: another flag has the same value for everyone; unknown_property: no stored person or group has the property.",
    }),
  set: z.number().int().nullable().meta({ description: "Counted from 1; null for the whole flag." }),
  row: z.number().int().nullable().meta({ description: "Counted from 1; null for the whole set." }),
  message: z.string(),
  witness: witness.nullable().meta({ description: "Someone who shows it; null where nobody was found." }),
});

const proof = z
  .object({
    findings: z.array(finding),
    sets: z.array(
      z.object({
        set: z.number().int().meta({ description: "Counted from 1." }),
        reachable: z.boolean().nullable().meta({
          description:
            "Whether anybody can get in through the set; null when neither an example nor a proof was found.",
        }),
        witness: witness.nullable().meta({ description: "Someone who gets in through exactly this set." }),
        note: z.string().nullable().meta({ description: "Why there is no example." }),
      }),
    ),
  })
  .meta({ id: "FeatureFlagProof" });

/** What is certain of a flag's filters, with examples. */
export const proveContract = {
  prove: endpoint({
    method: "POST",
    path: "/api/projects/{project_id}/feature_flags/prove/",
    tag: "Feature flags",
    scope: "feature_flag:read",
    summary: "Find what can never happen in a flag, or in a draft of one, with examples",
    description:
      "Finds sets that never match, are never reached or change nothing, and makes up a person for each set who gets in through it. What is claimed holds for everybody now; not everything that holds is found. A flag that is off is looked at as if it were on. Stores nothing.",
    params: z.object(projectParam),
    body: proveBody,
    status: 200,
    response: proof,
  }),
};

export type ProveAnswer = z.output<typeof proof>;
