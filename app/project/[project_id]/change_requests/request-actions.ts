import * as actions from "./actions.ts";

/** The server actions that pages pass to the browser; they write with the signed-in key. */
export const requestActions = { ...actions };

export type RequestActions = typeof requestActions;
/** What can be done with a request. */
export type Verb = Parameters<RequestActions["review"]>[2];
