"use server";

import type { z } from "zod";
import { writeResult } from "#lib/app/session/action-result.ts";
import { changeRequestContract } from "#lib/approvals/change_requests/contract.ts";
import type { changeRequestCreate, changeRequestUpdate } from "#lib/approvals/change_requests/schema.ts";
import { unreadable } from "#lib/platform/http/errors.ts";

/** The frame shows whether there are requests, and a request changes other records. */
const PAGES = "/project/[project_id]";

const { approve, request_changes, reject, comment, cancel, apply, bypass } = changeRequestContract;
const VERBS = { approve, request_changes, reject, comment, cancel, apply, bypass };

export async function propose(project_id: string, body: z.input<typeof changeRequestCreate>) {
  return writeResult(PAGES, (api) =>
    api.call(changeRequestContract.create, { params: { project_id }, body }),
  );
}

export async function revise(project_id: string, id: string, body: z.input<typeof changeRequestUpdate>) {
  return writeResult(PAGES, (api) =>
    api.call(changeRequestContract.partial_update, { params: { project_id, id }, body }),
  );
}

/** Chooses when a request is applied; null: by its last approval. */
export async function schedule(project_id: string, id: string, apply_at: string | null) {
  return writeResult(PAGES, async (api) => {
    const { message } = await api.call(changeRequestContract.schedule, {
      params: { project_id, id },
      body: { apply_at },
    });
    return { message };
  });
}

export async function review(project_id: string, id: string, verb: keyof typeof VERBS, reason: string) {
  return writeResult(PAGES, async (api) => {
    // Any browser can call an action, with anything.
    const declared = Object.hasOwn(VERBS, verb) ? VERBS[verb] : null;
    if (!declared) throw unreadable("A change request has no such action.");
    const { status, message } = await api.call(declared, { params: { project_id, id }, body: { reason } });
    return { status, message };
  });
}
