import type { Database } from "#lib/platform/db/connect.ts";
import { isCompatible } from "#lib/platform/db/migrate.ts";

/** Phase of the server: only "ready" accepts requests. */
export type Phase = "starting" | "ready" | "draining";

export const unavailable = (reason: string) =>
  Response.json({ status: "unavailable", reason }, { status: 503, headers: { "retry-after": "2" } });

const DATABASE_DEADLINE_MS = 3_000;

/** `/healthz`: the process is up and answers, whatever the database does. */
export function answerHealth(): Response {
  return Response.json({ status: "ok" });
}

/** While the database does not answer: SDKs are served all the same, so requests had better come here. */
const degraded = (since: Date) =>
  Response.json({
    status: "degraded",
    reason:
      "The database does not answer: flags and surveys are served from memory, and nothing can be changed.",
    since,
  });

/** `/readyz`: whether requests sent here now can be served; 503 with the reason when not. */
export async function answerReadiness(
  phase: Phase,
  readiness: (() => Promise<Response>) | undefined,
): Promise<Response> {
  if (phase === "draining") return unavailable("The server is stopping.");
  if (phase === "starting" || !readiness) return unavailable("The server is starting.");
  return readiness();
}

/** Whether a database lets requests be served, if only from memory. */
export async function readinessOf(database: Database): Promise<Response> {
  const { away_since: awaySince } = database.availability;
  if (awaySince !== null) return degraded(awaySince);
  try {
    const current = await withDeadline(isCompatible(database));
    return current
      ? Response.json({ status: "ok" })
      : unavailable("The database has a different schema version.");
  } catch {
    return unavailable("The database does not respond.");
  }
}

async function withDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("timed out")), DATABASE_DEADLINE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
