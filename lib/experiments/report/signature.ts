import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** The key that signs this instance's reports: kept apart from what else its secret protects. */
const keyOf = (secret: Buffer) =>
  Buffer.from(hkdfSync("sha256", secret, "", "switchyard experiment reports", 32));

/** The signature of a report of a project, by its digest. */
export const signReport = (secret: Buffer, projectId: number, digest: string): string =>
  createHmac("sha256", keyOf(secret)).update(`${projectId} ${digest}`).digest("hex");

/** Whether this instance signed a report of the project with this digest. */
export function isSigned(secret: Buffer, projectId: number, digest: string, signature: string): boolean {
  const [right, given] = [signReport(secret, projectId, digest), signature].map((text) => Buffer.from(text));
  return (
    right !== undefined &&
    given !== undefined &&
    right.length === given.length &&
    timingSafeEqual(right, given)
  );
}
