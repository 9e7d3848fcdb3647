import type { z } from "zod";
import type { FlagChange, Outcome } from "#components/feature_flags/flag_actions.ts";
import type {
  ExperimentRecord,
  experimentCreate,
  experimentUpdate,
  HoldoutRecord,
  SavedMetricRecord,
  savedMetricCreate,
} from "#lib/experiments/schema.ts";
import type { FlagRecord } from "#lib/feature_flags/schema.ts";

export type ExperimentCreation = z.input<typeof experimentCreate>;
export type ExperimentChange = z.input<typeof experimentUpdate>;

/** A metric as it is to be saved for experiments. */
export type SavedMetricWish = z.input<typeof savedMetricCreate>;

/** What the pages let the browser do with saved metrics; `save` makes one where the id is null. */
export type SavedMetricActions = {
  save: (projectId: string, id: number | null, wish: SavedMetricWish) => Promise<Outcome<SavedMetricRecord>>;
  setDeleted: (projectId: string, id: number, deleted: boolean) => Promise<Outcome<SavedMetricRecord>>;
};

/** What the pages let the browser do with experiments: server actions that write with the signed-in key. */
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
