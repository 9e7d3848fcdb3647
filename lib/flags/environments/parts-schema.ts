import { z } from "zod";

/** The parts of a flag that are compared and carried over each by itself, with the fields besides its filters. */
export const PARTS = {
  state: { label: "On or off", fields: ["active"] },
  conditions: { label: "Conditions", fields: [] },
  variants: { label: "Variants", fields: [] },
  payloads: { label: "Payloads", fields: ["has_encrypted_payloads"] },
  settings: {
    label: "Settings",
    fields: [
      "ensure_experience_continuity",
      "evaluation_runtime",
      "is_remote_configuration",
      "has_enriched_analytics",
    ],
  },
  description: { label: "Description", fields: ["name"] },
  tags: { label: "Tags", fields: ["tags", "evaluation_tags"] },
} as const satisfies Record<string, { label: string; fields: readonly string[] }>;

export type Part = keyof typeof PARTS;

export const ALL_PARTS = Object.keys(PARTS) as [Part, ...Part[]];

export const part = z.enum(ALL_PARTS);

export const partDrift = z
  .object({
    part,
    label: z.string().meta({ description: "What the part is called." }),
    differences: z
      .array(
        z.object({
          what: z.string().meta({ description: "What differs." }),
          before: z.string().nullable().meta({ description: "In the first one; null: nothing." }),
          after: z.string().nullable().meta({ description: "In the second one; null: nothing." }),
        }),
      )
      .meta({ description: "Each difference in words." }),
  })
  .meta({ id: "FlagPartDrift", description: "A part in which two flags with the same key differ." });

export type PartDrift = z.output<typeof partDrift>;
