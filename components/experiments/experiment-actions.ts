import type { z } from "zod";
import type { FlagChange, Outcome } from "#components/feature_flags/flag-actions.ts";
import type {
  ExperimentRecord,
  experimentCreate,
  experimentUpdate,
  HoldoutRecord,
  SavedMetricRecord,
  savedMetricCreate,
} from "#lib/experiments/experiments/schema.ts";
import type { FlagRecord } from "#lib/flags/feature_flags/schema.ts";

export type ExperimentCreation = z.input<typeof experimentCreate>;
export type ExperimentChange = z.input<typeof experimentUpdate>;

/** A saved metric to create or change. */
export type SavedMetricInput = z.input<typeof savedMetricCreate>;

/** Server actions for saved metrics; `save` creates one if the id is null. */
export type SavedMetricActions = {
  save: (
    projectId: string,
    id: number | null,
    input: SavedMetricInput,
  ) => Promise<Outcome<SavedMetricRecord>>;
  setDeleted: (projectId: string, id: number, deleted: boolean) => Promise<Outcome<SavedMetricRecord>>;
};

/** Server actions for experiments, which write with the signed-in key. */
export type ExperimentActions = {
  create: (projectId: string, body: ExperimentCreation) => Promise<Outcome<ExperimentRecord>>;
  update: (projectId: string, id: number, body: ExperimentChange) => Promise<Outcome<ExperimentRecord>>;
  duplicate: (
    projectId: string,
    id: number,
    body: { name?: string; feature_flag_key?: string },
  ) => Promise<Outcome<ExperimentRecord>>;
  makeCohort: (projectId: string, id: number) => Promise<Outcome<{ id: number; name: string }>>;
  createHoldout: (projectId: string, name: string, percent: number) => Promise<Outcome<HoldoutRecord>>;
  saved: SavedMetricActions;
  updateFlag: (projectId: string, id: number, body: FlagChange) => Promise<Outcome<FlagRecord>>;
};
