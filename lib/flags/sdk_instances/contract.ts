import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, limitUpTo, pageQuery } from "#lib/platform/http/paging.ts";
import { integerId, projectParam } from "#lib/platform/http/params.ts";
import { receipt, STATES, sdkInstance, sdkRelay, sdkSummary } from "./schema.ts";

const LISTED_MAX = 1_000;

const wholeNumber = (name: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `${name} must be a whole number.`)
    .transform(Number)
    .optional();

const program = z.string().max(400).optional();

/** Whether changes of flags have arrived. */
export const receiptContract = {
  receipt: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/feature_flags/{id}/receipt/",
    tag: "Feature flags",
    scope: "feature_flag:read",
    summary: "Retrieve how far the latest change of a flag has come",
    description: "Each figure counts instances that the list of SDK instances shows for the flag and state.",
    params: z.object({ ...projectParam, id: integerId("flag") }),
    status: 200,
    response: receipt,
  }),
};

export const sdkInstanceContract = {
  list: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/sdk_instances/",
    tag: "SDK instances",
    scope: "feature_flag:read",
    summary: "List SDK instances",
    description:
      "Those that evaluate flags themselves and asked for definitions within 24 hours; longest ago first. Browsers are not among them.",
    params: z.object(projectParam),
    query: z.object({
      flag: wholeNumber("flag").meta({
        description:
          "Id of a flag: states are about its latest change. When absent, about the latest definitions.",
      }),
      state: z
        .string()
        .optional()
        .transform((text) => (text ? text.split(",") : undefined))
        .pipe(z.array(z.enum(STATES)).max(STATES.length).optional())
        .meta({ description: `Only these states, separated by commas: ${STATES.join(", ")}.` }),
      flag_version: wholeNumber("flag_version").meta({ description: "Only with this version of the flag." }),
      sdk: program.meta({ description: "Only of this SDK or program." }),
      sdk_version: program.meta({ description: "Only of this version of it." }),
      relay: program.meta({ description: "Id of a relay: only those that ask it." }),
      limit: limitUpTo(LISTED_MAX),
      offset: pageQuery.offset,
    }),
    status: 200,
    response: envelope(sdkInstance),
  }),
  relays: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/sdk_instances/relays/",
    tag: "SDK instances",
    scope: "feature_flag:read",
    summary: "List relays",
    description:
      "Those that reported within 24 hours, and whether they serve the latest definitions. Instances that ask one are listed with the others.",
    params: z.object(projectParam),
    status: 200,
    response: z.object({ results: z.array(sdkRelay) }),
  }),
  summary: endpoint({
    method: "GET",
    path: "/api/projects/{project_id}/sdk_instances/summary/",
    tag: "SDK instances",
    scope: "feature_flag:read",
    summary: "Count SDKs and other callers by version",
    params: z.object(projectParam),
    status: 200,
    response: sdkSummary,
  }),
};
