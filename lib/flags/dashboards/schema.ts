import { z } from "zod";
import { userBasic } from "#lib/identity/accounts/schema.ts";

const series = z.object({
  label: z.string().meta({ description: "What is counted: total, or one of the flag's values." }),
  count: z.number().int().meta({ description: "Sum over all days shown." }),
  data: z.array(z.number().int()).meta({ description: "Counts per day, in the order of days." }),
});

const dashboardTile = z
  .object({
    id: z.number().int().meta({ description: "Id of the tile within its dashboard." }),
    name: z.string().meta({ description: "Title of the tile." }),
    description: z.string().meta({ description: "What it shows." }),
    query: z
      .object({
        kind: z
          .enum(["FlagCalls", "FlagCallsByValue", "FlagViews", "FlagInteractions"])
          .meta({ description: "What is counted." }),
        feature_flag_key: z.string().meta({ description: "Key of the flag." }),
      })
      .meta({ description: "Where the figures come from." }),
    result: z
      .object({
        days: z.array(z.string()).meta({ description: "The last 30 days in UTC, today included." }),
        series: z.array(series).meta({ description: "One for the total, or one per value." }),
      })
      .meta({ description: "Current figures." }),
  })
  .meta({ id: "DashboardTile" });

export const dashboardBasic = z
  .object({
    id: z.number().int().meta({ description: "Id of the dashboard." }),
    name: z.string().meta({ description: "Name of the dashboard." }),
    description: z.string().meta({ description: "What it is for; may be empty." }),
    creation_mode: z
      .string()
      .meta({ description: "template: created with a flag; default: created manually." }),
    deleted: z.boolean().meta({ description: "Whether it was deleted." }),
    created_by: userBasic.nullable().meta({ description: "Who created it; null for the system." }),
    created_at: z.string().meta({ description: "When it was created." }),
  })
  .meta({ id: "DashboardBasic", description: "A dashboard without its tiles." });

export const dashboardRecord = dashboardBasic
  .extend({ tiles: z.array(dashboardTile).meta({ description: "Tiles with their current figures." }) })
  .meta({ id: "Dashboard", description: "A dashboard with its tiles." });

export const dashboardUpdate = z
  .object({
    name: z.string().trim().min(1).max(400).meta({ description: "Name of the dashboard." }),
    description: z.string().max(10_000).meta({ description: "What it is for." }),
    deleted: z.boolean().meta({ description: "True soft-deletes, false restores." }),
  })
  .partial()
  .meta({ id: "DashboardUpdate" });

export type DashboardBasic = z.infer<typeof dashboardBasic>;
export type DashboardRecord = z.infer<typeof dashboardRecord>;
export type TileResult = z.infer<typeof dashboardTile>["result"];
