import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";
import { pageQuery } from "#lib/platform/http/paging.ts";

const STEPS_MAX = 20;
const GUARDRAILS_MAX = 10;
const CHANGES_MAX = 100;
const NAME_MAX = 400;
const HOURS_MAX = 8_760;
const PEOPLE_MAX = 1_000_000_000;
const ALPHA = 0.05;

const percentages = (description: string) =>
  z
    .record(z.string().max(NAME_MAX), z.number().min(0).max(100))
    .refine((record) => Object.keys(record).length <= CHANGES_MAX, `At most ${CHANGES_MAX} entries.`)
    .meta({ description });

const shares = percentages("Rollout percentages of condition sets, by their index in the flag.");
const variants = percentages("Percentages by the key of a variant; those of a flag add up to 100.");

const hold = z
  .object({
    hours: z
      .number()
      .min(0)
      .max(HOURS_MAX)
      .nullish()
      .meta({ description: "For so many hours since the step began." }),
    people: z.number().int().min(0).max(PEOPLE_MAX).nullish().meta({
      description: "Until so many people are compared in the step, both arms together.",
    }),
    approval: z.boolean().nullish().meta({ description: "Until somebody approves." }),
  })
  .meta({
    id: "RampHold",
    description: "What keeps a ramp at a step. All that is set has to be fulfilled.",
  });

const step = z
  .object({ shares: shares.nullish(), variants: variants.nullish(), hold })
  .meta({ id: "RampStep", description: "What a step changes of the flag, and for how long it is held." });

const guardrailFields = {
  name: z.string().trim().max(NAME_MAX).nullish().meta({ description: "Display name." }),
  metric: z.record(z.string(), z.unknown()).meta({
    description:
      "What is watched: an ExperimentMetric, which counts what people do within the step once they are exposed: by the first call of the flag or, where it was called for them before, by whatever they do first. A mean of an event counts its occurrences, a funnel of one event the people who have it.",
  }),
  harm: z.enum(["increase", "decrease"]).meta({ description: "The direction that is harm." }),
  margin: z
    .number()
    .min(0)
    .max(100)
    .meta({ description: "Relative change in that direction that is accepted: 0.02 accepts 2%." }),
  action: z
    .enum(["pause", "roll_back"])
    .meta({ description: "What is done when the change is beyond the margin." }),
};

const guardrail = z.object(guardrailFields).meta({
  id: "RampGuardrail",
  description: "A metric that is watched by an always-valid test in every step that can be compared.",
});

const planFields = {
  feature_flag: z.number().int().meta({ description: "Id of the flag." }),
  steps: z.array(step).min(1).max(STEPS_MAX).meta({ description: "In the order in which they are applied." }),
  guardrails: z.array(guardrail).max(GUARDRAILS_MAX).default([]),
  alpha: z
    .number()
    .min(0.001)
    .max(0.5)
    .default(ALPHA)
    .meta({
      description: `Chance, at most, that the whole ramp is stopped although nothing is worse than its margin; ${ALPHA} when absent.`,
    }),
};

export const rampCreate = z.object(planFields).meta({ id: "RampCreate" });

const WEEKS = 4;
const WEEKS_MAX = 8;

export const rampRehearse = z
  .object({
    ...planFields,
    weeks: z
      .number()
      .int()
      .min(1)
      .max(WEEKS_MAX)
      .default(WEEKS)
      .meta({ description: `How many of the last weeks are replayed; ${WEEKS} when absent.` }),
  })
  .meta({ id: "RampRehearse" });

export const rampNext = z
  .object({
    skip_holds: z.boolean().default(false).meta({
      description: "Whether the step ends at once, whatever else it is held for.",
    }),
  })
  .meta({ id: "RampNext" });

/** Every status of a ramp. The last three are final. */
const STATUSES = ["running", "paused", "completed", "rolled_back", "cancelled"] as const;

const REASONS = ["guardrail", "edited", "flag_off", "flag_deleted", "author", "refused", "person"] as const;

const reason = z
  .object({
    code: z.enum(REASONS).meta({
      description:
        "guardrail: a metric was worse than its margin; edited, flag_off, flag_deleted: somebody changed the flag; author: whoever started the ramp may not change the flag any more; refused: the flag could not be saved; person: somebody wanted it.",
    }),
    detail: z.string().meta({ description: "The same in words." }),
    guardrail: z.string().nullable().meta({ description: "Id of the guardrail, for the code guardrail." }),
  })
  .meta({ id: "RampReason" });

const interval = z.tuple([z.number(), z.number()]);
const people = z
  .object({ control: z.number().int(), treatment: z.number().int() })
  .meta({ id: "RampPeople", description: "People who were exposed in the step and are compared." });

const verdict = z
  .object({
    status: z.enum(["waiting", "holding", "breached"]).meta({
      description: "waiting: too few people or values yet; breached: worse than the margin.",
    }),
    change: z
      .number()
      .nullable()
      .meta({ description: "Relative change of the treatment; null where the control has no value." }),
    interval: z
      .tuple([z.number().nullable(), z.number().nullable()])
      .meta({ description: "Interval of the change that holds at every look; null for an open end." }),
    control: z.number().nullable(),
    treatment: z.number().nullable(),
  })
  .meta({ id: "RampVerdict" });

