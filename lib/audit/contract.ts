import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { projectParam } from "#lib/platform/http/params.ts";
import { checkpointSchema } from "./checkpoint-schema.ts";
import {
  auditPage,
  auditProof,
  auditQuery,
  auditStatus,
  checkpointPage,
  checkpointQuery,
  eraseBody,
  eraseResult,
  receivedPage,
  receivedQuery,
} from "./schema.ts";

const tag = "Audit log";
const root = "/api/projects/{project_id}/audit_log/" as const;
const params = z.object(projectParam);
const administrators = true;

const position = z.coerce
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number)
  .meta({ description: "Position of the entry." });

export const auditContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "activity_log:read",
    summary: "List the entries of the audit log",
    description:
      "Those of the project, of the installation, and of members of the organization, newest first. Each has a hash that depends on every entry before it.",
    administrators,
    params,
    query: auditQuery,
    status: 200,
    response: auditPage,
  }),
  status: endpoint({
    method: "GET",
    path: `${root}status/`,
    tag,
    scope: "activity_log:read",
    summary: "Retrieve the state of the audit log",
    description:
      "Up to where it is sealed and signed, where checkpoints are stored, and what the last verification found.",
    administrators,
    params,
    status: 200,
    response: auditStatus,
  }),
  proof: endpoint({
    method: "GET",
    path: `${root}{position}/proof/`,
    tag,
    scope: "activity_log:read",
    summary: "Retrieve the proof of an entry",
    description:
      "The entry and what leads from it to a signed checkpoint. tools/check-audit-log.mjs checks it without this server.",
    administrators,
    params: params.extend({ position }),
    status: 200,
    response: auditProof,
  }),
  checkpoints: endpoint({
    method: "GET",
    path: `${root}checkpoints/`,
    tag,
    scope: "activity_log:read",
    summary: "List signed checkpoints",
    administrators,
    params,
    query: checkpointQuery,
    status: 200,
    response: checkpointPage,
  }),
  export: endpoint({
    method: "GET",
    path: `${root}export/`,
    tag,
    scope: "activity_log:read",
    summary: "Export the audit log with its proof",
    description:
      "A JSON object a line, from the first entry to the newest checkpoint; entries of other projects appear as hashes only. tools/check-audit-log.mjs checks the file without this server.",
    administrators,
    params,
    status: 200,
    media: ["application/x-ndjson"],
  }),
  verify: endpoint({
    method: "POST",
    path: `${root}verify/`,
    tag,
    scope: "activity_log:write",
    summary: "Verify the audit log",
    description:
      "Seals what is new, and compares the whole log with what it sealed, in the background. The state has the result.",
    administrators,
    params,
    status: 202,
    response: auditStatus,
  }),
  erase: endpoint({
    method: "POST",
    path: `${root}erase/`,
    tag,
    scope: "activity_log:write",
    summary: "Erase a text from the details of entries",
    description:
      "For personal data in old values, such as an address in a flag's condition. Names of fields are left as they are. The chain stays valid, and an entry for each erasure says who asked for it, without the text. This cannot be undone.",
    administrators,
    params,
    body: eraseBody,
    status: 200,
    response: eraseResult,
  }),
  receive: endpoint({
    method: "POST",
    path: `${root}received_checkpoints/`,
    tag,
    scope: "activity_log:write",
    summary: "Store a checkpoint of another Switchyard",
    description:
      "It is compared with the other one's log when that is verified. Nothing that was stored is ever replaced.",
    administrators,
    params,
    body: checkpointSchema,
    status: 201,
    response: checkpointSchema,
  }),
  received: endpoint({
    method: "GET",
    path: `${root}received_checkpoints/`,
    tag,
    scope: "activity_log:read",
    summary: "List checkpoints of other Switchyards",
    administrators,
    params,
    query: receivedQuery,
    status: 200,
    response: receivedPage,
  }),
};
