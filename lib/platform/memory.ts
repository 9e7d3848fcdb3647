import { totalmem } from "node:os";

/** How much memory there is for the service and its embedded database, in bytes: less than the machine's in a container. */
export const usableMemory = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
