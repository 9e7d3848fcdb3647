import type { FlagActions } from "#components/feature_flags/flag-actions.ts";
import { addTestCase, createFlag, removeTestCase, updateFlag, updateFlags } from "./actions.ts";

/** The server actions in the form that the components expect. */
export const flagActions: FlagActions = {
  create: createFlag,
  update: updateFlag,
  updateMany: updateFlags,
  addTestCase,
  removeTestCase,
};
