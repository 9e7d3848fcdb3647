import { z } from "zod";

/** The largest id there can be: columns of ids are of 32 bits. */
export const DATABASE_INTEGER_MAX = 2_147_483_647;

/** Path parameters, as `{name}` in a contract's path. A value that cannot be an id names no record: 404. */
export const projectParam = {
  project_id: z.coerce.string().meta({ description: "Id of the project, or @current for the key's own." }),
};

/** An integer id in the path. */
export const integerId = (what: string) =>
  z.coerce
    .string()
    .regex(/^\d{1,10}$/)
    .transform(Number)
    .refine((id) => id <= DATABASE_INTEGER_MAX)
    .meta({ description: `Id of the ${what}.` });
