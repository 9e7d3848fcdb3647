import { flagCallRollup, ingestFlagCalls } from "#lib/flags/feature_flags/usage/calls.ts";
import * as rollups from "#lib/people/events/rebuild.ts";
import { createEventWriter, type WriterHooks } from "#lib/people/events/writer.ts";
import type { Db } from "#lib/platform/db/connect.ts";
import { ingestSurveys } from "#lib/surveys/results/ingest/ingest.ts";
import { surveyRollup } from "#lib/surveys/results/rebuild.ts";

const ROLLUPS = [flagCallRollup, surveyRollup];

/** The writer of events, with what every module keeps of them. */
export const createWriter = (db: Db, hooks: Pick<WriterHooks, "arriving" | "committed" | "spool"> = {}) =>
  createEventWriter(db, { steps: [ingestFlagCalls, ingestSurveys], ...hooks });

/** Compares all rollups with their raw rows. */
export const verify = (db: Db): Promise<rollups.Finding[]> => rollups.verify(db, ROLLUPS);

/** Rebuilds all rollups from the raw rows. @returns the remaining differences: none */
export const repair = (db: Db, now: Date): Promise<rollups.Finding[]> => rollups.repair(db, now, ROLLUPS);
