import { z } from "zod";
import { relayReport, relayReported } from "#lib/flags/sdk_instances/report-schema.ts";
import { endpoint } from "#lib/platform/http/contract.ts";
import { errorSchema } from "#lib/platform/http/error-schema.ts";

const keys = z.array(
  z.object({
    digest: z.string().meta({ description: "SHA-256 of the key." }),
    reads_flags: z.boolean().meta({ description: "Whether it has the scope feature_flag:read." }),
    projects: z.array(z.number().int()).meta({ description: "Ids of the projects here that it opens." }),
    current: z.number().int().meta({ description: "Id of the project that @current is for it." }),
    expires_at: z.string().nullable().meta({ description: "When it stops working." }),
  }),
);

const flag = z.object({
  id: z.number().int(),
  key: z.string(),
  name: z.string(),
  filters: z.record(z.string(), z.unknown()),
  deleted: z.boolean(),
  active: z.boolean(),
  version: z.number().int(),
  updated_at: z.string().nullable().optional().meta({
    description:
      "When it was changed, of flags with encrypted payloads: it is a part of what names definitions.",
  }),
  pins: z
    .array(
      z.object({
        distinct_ids: z.array(z.string()),
        value: z.union([z.boolean(), z.string()]),
        until: z.string().nullable(),
      }),
    )
    .optional()
    .meta({ description: "What certain people get, whatever the filters say." }),
  ensure_experience_continuity: z.boolean().nullable(),
  is_remote_configuration: z.boolean().nullable(),
  has_encrypted_payloads: z.boolean().nullable(),
  evaluation_runtime: z.enum(["server", "client", "all"]).nullable(),
  evaluation_tags: z.array(z.string()),
  targets_survey: z.boolean().meta({ description: "Whether a survey uses it." }),
  experiment_set: z.array(z.number().int()).meta({ description: "Ids of the experiments on it." }),
});

/** Increased when a relay of the release before could not serve it. */
export const BUNDLE_FORMAT = 1;

const relayBundle = z
  .object({
    format: z.literal(BUNDLE_FORMAT).meta({ description: "Which members there are." }),
    origin: z.string().meta({ description: "Fingerprint of the public key that it is signed with." }),
    audience: z.string().meta({ description: "SHA-256 of the key that it is for." }),
    sequence: z.number().int().meta({ description: "Grows with every change." }),
    issued_at: z.string().meta({ description: "When it was made." }),
    projects: z.array(
      z.object({
        id: z.number().int(),
        organization_id: z.string(),
        api_token: z.string().meta({ description: "The project token." }),
        secret_digest: z.string().meta({ description: "SHA-256 of the project's secret key." }),
        group_types: z.array(z.object({ index: z.number().int(), name: z.string() })),
        flags: z.array(flag).meta({ description: "Newest first." }),
        cohorts: z.array(
          z.object({
            id: z.number().int(),
            is_static: z.boolean(),
            filters: z.record(z.string(), z.unknown()),
          }),
        ),
        surveys: z
          .array(z.record(z.string(), z.unknown()))
          .meta({ description: "Those that are not archived." }),
      }),
    ),
    keys: keys.meta({ description: "Personal API keys that SDKs may use." }),
  })
  .meta({ id: "RelayBundle", description: "Everything that a relay needs to serve SDKs." });

export type RelayBundle = z.output<typeof relayBundle>;

export const relayContract = {
  retrieve: endpoint({
    method: "GET",
    path: "/api/relay_bundle/",
    tag: "SDKs",
    scope: "relay:read",
    administrators: true,
    limit: "definitions",
    summary: "Retrieve what a relay serves",
    description:
      "Flags, cohorts, group types, surveys and digests of keys of all projects that the key opens; its owner has to administer their organizations. See docs/relay.md. Signed in the header Switchyard-Signature. Payloads that are encrypted in the database are readable, as they are in flag definitions.",
    status: 200,
    response: relayBundle,
    also: { 304: { description: "If-None-Match has the current ETag." } },
  }),
  stream: endpoint({
    method: "GET",
    path: "/api/relay_bundle/stream/",
    tag: "SDKs",
    scope: "relay:read",
    administrators: true,
    limit: "definitions",
    summary: "Follow changes of a relay's bundle",
    description:
      "Server-sent events that stay open and carry nothing of the bundle. Lines that begin with a colon are heartbeats. A client that sends Last-Event-ID, or the ETag of its bundle in its place, gets one event for all changes since.",
    status: 200,
    media: ["text/event-stream"],
    also: { 503: { description: "The process has as many open streams as it may.", body: errorSchema } },
  }),
  report: endpoint({
    method: "POST",
    path: "/api/relay_bundle/report/",
    tag: "SDKs",
    scope: "relay:read",
    writes: true,
    administrators: true,
    limit: "definitions",
    summary: "Report what SDKs behind a relay have",
    description:
      "A relay calls it after changes, and every 10 seconds. Receipts and the list of SDK instances count what it reports. A report that arrives after a later one changes nothing.",
    body: relayReport,
    status: 200,
    response: relayReported,
  }),
};
