import { z } from "zod";
import { pageQuery } from "#lib/http/paging.ts";

export const groupTypeRecord = z
  .object({
    group_type: z.string().meta({ description: "Name of the type, as events give it." }),
    group_type_index: z.number().int().meta({ description: "Its number in the project, 0 to 4." }),
    name_singular: z
      .string()
      .nullable()
      .meta({ description: "How to call one such group; null: by the type." }),
    name_plural: z.string().nullable().meta({ description: "How to call several; null: by the type." }),
  })
  .meta({ id: "GroupType", description: "A kind of groups that persons belong to, such as companies." });

export const groupRecord = z
  .object({
    group_type_index: z.number().int().meta({ description: "Number of the group's type." }),
    group_key: z.string().meta({ description: "Id of the group within its type." }),
    group_properties: z.record(z.string(), z.unknown()).meta({ description: "What is known of the group." }),
    created_at: z.string().meta({ description: "When the group was seen first." }),
  })
  .meta({ id: "Group", description: "A company, team or the like." });

export const groupListQuery = z.object({
  ...pageQuery,
  group_type_index: z
    .string()
    .regex(/^[0-4]$/, "group_type_index must be 0 to 4.")
    .transform(Number)
    .meta({ description: "Number of the type whose groups are listed." }),
  search: z.string().max(400).optional().meta({ description: "Part of the key or the name, in any case." }),
});
