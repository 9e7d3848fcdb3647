import { createEraseFromRequests } from "#lib/approvals/change_requests/erase.ts";
import { createEraseUnits } from "#lib/experiments/results/erase.ts";
import { erasePins } from "#lib/flags/feature_flags/pins/pins.ts";
import { eraseFlagCalls, flagCallRollup, ingestFlagCalls } from "#lib/flags/feature_flags/usage/calls.ts";
import { eraseTestCases } from "#lib/flags/feature_flags/who_changes/pinned-cases.ts";
import { eraseWhatIsLeft } from "#lib/people/erasures/erase.ts";
import type { EraseStep } from "#lib/people/erasures/step.ts";
import { hasGone, noteGone } from "#lib/people/event_deletions/store.ts";
import * as rollups from "#lib/people/events/rebuild.ts";
import { createEventWriter, type WriterHooks } from "#lib/people/events/writer.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { eraseRampPeople } from "#lib/ramps/erase.ts";
import { eraseAnswers, ingestSurveys } from "#lib/surveys/results/ingest/ingest.ts";
import { surveyRollup } from "#lib/surveys/results/rebuild.ts";

const ROLLUPS = [flagCallRollup, surveyRollup];

/** The writer of events, with what every module keeps of them. */
export const createWriter = (db: Db, hooks: Omit<WriterHooks, "steps"> = {}) =>
  createEventWriter(db, { steps: [ingestFlagCalls, ingestSurveys], ...hooks });

/** The copy of the events in ClickHouse: an erasure is not finished before the person has left it. */
const eraseCopy: EraseStep = {
  events: async (tx, projectId, events) => {
    await noteGone(tx, projectId, events);
    return {};
  },
  isDone: async (tx, { project_id }) => !(await hasGone(tx, project_id)),
};

/** What every module removes of somebody who is erased; in the order in which the writer takes locks. */
export const createEraseSteps = (
  reading: Parameters<typeof createEraseUnits>[0],
  encryptionKey: Buffer,
): readonly EraseStep[] => [
  eraseFlagCalls,
  eraseTestCases,
  erasePins,
  eraseAnswers,
  createEraseUnits(reading),
  eraseRampPeople,
  createEraseFromRequests(encryptionKey),
  eraseCopy,
];

/** Compares all rollups with their raw rows. */
export const verify = (db: Db): Promise<rollups.Finding[]> => rollups.verify(db, ROLLUPS);

/**
 * Rebuilds all rollups from the raw rows. What erasures have left to delete is deleted first: it would be counted again,
 * and for whoever has the distinct ids now.
 *
 * @returns the remaining differences: none
 */
export const repair = (db: Db, now: Date, eraseSteps: readonly EraseStep[]): Promise<rollups.Finding[]> =>
  rollups.repair(db, now, ROLLUPS, (tx) => eraseWhatIsLeft(tx, eraseSteps));
