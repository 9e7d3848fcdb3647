import { z } from "zod";

/** What one process tries: the mutants of a few files against one test file. */
export const jobSchema = z.object({
  /** Instrumented code by absolute path. */
  sources: z.record(z.string(), z.string()),
  /** Absolute path. */
  testFile: z.string(),
  mutants: z.array(z.object({ key: z.string(), file: z.string(), id: z.number() })),
  /** Tests build on what earlier ones did: all run, up to the last one that reaches the mutant. */
  isOrdered: z.boolean(),
  usesDatabase: z.boolean(),
  /** After so many mutants the tests run unchanged, to see that nothing of a mutant is left. */
  checkEvery: z.number(),
  /** Where progress is written, one JSON value a line. */
  log: z.string(),
});
export type Job = z.infer<typeof jobSchema>;

/** Progress of a job. Results count once a `clean` has followed them. */
export const progressSchema = z.discriminatedUnion("type", [
  /** The tests reach these mutants; a few of the tests fail without any mutant and are left out. */
  z.object({
    type: z.literal("ready"),
    pid: z.number(),
    covered: z.array(z.string()),
    unfit: z.array(z.string()),
  }),
  /** The test file as a whole fails without any mutant. */
  z.object({ type: z.literal("broken"), failed: z.array(z.string()) }),
  z.object({ type: z.literal("begin"), key: z.string(), limit: z.number() }),
  z.object({
    type: z.literal("end"),
    key: z.string(),
    outcome: z.enum(["killed", "survived"]),
    /** The test that noticed. */
    by: z.string().nullable(),
  }),
  z.object({ type: z.literal("clean") }),
  /** A mutant left something behind on which unchanged tests fail. */
  z.object({ type: z.literal("dirty") }),
  z.object({ type: z.literal("done") }),
]);
export type Progress = z.infer<typeof progressSchema>;

/** Name of the environment variable with the path of the job. */
export const JOB_VARIABLE = "MUTATION_JOB";
