import { z } from "zod";
import { endpoint } from "#lib/http/contract.ts";
import { envelope, pageQuery } from "#lib/http/paging.ts";
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
    summary: "List one's own keys",
    query: z.object({
      ...pageQuery,
      all: z.string().optional().meta({
        description: "1: the keys of every member too, for administrators of an organization.",
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
      "A key has no scope, project or organization that the key in use lacks, and expires no later. Without expires_at it gets the expiry of the key in use. The value is shown once, here.",
    body: keyCreate,
    status: 201,
    response: keyWithValue,
  }),
  current: endpoint({
    method: "GET",
    path: `${root}@current/`,
    tag,
    scope: null,
    summary: "The key that is used for this call",
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
      "Only keys without any right that the key in use lacks can be changed. The last key with full access to an organization keeps it.",
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
      "It stops working at once; a key may revoke itself. The last key with full access to an organization stays.",
    params,
    status: 204,
  }),
  roll: endpoint({
    method: "POST",
    path: `${one}roll/`,
    tag,
    scope: "personal_api_key:write",
    summary: "Replace a key's value",
    description: "The old value stops working at once. The new one is shown once, here.",
    params,
    status: 200,
    response: keyWithValue,
  }),
};
