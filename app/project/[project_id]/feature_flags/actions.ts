"use server";

import { writeResult } from "#lib/app/session/action-result.ts";
import { flagContract } from "#lib/flags/feature_flags/contract.ts";
import { type PinCreate, pinsContract } from "#lib/flags/feature_flags/pins/pins-contract.ts";
import type { FlagChange, FlagCreation } from "#lib/flags/feature_flags/schema.ts";
import {
  type FlagImportBody,
  transferContract,
} from "#lib/flags/feature_flags/transfer/transfer-contract.ts";
import {
  type TestCaseCreate,
  testCasesContract,
} from "#lib/flags/feature_flags/who_changes/pinned-cases-contract.ts";
import { savedViewContract } from "#lib/flags/saved_views/contract.ts";
import type { SavedViewCreate, SavedViewUpdate } from "#lib/flags/saved_views/schema.ts";
import { scheduledChangeContract } from "#lib/flags/scheduled_changes/contract.ts";
import type { ScheduledChangeCreate, ScheduledChangeUpdate } from "#lib/flags/scheduled_changes/schema.ts";
import { ApiError, unreadable } from "#lib/platform/http/errors.ts";
import { rampContract } from "#lib/ramps/contract.ts";
import type { RampCreate } from "#lib/ramps/schema.ts";

const pages = (project_id: string) => `/project/${project_id}/feature_flags`;

const one = (project_id: string, id: number) => ({ project_id, id: String(id) });

export async function create(project_id: string, body: FlagCreation) {
  return writeResult(pages(project_id), (api) =>
    api.call(flagContract.create, { params: { project_id }, body }),
  );
}

export async function update(project_id: string, id: number, body: FlagChange) {
  return writeResult(pages(project_id), (api) =>
    api.call(flagContract.partial_update, { params: one(project_id, id), body }),
  );
}

/** Several flags, one after another; each has its own outcome. */
export async function updateMany(project_id: string, changes: { id: number; body: FlagChange }[]) {
  return writeResult(pages(project_id), async (api) => {
    const outcomes: ({ id: number } & Outcome)[] = [];
    for (const { id, body } of changes) {
      const outcome = await api
        .call(flagContract.partial_update, { params: one(project_id, id), body })
        .then((): Outcome => ({ problem: null, request: null }), outcomeOf);
      outcomes.push({ id, ...outcome });
    }
    return outcomes;
  });
}

/** Imports flags, all or none of them; a dry run changes nothing. */
export async function importFlags(project_id: string, body: FlagImportBody) {
  return writeResult(pages(project_id), (api) =>
    api.call(transferContract.import, { params: { project_id }, body }),
  );
}

/** What became of one of several changes: what the API says against it, and the request of one that a policy holds. */
type Outcome = { problem: string | null; request: string | null };

/** A session that has ended concerns all of them. */
function outcomeOf(error: unknown): Outcome {
  if (error instanceof ApiError && error.status !== 401)
    return { problem: error.message, request: error.body.extra?.change_request_id ?? null };
  throw error;
}

/** Pins are shown on the page of the person, too. */
const everywhere = (project_id: string) => `/project/${project_id}`;

export async function pin(project_id: string, id: number, body: PinCreate) {
  return writeResult(everywhere(project_id), (api) =>
    api.call(pinsContract.create_pin, { params: one(project_id, id), body }),
  );
}

export async function unpin(project_id: string, id: number, pin_id: string) {
  return writeResult(everywhere(project_id), (api) =>
    api.call(pinsContract.destroy_pin, { params: { ...one(project_id, id), pin_id } }),
  );
}

export async function schedule(project_id: string, body: ScheduledChangeCreate) {
  return writeResult(pages(project_id), (api) =>
    api.call(scheduledChangeContract.create, { params: { project_id }, body }),
  );
}

export async function updateSchedule(project_id: string, id: number, body: ScheduledChangeUpdate) {
  return writeResult(pages(project_id), (api) =>
    api.call(scheduledChangeContract.partial_update, { params: one(project_id, id), body }),
  );
}

export async function cancelSchedule(project_id: string, id: number) {
  return writeResult(pages(project_id), async (api) => {
    await api.call(scheduledChangeContract.destroy, { params: one(project_id, id) });
    return null;
  });
}

export async function runSchedule(project_id: string, id: number) {
  return writeResult(pages(project_id), (api) =>
    api.call(scheduledChangeContract.run, { params: one(project_id, id), body: {} }),
  );
}

export async function startRamp(project_id: string, body: RampCreate) {
  return writeResult(pages(project_id), (api) =>
    api.call(rampContract.create, { params: { project_id }, body }),
  );
}

const { pause, resume, next, roll_back, cancel } = rampContract;
/** What can be done about a ramp; `skip` goes on to the next step whatever the current one is held for. */
const RAMP_ACTIONS = { pause, resume, next, skip: next, roll_back, cancel };
export type RampAction = keyof typeof RAMP_ACTIONS;

export async function actOnRamp(project_id: string, id: number, action: RampAction) {
  return writeResult(pages(project_id), (api) => {
    // Any browser can call an action, with anything.
    const declared = Object.hasOwn(RAMP_ACTIONS, action) ? RAMP_ACTIONS[action] : null;
    if (!declared) throw unreadable("A ramp has no such action.");
    const body = declared === next ? { skip_holds: action === "skip" } : {};
    return api.call(declared, { params: one(project_id, id), body });
  });
}

export async function addTestCase(project_id: string, id: number, body: TestCaseCreate) {
  return writeResult(pages(project_id), (api) =>
    api.call(testCasesContract.create_test_case, { params: one(project_id, id), body }),
  );
}

export async function removeTestCase(project_id: string, id: number, testCaseId: number) {
  return writeResult(pages(project_id), async (api) => {
    const params = { ...one(project_id, id), test_case_id: String(testCaseId) };
    await api.call(testCasesContract.destroy_test_case, { params });
    return null;
  });
}

export async function saveView(project_id: string, body: SavedViewCreate) {
  return writeResult(pages(project_id), (api) =>
    api.call(savedViewContract.create, { params: { project_id }, body }),
  );
}

export async function updateView(project_id: string, id: number, body: SavedViewUpdate) {
  return writeResult(pages(project_id), (api) =>
    api.call(savedViewContract.partial_update, { params: one(project_id, id), body }),
  );
}

export async function deleteView(project_id: string, id: number) {
  return writeResult(pages(project_id), async (api) => {
    await api.call(savedViewContract.destroy, { params: one(project_id, id) });
    return null;
  });
}
