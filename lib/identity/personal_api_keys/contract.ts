import { z } from "zod";
import { endpoint } from "#lib/platform/http/contract.ts";
import { envelope, pageQuery } from "#lib/platform/http/paging.ts";
import { keyCreate, keyRecord, keyUpdate, keyWithValue } from "./schema.ts";

const tag = "Personal API keys";
const root = "/api/personal_api_keys/" as const;
const one = "/api/personal_api_keys/{id}/" as const;
const params = z.object({ id: z.uuid().meta({ description: "UUID of the key." }) });

export const personalApiKeyContract = {
  list: endpoint({
    method: "GET",
    path: root,
    tag,
    scope: "personal_api_key:read",
    summary: "List your own keys",
    query: z.object({
      ...pageQuery,
      all: z.string().optional().meta({
        description: "1 also lists the keys of all members, for organization administrators.",
      }),
    }),
    status: 200,
    response: envelope(keyRecord),
  }),
  create: endpoint({
    method: "POST",
    path: root,
    tag,
    scope: "personal_api_key:write",
    summary: "Create a key",
    description:
      "A key cannot have a scope, project or organization that the key in use lacks, nor expire later. Without expires_at it gets the expiry of the key in use. The value is shown once, here.",
    body: keyCreate,
    status: 201,
    response: keyWithValue,
  }),
  current: endpoint({
    method: "GET",
    path: `${root}@current/`,
    tag,
    scope: null,
    summary: "Retrieve the key used for this call",
    status: 200,
    response: keyRecord,
  }),
  retrieve: endpoint({
    method: "GET",
    path: one,
    tag,
    scope: "personal_api_key:read",
    summary: "Retrieve a key",
    params,
    status: 200,
    response: keyRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: one,
    tag,
    scope: "personal_api_key:write",
    summary: "Change a key's label, scopes, restriction or expiry",
    description:
      "You can only change keys that have no rights beyond the key in use. The last key with full access to an organization keeps it.",
    params,
    body: keyUpdate,
    status: 200,
    response: keyRecord,
  }),
  destroy: endpoint({
    method: "DELETE",
    path: one,
    tag,
    scope: "personal_api_key:write",
    summary: "Revoke a key",
    description:
      "It stops working immediately; a key can revoke itself. The last key with full access to an organization cannot be revoked.",
    params,
    status: 204,
  }),
  roll: endpoint({
    method: "POST",
    path: `${one}roll/`,
    tag,
    scope: "personal_api_key:write",
    summary: "Replace a key's value",
    description: "The old value stops working immediately. The new one is shown once, here.",
    params,
    status: 200,
    response: keyWithValue,
  }),
};
