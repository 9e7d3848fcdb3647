import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";

const NAME_MAX = 100;
const QUERY_MAX = 4000;

/** The query of a list's address without what says which page of it is shown. */
function viewQueryOf(text: string): string {
  const query = new URLSearchParams(text.replace(/^\?/, ""));
  query.delete("offset");
  return query.toString();
}

const name = z
  .string()
  .trim()
  .min(1)
  .max(NAME_MAX)
  .meta({ description: "Name of the view, unique within the project whatever its case." });

const query = z.string().max(QUERY_MAX).transform(viewQueryOf).pipe(z.string().max(QUERY_MAX)).meta({
  description:
    "The query of the list's address in the dashboard: search, filters and order, such as status=stale&tag=billing. The page (offset) is left out.",
});

export const savedViewCreate = z.object({ name, query }).meta({ id: "SavedViewCreate" });

export const savedViewUpdate = z
  .object({ name, query })
  .partial()
  .meta({ id: "SavedViewUpdate", description: "The fields to change." });

export const savedView = z
  .object({
    id: z.number().int(),
    name: z.string(),
    query: z.string().meta({
      description:
        "Follows ? in the address of the list, /project/{project_id}/feature_flags. What the list does not know is ignored there.",
    }),
    created_by: userBasic.nullable().meta({ description: "Who owns it; null where their account is gone." }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "SavedView", description: "A list of flags under a name, for everyone in the project." });

export type SavedView = z.output<typeof savedView>;
export type SavedViewCreate = z.input<typeof savedViewCreate>;
export type SavedViewUpdate = z.input<typeof savedViewUpdate>;