const comparison = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("shares"),
      sets: z.array(z.number().int()).meta({ description: "Indexes of the condition sets." }),
    }),
    z.object({ kind: z.literal("variants"), control: z.string(), treatment: z.string() }),
  ])
  .nullable()
  .meta({ description: "Who is compared in the step; null where nobody is left to compare with." });

const unmet = z
  .discriminatedUnion("hold", [
    z.object({ hold: z.literal("hours"), until: z.string() }),
    z.object({ hold: z.literal("people"), missing: z.number().int() }),
    z.object({ hold: z.literal("approval") }),
  ])
  .meta({ id: "RampUnmet", description: "What a step still waits for." });

const run = z
  .object({
    step: z.number().int().meta({ description: "Index of the step." }),
    started_at: z.string(),
    ended_at: z.string().nullable(),
    approved: z.boolean().meta({ description: "Whether somebody approved the end of the step." }),
    outcome: z
      .enum(["advanced", "paused", "completed", "rolled_back", "cancelled"])
      .nullable()
      .meta({ description: "What ended it; null while it goes on." }),
    comparison,
    as_of: z.string().meta({ description: "Up to when events are in the figures." }),
    people,
    verdicts: z
      .record(z.string(), verdict)
      .meta({ description: "What the guardrails say, by their id; one without figures yet is absent." }),
  })
  .meta({
    id: "RampRun",
    description:
      "A step from its beginning until the ramp went on, was paused or ended. Each is compared by itself.",
  });

const cost = z
  .object({
    people: z
      .number()
      .int()
      .meta({ description: "People who were treated in a step that could be compared." }),
    hours: z.number().meta({ description: "For how long the flag was in steps of the ramp." }),
    guardrails: z
      .record(
        z.string(),
        z.object({
          people: z
            .number()
            .int()
            .meta({ description: "Treated people behind the estimate, once per step." }),
          total: z.number().meta({
            description:
              "Estimated change of the metric's total among them, in its unit; above 0 for the worse.",
          }),
          interval: interval.meta({ description: "Where the true one lies with 95%." }),
        }),
      )
      .meta({ description: "By the guardrail's id." }),
  })
  .meta({ id: "RampCost" });

export const rampRecord = z
  .object({
    id: z.number().int(),
    feature_flag: planFields.feature_flag,
    feature_flag_key: z.string(),
    steps: z.array(step),
    guardrails: z.array(
      z
        .object({ id: z.string().meta({ description: "Names it within the ramp." }), ...guardrailFields })
        .meta({ id: "RampGuardrailRecord" }),
    ),
    alpha: z.number(),
    before: z
      .object({ shares, variants })
      .meta({ description: "What the flag had before, of what the ramp changes." }),
    status: z.enum(STATUSES),
    reason: reason.nullable().meta({
      description: "Why it is paused, or was rolled back or cancelled; null for other statuses.",
    }),
    step: z.number().int().meta({ description: "Index of the step that the flag is in, or was last." }),
    waits_for: z.array(unmet).meta({
      description: "What the step of a running ramp still waits for; empty: it goes on within a minute.",
    }),
    runs: z.array(run).meta({ description: "The steps as they ran, oldest first." }),
    cost: cost.nullable().meta({ description: "What it has cost; null until it has ended." }),
    created_by: userBasic.nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    ended_at: z.string().nullable(),
  })
  .meta({ id: "Ramp", description: "A plan of steps for one flag, which runs until it has ended." });

const caught = z
  .object({
    guardrail: z.string(),
    size: z.number().meta({ description: "True relative change for the worse, beyond the margin." }),
    share: z.number().meta({ description: "Share of the replays that were stopped." }),
    share_interval: interval,
    hours: z
      .number()
      .nullable()
      .meta({ description: "Median of the hours until then; null where fewer stopped." }),
    people: z.number().nullable().meta({ description: "Median of the people treated until then." }),
  })
  .meta({ id: "RampCaught" });

export const rampRehearsal = z
  .object({
    source: z.enum(["calls", "events", "none"]).meta({
      description:
        "Who was replayed: people for whom the flag was called, or, of a flag that hardly was, people with any event.",
    }),
    from: z.string().meta({ description: "Where the replayed weeks begin." }),
    replays: z.number().int(),
    false_stops: z
      .number()
      .int()
      .meta({ description: "Replays without any regression that were stopped nonetheless." }),
    false_stop_interval: interval,
    hours: z.number().nullable().meta({
      description: "Hours that the plan takes, approvals given at once; null where the weeks were too short.",
    }),
    ended_in_step: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Index of the step in which the weeks ended; null where they were long enough." }),
    people: z.number().int().meta({ description: "People in the replays." }),
    is_sample: z.boolean().meta({ description: "Whether they are some of all people, chosen by chance." }),
    caught: z.array(caught),
  })
  .meta({ id: "RampRehearsal", description: "How a plan would have done on the project's last weeks." });

export const rampQuery = z.object({
  ...pageQuery,
  feature_flag: z.string().optional().meta({ description: "Id of the flag." }),
});

export type RampCreate = z.input<typeof rampCreate>;
export type RampReason = z.output<typeof reason>;
export type RampCost = z.output<typeof cost>;
export type Ramp = z.output<typeof rampRecord>;
export type RampRehearsal = z.output<typeof rampRehearsal>;
