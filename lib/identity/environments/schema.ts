import { z } from "zod";

const NAME_MAX = 60;
const ENVIRONMENTS_MIN = 2;
/** A row of the comparison has a column for each. */
export const ENVIRONMENTS_MAX = 8;

const project_id = z.number().int().min(1).meta({ description: "The project." });

/** @returns the place of the first value that an earlier one equals; -1 for none */
const firstRepeated = (values: readonly (string | number)[]): number =>
  values.findIndex((value, i) => values.indexOf(value) < i);

/** The environments of a group, first to last: a change is promoted from each to the next. */
const environmentList = z
  .array(
    z.object({
      project_id,
      name: z
        .string()
        .trim()
        .min(1)
        .max(NAME_MAX)
        .meta({ description: `What the environment is called, up to ${NAME_MAX} characters.` }),
    }),
  )
  .min(ENVIRONMENTS_MIN)
  .max(ENVIRONMENTS_MAX)
  .superRefine((list, context) => {
    const project = firstRepeated(list.map((each) => each.project_id));
    if (project >= 0)
      context.addIssue({
        code: "custom",
        path: [project, "project_id"],
        message: "A project can be in a group only once.",
      });
    const name = firstRepeated(list.map((each) => each.name.toLowerCase()));
    if (name >= 0)
      context.addIssue({
        code: "custom",
        path: [name, "name"],
        message: "Another environment has this name.",
      });
  })
  .meta({
    description: `From the first to the last: ${ENVIRONMENTS_MIN} to ${ENVIRONMENTS_MAX} projects of the organization.`,
  });

const environment = z.object({
  project_id,
  name: z.string().meta({ description: "What the environment is called." }),
  project_name: z.string().meta({ description: "What the project is called." }),
});

export const environmentGroup = z
  .object({
    id: z.string().meta({ description: "UUID of the group." }),
    environments: z.array(environment).meta({ description: "From the first to the last." }),
  })
  .meta({ id: "EnvironmentGroup", description: "Projects that are environments of one another." });

export const environmentGroupCreate = z
  .object({ environments: environmentList })
  .meta({ id: "EnvironmentGroupCreate" });

export const environmentGroupUpdate = z
  .object({
    environments: environmentList,
    original_environments: z
      .array(z.object({ project_id, name: z.string() }))
      .optional()
      .meta({
        description:
          "The environments as they were when editing began. If somebody else has changed them since, the request is rejected with 409.",
      }),
  })
  .meta({ id: "EnvironmentGroupUpdate", description: "Replaces the environments of the group." });

export type EnvironmentGroup = z.output<typeof environmentGroup>;
export type EnvironmentGroupCreate = z.input<typeof environmentGroupCreate>;
export type EnvironmentGroupUpdate = z.input<typeof environmentGroupUpdate>;
