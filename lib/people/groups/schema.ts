import { z } from "zod";
import { pageQuery } from "#lib/platform/http/paging.ts";

export const groupTypeRecord = z
  .object({
    group_type: z.string().meta({ description: "Name of the type, as events use it." }),
    group_type_index: z.number().int().meta({ description: "Its index in the project, 0 to 4." }),
    name_singular: z.string().nullable().meta({ description: "Singular name; null: the type." }),
    name_plural: z.string().nullable().meta({ description: "Plural name; null: the type." }),
  })
  .meta({ id: "GroupType", description: "A kind of group that persons belong to, such as companies." });

export const groupRecord = z
  .object({
    group_type_index: z.number().int().meta({ description: "Index of the group's type." }),
    group_key: z.string().meta({ description: "Id of the group within its type." }),
    group_properties: z.record(z.string(), z.unknown()).meta({ description: "Properties of the group." }),
    created_at: z.string().meta({ description: "When the group was first seen." }),
  })
  .meta({ id: "Group", description: "A company, team or similar." });

export const groupListQuery = z.object({
  ...pageQuery,
  group_type_index: z
    .string()
    .regex(/^[0-4]$/, "group_type_index must be 0 to 4.")
    .transform(Number)
    .meta({ description: "Index of the group type to list." }),
  search: z
    .string()
    .max(400)
    .optional()
    .meta({ description: "Part of the key or the name, case-insensitive." }),
});
