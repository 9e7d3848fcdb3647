import { z } from "zod";
import { pageQuery } from "#lib/platform/http/paging.ts";

const metric = z
  .record(z.string(), z.unknown())
  .meta({ description: "An ExperimentMetric, stored in the experiment or not." });

/** A query of its own kind. Members that another kind has are ignored. */
export const queryBody = z.object({
  query: z
    .looseObject({
      kind: z
        .string({ error: "This field is required." })
        .meta({ description: "ExperimentQuery or ExperimentExposureQuery." }),
      experiment_id: z.number().int().nullish().meta({ description: "The experiment." }),
      metric: metric.nullish(),
    })
    .meta({ description: "What to compute." }),
});

export const timeseriesQuery = z.object({
  metric_uuid: z.string().optional().meta({ description: "uuid of the metric. Required." }),
  fingerprint: z.string().optional().meta({ description: "Its fingerprint. Required." }),
});

export const recalculateBody = z.object({
  metric,
  fingerprint: z.string().min(1).meta({ description: "The metric's fingerprint." }),
});

const PAGE_MAX = 500;

export const unitsQuery = z.object({
  kind: z.enum(["exposed", "multiple", "converted", "step", "sum", "denominator"]).meta({
    description:
      "exposed: in the variant; multiple: in several; converted: whose value is not 0; step: that reached it, started, or have a denominator; sum, denominator: that add something to it, the most first.",
  }),
  variant: z.string().optional().meta({ description: "Key of the variant; all when absent." }),
  metric_uuid: z.string().optional().meta({ description: "Metric, for all but exposed and multiple." }),
  step: z.coerce.number().int().min(1).max(20).default(1).meta({ description: "Which step, from 1." }),
  limit: pageQuery.limit
    .transform((limit) => Math.min(limit, PAGE_MAX))
    .meta({ description: `Results per page, ${PAGE_MAX} at the most; 100 when absent.` }),
  offset: pageQuery.offset,
});

const IDS_MAX = 100;

export const summariesQuery = z.object({
  ids: z
    .string()
    .regex(/^\d{1,9}(,\d{1,9})*$/, "Ids, joined by commas.")
    .transform((text) => [...new Set(text.split(",").map(Number))])
    .refine((ids) => ids.length <= IDS_MAX, `At most ${IDS_MAX} ids.`)
    .meta({ description: `Ids of experiments, joined by commas, ${IDS_MAX} at the most.` }),
  look: z.enum(["true", "false"]).optional().meta({
    description:
      "true: the owner of the key is shown the results that are not hidden, which is recorded as a look at each.",
  }),
});

export const previewBody = z.object({
  metric,
  feature_flag_key: z.string().nullish().meta({
    description: "Count from the first call of this flag on; else from exposure_event on.",
  }),
  exposure_event: z.string().nullish().meta({
    description: "Count from the first event of this name on; $pageview when absent.",
  }),
  aggregation_group_type_index: z.number().int().min(0).max(4).nullish().meta({
    description: "Count groups of this type, or people (null); as the flag does when absent.",
  }),
  stats_config: z.record(z.string(), z.unknown()).nullish().meta({
    description: "The experiment's statistics. With CUPED the baseline has the sums of earlier values, too.",
  }),
  days: z.number().int().min(1).max(90).default(30).meta({ description: "Days to look back." }),
});

export const lookBody = z.object({});

export const resultsQuery = z.object({
  look: z.enum(["true", "false"]).optional().meta({
    description:
      "Reading the figures is a look by the owner of the key, listed once per state of the exposures. false: nobody is shown them.",
  }),
});

export type UnitsQuery = z.output<typeof unitsQuery>;
export type PreviewBody = z.output<typeof previewBody>;
