import { z } from "zod";
import { onePerson } from "#lib/people/persons/contract.ts";
import { endpoint } from "#lib/platform/http/contract.ts";

const personExperiment = z
  .object({
    id: z.number().int().meta({ description: "Id of the experiment." }),
    name: z.string(),
    status: z.enum(["draft", "running", "paused", "stopped"]),
    archived: z.boolean(),
    variant: z.string().nullable().meta({
      description: "The variant that the person was exposed to; null for several, and where it is not known.",
    }),
    first_exposed_at: z.string().nullable().meta({ description: "null: the results have no exposure." }),
    counts: z.boolean().meta({ description: "Whether the person is in the figures of their variant." }),
    reason: z.enum(["multiple_variants", "held_out", "outside_dates", "no_exposure"]).nullable().meta({
      description:
        "Why the person does not count. no_exposure: they called the flag, but the stored results have no exposure of theirs: it is newer than these, or the exposure criteria leave it out, as those for test accounts do.",
    }),
  })
  .meta({ id: "PersonExperiment", description: "A person's part in an experiment." });

export type PersonExperiment = z.output<typeof personExperiment>;

export const personExperimentsContract = {
  experiments: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/persons/{id}/experiments/",
    tag: "Persons",
    scope: "experiment:read",
    summary: "List the experiments of a person",
    description:
      "As of the stored results, latest exposure first; computes nothing. Experiments that split groups are left out.",
    params: onePerson,
    status: 200,
    response: z.object({ results: z.array(personExperiment) }),
  }),
};
