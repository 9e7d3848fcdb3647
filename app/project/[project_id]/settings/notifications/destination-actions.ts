import * as actions from "./actions.ts";

/** The server actions that pages pass to the browser; they write with the signed-in key. */
export const destinationActions = { ...actions };

export type DestinationActions = typeof destinationActions;
