import { z } from "zod";

/** Progress of loading a demo project. */
export const demoLoad = z
  .object({
    project_id: z.number().int().meta({ description: "The demo project." }),
    state: z.enum(["running", "done", "failed", "interrupted"]).meta({
      description: "interrupted: the process that loaded it ended; load again to continue.",
    }),
    percent: z.number().int().meta({ description: "Progress, 0 to 100." }),
  })
  .meta({ id: "DemoLoad" });

export type DemoLoad = z.infer<typeof demoLoad>;
