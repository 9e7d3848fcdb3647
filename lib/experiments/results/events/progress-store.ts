import { eq, sql } from "drizzle-orm";
import type { Db } from "#lib/platform/db/connect.ts";
import { experiment_progress } from "#lib/platform/db/tables/experiment_results.ts";

const { experiment_id } = experiment_progress;

export async function writeProgress(db: Db, experimentId: number, share: number): Promise<void> {
  const set = { share, updated_at: sql`clock_timestamp()` };
  await db
    .insert(experiment_progress)
    .values({ experiment_id: experimentId, ...set })
    .onConflictDoUpdate({ target: experiment_id, set });
}

/** The progress reported last, unless that is longer ago. */
export async function selectProgress(
  db: Db,
  experimentId: number,
  silenceMs: number,
): Promise<number | null> {
  const [row] = await db
    .select({ share: experiment_progress.share })
    .from(experiment_progress)
    .where(
      sql`${experiment_id} = ${experimentId}
        and ${experiment_progress.updated_at} > clock_timestamp() - make_interval(secs => ${silenceMs / 1_000})`,
    );
  return row?.share ?? null;
}

export async function clearProgress(db: Db, experimentId: number): Promise<void> {
  await db.delete(experiment_progress).where(eq(experiment_id, experimentId));
}
