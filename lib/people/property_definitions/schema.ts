import { z } from "zod";
import { limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";

const owner = {
  type: z
    .enum(["person", "group"])
    .default("person")
    .meta({ description: "Whose property it is; person when absent." }),
  group_type_index: z
    .string()
    .regex(/^[0-4]$/, "group_type_index must be 0 to 4.")
    .transform(Number)
    .optional()
    .meta({ description: "Index of the group type; 0 when absent. Ignored for persons." }),
};

export const propertyDefinition = z
  .object({
    id: z.string().meta({ description: "UUID of the definition." }),
    name: z.string().meta({ description: "Name of the property." }),
    type: z.enum(["person", "group"]).meta({ description: "Whose property it is." }),
    group_type_index: z.number().int().nullable().meta({ description: "Group type; null for persons." }),
    property_type: z
      .enum(["String", "Numeric", "Boolean", "DateTime"])
      .meta({ description: "Type of its values; String when mixed." }),
    count: z.number().int().meta({ description: "How many persons or groups have it now." }),
    last_seen_at: z.string().meta({ description: "When one of its values last changed." }),
  })
  .meta({ id: "PropertyDefinition", description: "A property of persons or groups." });

export const propertyListQuery = z.object({
  ...pageQuery,
  ...owner,
  search: z.string().max(400).optional().meta({ description: "Part of the name, case-insensitive." }),
});

export const propertyValuesQuery = z.object({
  limit: limitUpTo(1_000),
  ...owner,
  key: z.string().min(1).meta({ description: "Name of the property." }),
  value: z.string().max(400).optional().meta({ description: "Part of the value, case-insensitive." }),
});

export const propertyValues = z
  .object({
    results: z.array(
      z.object({
        name: z.string().meta({ description: "The value as text." }),
        count: z.number().int().meta({ description: "How many persons or groups have it now." }),
      }),
    ),
    is_complete: z.boolean().meta({
      description:
        "Whether the list is complete. At most 1,000 values per property are stored, up to 200 characters each.",
    }),
  })
  .meta({ id: "PropertyValues", description: "Values of a property, most used first." });

export const eventDefinition = z
  .object({
    name: z.string().meta({ description: "Name of the event." }),
    count: z.number().int().meta({ description: "How many are stored." }),
    last_seen_at: z.string().meta({ description: "When the latest happened." }),
  })
  .meta({ id: "EventDefinition", description: "An event name seen in the project." });

export const eventDefinitionListQuery = z.object({
  ...pageQuery,
  search: z.string().max(400).optional().meta({ description: "Part of the name, case-insensitive." }),
});
