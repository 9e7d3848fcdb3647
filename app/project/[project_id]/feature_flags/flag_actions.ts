import type { FlagActions } from "#components/feature_flags/flag_actions.ts";
import { addTestCase, createFlag, dropTestCase, updateFlag, updateFlags } from "./actions.ts";

/** The server actions as the components take them. */
export const flagActions: FlagActions = {
  create: createFlag,
  update: updateFlag,
  updateMany: updateFlags,
  addTestCase,
  dropTestCase,
};
