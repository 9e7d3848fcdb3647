import { actorOf } from "#lib/approvals/actor.ts";
import type { CallingContext, CallingRuntime } from "#lib/approvals/context.ts";
import { ApprovalNeeded, throughGate } from "#lib/approvals/gate/gate.ts";
import { permissionDenied } from "#lib/platform/http/errors.ts";
import type { Mounting } from "#lib/platform/http/mount.ts";
import { isProtected } from "./calls.ts";
import { findSame, makeRequest } from "./service.ts";

/** Answers a write that a policy holds with the request that was made of it. */
export function holdForApproval(operations: CallingRuntime["operations"]): Mounting["around"] {
  const names = new Map([...operations].map(([name, declared]) => [declared, name]));
  return async (declared, found, sent, work) => {
    const operation = isProtected(declared) ? names.get(declared) : undefined;
    if (operation === undefined) return work();
    const context = found as CallingContext;
    const asking = {
      actor: actorOf(context),
      level: await context.runtime.directory.level(context.project.organization_id, context.user.id),
    };
    try {
      return await throughGate(context, { asking, pass: { kind: "policies" } }, work);
    } catch (error) {
      if (!(error instanceof ApprovalNeeded)) throw error;
      const { requirement } = error.judged;
      if (requirement?.forbidden) throw permissionDenied(requirement.forbidden);
      const { project_id: _, ...params } = sent.params;
      const calls = [{ ...sent, operation, params }];
      const request =
        (await findSame(context, calls)) ??
        (await makeRequest(context, calls, {
          judged: error.judged,
          written: [Object.keys(error.judged.seen)],
        }));
      return Response.json(
        {
          code: "approval_required",
          status: "approval_required",
          message: "A policy asks for approval: a change request was made, and nothing has been changed yet.",
          resource_type: request.resource_type,
          resource_id: request.resource_id,
          change_request_id: request.id,
          change_request: request,
          required_approvers: {
            quorum: request.policy_snapshot.quorum,
            users: request.policy_snapshot.users,
          },
        },
        { status: 202 },
      );
    }
  };
}
