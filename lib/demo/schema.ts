import { z } from "zod";

/** How far the loading of a demo project has come. */
export const demoLoad = z
  .object({
    project_id: z.number().int().meta({ description: "The demo project." }),
    state: z.enum(["running", "done", "failed", "interrupted"]).meta({
      description: "interrupted: the process that loaded it ended; loading again goes on from there.",
    }),
    percent: z.number().int().meta({ description: "0 to 100." }),
  })
  .meta({ id: "DemoLoad" });

export type DemoLoad = z.infer<typeof demoLoad>;
