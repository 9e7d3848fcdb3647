/** The database cannot answer now (restarting, unreachable, full): HTTP answers it with 503 and Retry-After. */
export class DatabaseUnavailable extends Error {
  override name = "DatabaseUnavailable";
}

const unavailableCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "57P01", // admin shutdown
  "57P02", // crash shutdown
  "57P03", // cannot connect now: starting up, recovering or shutting down
  "57P05", // idle session timeout
  "25006", // a standby, or a server that was made read-only
]);

// The driver gives these conditions no code of their own.
const brokenConnection =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Client was closed|Cannot use a pool after calling end)/;

/** The error's SQLSTATE or system code, if it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The first code found on the error or, inside out, on what caused it (the query builder wraps the driver's). */
export function deepErrorCode(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code = errorCode(at);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** Whether the database broke off a statement that took longer than it may. */
export const tookTooLong = (error: unknown): boolean => deepErrorCode(error) === "57014";

/** Whether the error, itself or by what caused it, says that the database cannot answer now. */
function describeUnavailable(error: Error): string | undefined {
  const code = errorCode(error);
  if (code === "25006") return "it is read-only";
  if (code?.startsWith("53")) return code === "53100" ? "its disk is full" : "it has no resources left";
  const noSocket = code === "ENOENT" && "syscall" in error && error.syscall === "connect";
  if (code && (noSocket || unavailableCodes.has(code) || code.startsWith("08")))
    return "the connection was lost";
  return brokenConnection.test(error.message) ? "the connection was lost" : undefined;
}

/** The error as a DatabaseUnavailable if that is what it, or anything that caused it, means; else null. */
export function asDatabaseUnavailable(error: unknown): DatabaseUnavailable | null {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof DatabaseUnavailable) return at;
    const reason = describeUnavailable(at);
    if (reason) return new DatabaseUnavailable(`The database is unavailable: ${reason}.`, { cause: error });
  }
  return null;
}
