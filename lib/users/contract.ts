import { endpoint } from "#lib/http/contract.ts";
import { userRecord, userUpdate } from "./schema.ts";

const tag = "Users";
const me = "/api/users/@me/" as const;

export const userContract = {
  retrieve: endpoint({
    method: "GET",
    path: me,
    tag,
    scope: "user:read",
    summary: "Who the key belongs to, with organizations and current project",
    status: 200,
    response: userRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: me,
    tag,
    scope: "user:write",
    summary: "Change one's own name, address or role",
    description: "Not for keys that are restricted to projects or organizations.",
    body: userUpdate,
    status: 200,
    response: userRecord,
  }),
};
