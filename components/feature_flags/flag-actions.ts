import type { z } from "zod";
import type { FlagRecord, flagCreate, flagUpdate } from "#lib/flags/feature_flags/schema.ts";
import type { TestCase, TestCaseCreate } from "#lib/flags/feature_flags/who_changes/pinned-cases-contract.ts";
import type { ErrorBody } from "#lib/platform/http/errors.ts";

export type FlagCreation = z.input<typeof flagCreate>;
export type FlagChange = z.input<typeof flagUpdate>;
export type Outcome<T> = { ok: true; data: T } | { ok: false; error: ErrorBody & { status: number } };

/** The server actions that pages pass to the browser; they write with the signed-in key. */
export type FlagActions = {
  create: (projectId: string, body: FlagCreation) => Promise<Outcome<FlagRecord>>;
  update: (projectId: string, id: number, body: FlagChange) => Promise<Outcome<FlagRecord>>;
  updateMany: (
    projectId: string,
    changes: { id: number; body: FlagChange }[],
  ) => Promise<{ id: number; problem: string | null }[]>;
  addTestCase: (projectId: string, id: number, body: TestCaseCreate) => Promise<Outcome<TestCase>>;
  removeTestCase: (projectId: string, id: number, testCaseId: number) => Promise<Outcome<null>>;
};

/** What the signed-in key can do, and why not. */
export type Access = { may_write: boolean; reason: string | null };

/** The error of a call that got no response. */
export const NO_ANSWER = "The service did not respond, so your change may not be saved. Please try again.";

/** Runs a write; a broken connection becomes an error result. */
export async function attempt<T>(run: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await run();
  } catch {
    const error = { type: "server_error", code: "error", detail: NO_ANSWER, attr: null, status: 0 } as const;
    return { ok: false, error };
  }
}
