import type { z } from "zod";
import type { FlagRecord, flagCreate, flagUpdate } from "#lib/feature_flags/schema.ts";
import type { TestCase, TestCaseCreate } from "#lib/feature_flags/test_cases_contract.ts";
import type { ErrorBody } from "#lib/http/errors.ts";

export type FlagCreation = z.input<typeof flagCreate>;
export type FlagChange = z.input<typeof flagUpdate>;
export type Outcome<T> = { ok: true; data: T } | { ok: false; error: ErrorBody & { status: number } };

/** What the pages let the browser do: server actions that write with the signed-in key. */
export type FlagActions = {
  create: (projectId: string, body: FlagCreation) => Promise<Outcome<FlagRecord>>;
  update: (projectId: string, id: number, body: FlagChange) => Promise<Outcome<FlagRecord>>;
  updateMany: (
    projectId: string,
    changes: { id: number; body: FlagChange }[],
  ) => Promise<{ id: number; problem: string | null }[]>;
  addTestCase: (projectId: string, id: number, body: TestCaseCreate) => Promise<Outcome<TestCase>>;
  dropTestCase: (projectId: string, id: number, testCaseId: number) => Promise<Outcome<null>>;
};

/** What the signed-in key may do, and why not. */
export type Access = { may_write: boolean; reason: string | null };

/** What a failed call says when there is no answer at all. */
export const NO_ANSWER = "The service did not answer. Nothing is known to have changed; please try again.";

/** Runs a write; a connection that broke becomes an outcome too. */
export async function attempt<T>(run: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await run();
  } catch {
    const error = { type: "server_error", code: "error", detail: NO_ANSWER, attr: null, status: 0 } as const;
    return { ok: false, error };
  }
}
