import { endpoint } from "#lib/platform/http/contract.ts";
import { userRecord, userUpdate } from "./schema.ts";

const tag = "Users";
const me = "/api/users/@me/" as const;

export const userContract = {
  retrieve: endpoint({
    method: "GET",
    path: me,
    tag,
    scope: "user:read",
    summary: "Retrieve the key's owner, with organizations and current project",
    status: 200,
    response: userRecord,
  }),
  partial_update: endpoint({
    method: "PATCH",
    path: me,
    tag,
    scope: "user:write",
    summary: "Change your own name, email address or role",
    refuses: "restricted_keys",
    body: userUpdate,
    status: 200,
    response: userRecord,
  }),
};
