import { ownHandle } from "#lib/app/session/own-handle.ts";

/** For hosts that run Next alone; our own server answers these paths before Next sees them. */
const answer = (request: Request) => ownHandle(request);

export { answer as DELETE, answer as GET, answer as OPTIONS, answer as PATCH, answer as POST, answer as PUT };
