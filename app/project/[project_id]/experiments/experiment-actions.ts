import { propose, revise } from "../change_requests/actions.ts";
import * as actions from "./actions.ts";
import { remove, save as saveHoldout } from "./holdouts/actions.ts";
import { save, setDeleted } from "./saved_metrics/actions.ts";

/** The server actions that pages pass to the browser; they write with the signed-in key. */
export const experimentActions = {
  ...actions,
  propose,
  revise,
  saved: { save, setDeleted },
  holdouts: { save: saveHoldout, remove },
};

export type ExperimentActions = typeof experimentActions;
export type SavedMetricActions = ExperimentActions["saved"];
export type HoldoutActions = ExperimentActions["holdouts"];
