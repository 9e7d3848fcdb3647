import { pin, unpin } from "../feature_flags/actions.ts";
import * as actions from "./actions.ts";

/** The server actions that pages pass to the browser; they write with the signed-in key. */
export const personActions = { ...actions, pin, unpin };

export type PersonActions = typeof personActions;
