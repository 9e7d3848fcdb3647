import { z } from "zod";
import { limitUpTo, pageQuery } from "#lib/http/paging.ts";

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
    .meta({ description: "Number of the type of groups; 0 when absent. Without meaning for persons." }),
};

export const propertyDefinition = z
  .object({
    id: z.string().meta({ description: "UUID of the definition." }),
    name: z.string().meta({ description: "Name of the property." }),
    type: z.enum(["person", "group"]).meta({ description: "Whose property it is." }),
    group_type_index: z
      .number()
      .int()
      .nullable()
      .meta({ description: "Type of the groups; null for persons." }),
    property_type: z
      .enum(["String", "Numeric", "Boolean", "DateTime"])
      .meta({ description: "Kind of its values; String where kinds differ." }),
    count: z.number().int().meta({ description: "How many persons or groups carry it now." }),
    last_seen_at: z.string().meta({ description: "When a value of it last changed." }),
  })
  .meta({ id: "PropertyDefinition", description: "A property that persons or groups carry." });

export const propertyListQuery = z.object({
  ...pageQuery,
  ...owner,
  search: z.string().max(400).optional().meta({ description: "Part of the name, in any case." }),
});

export const propertyValuesQuery = z.object({
  limit: limitUpTo(1_000),
  ...owner,
  key: z.string().min(1).meta({ description: "Name of the property." }),
  value: z.string().max(400).optional().meta({ description: "Part of the value, in any case." }),
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
        "Whether no further value fits the question. Only 1,000 values of a property are kept, none longer than 200 characters.",
    }),
  })
  .meta({ id: "PropertyValues", description: "Values of a property, most used first." });

export const eventDefinition = z
  .object({
    name: z.string().meta({ description: "Name of the event." }),
    count: z.number().int().meta({ description: "How many were stored." }),
    last_seen_at: z.string().meta({ description: "When the latest of them happened." }),
  })
  .meta({ id: "EventDefinition", description: "An event name that was seen." });

export const eventDefinitionListQuery = z.object({
  ...pageQuery,
  search: z.string().max(400).optional().meta({ description: "Part of the name, in any case." }),
});
