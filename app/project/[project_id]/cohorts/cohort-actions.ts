import { propose, revise } from "../change_requests/actions.ts";
import * as actions from "./actions.ts";

/** The server actions that pages pass to the browser; they write with the signed-in key. */
export const cohortActions = { ...actions, propose, revise };

export type CohortActions = typeof cohortActions;
